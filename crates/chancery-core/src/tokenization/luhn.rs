//! The Luhn check digit (ISO/IEC 7812-1, annex B) at any place of a number.

/// What a digit counts in every second place from the right: its double, the digits of that added up. A permutation,
/// which is why exactly one digit in any place makes a number pass.
const fn doubled(digit: u16) -> u16 {
    2 * digit - 9 * (digit > 4) as u16
}

/// The digit that counts so much in such a place: the inverse of [`doubled`].
const fn halved(count: u16) -> u16 {
    (count + 9 * (count % 2)) / 2
}

/// Whether decimal digits pass.
pub(crate) fn passes(digits: &[u16]) -> bool {
    sum(digits) == 0
}

/// The one digit that makes the number pass when it stands at `place`; what stands there now does not matter.
pub(crate) fn check_digit(digits: &[u16], place: usize) -> u16 {
    completing(digits[place], digits.len() - place, sum(digits))
}

/// What makes a number pass in the place of a digit that is the so-many-th from the end and has a part in the sum.
#[inline]
const fn completing(digit: u16, from_end: usize, sum: u16) -> u16 {
    let now = if counts_double(from_end) { doubled(digit) } else { digit };
    let missing = (10 + now - sum) % 10;
    if counts_double(from_end) { halved(missing) } else { missing }
}

/// Whether the digit in the so-many-th place from the end counts double.
const fn counts_double(from_end: usize) -> bool {
    from_end.is_multiple_of(2)
}

/// [`passes`] for digits in ASCII.
#[inline]
pub(crate) fn text_passes(text: &[u8]) -> bool {
    text_sum(text) == 0
}

/// [`check_digit`] for digits in ASCII; gives back a digit, not a character.
#[inline]
pub(crate) fn text_check_digit(text: &[u8], place: usize) -> u16 {
    completing(u16::from(text[place] & 0x0f), text.len() - place, text_sum(text))
}

/// Many numbers of one length from 9 to 16 digits, in ASCII and one after the other: no branch depends on one of them.
pub(crate) struct SameLength {
    length: usize,
    /// Shifts out of the first eight digits what is among the last eight, too.
    shift: u32,
}

/// From the sum of up to sixteen digits to the digit that is missing, where it counts once and where it counts double.
static MISSING: [[u8; 256]; 2] = {
    let mut all = [[0; 256]; 2];
    let mut total = 0;
    while total < 256 {
        let missing = (10 - total as u16 % 10) % 10;
        (all[0][total], all[1][total]) = (missing as u8, halved(missing) as u8);
        total += 1;
    }
    all
};

impl SameLength {
    pub(crate) fn of(length: usize) -> Option<Self> {
        (9..=16).contains(&length).then(|| Self { length, shift: 8 * (16 - length as u32) })
    }

    /// Whether all pass.
    pub(crate) fn all_pass(&self, text: &[u8]) -> bool {
        let wrong = |wrong, number| wrong | MISSING[0][usize::from(self.total(number, [u64::MAX; 2]))];
        text.chunks_exact(self.length).fold(0, wrong) == 0
    }

    /// Puts at `place` of each number the digit that makes it pass, or what [`spoil`] makes of it.
    pub(crate) fn complete(&self, text: &mut [u8], place: usize, spoiled: bool) {
        // What stands at the place now does not count: it is masked out, not overwritten, because a byte that was just
        // written would delay the reading of the eight that it is one of.
        let mut mask = [0xff; 16];
        mask[place] = 0;
        let last = mask[..self.length].last_chunk::<8>().copied().unwrap_or_default();
        let masks = [u64::from_le_bytes(mask[..8].try_into().unwrap_or_default()), u64::from_le_bytes(last)];
        let missing = &MISSING[usize::from(counts_double(self.length - place))];
        let as_asked = |check: u16| b'0' | if spoiled { spoil(check) } else { check } as u8;
        let digits: [u8; 256] = missing.map(|check| as_asked(check.into()));
        for number in text.chunks_exact_mut(self.length) {
            number[place] = digits[usize::from(self.total(number, masks))];
        }
    }

    /// The weighted sum of the digits that the masks let through, at most 224, not modulo 10.
    #[inline(always)]
    fn total(&self, number: &[u8], [first_mask, last_mask]: [u64; 2]) -> u8 {
        let (Some(first), Some(last)) = (number.first_chunk::<8>(), number.last_chunk::<8>()) else { return 0 };
        let first = (u64::from_le_bytes(*first) & first_mask) << self.shift;
        let last = u64::from_le_bytes(*last) & last_mask;
        // What counts double stands in every second byte, so both have room in one word.
        let twice = first & (0x0f * LANES) | (last & (0x0f * LANES)) << 8;
        let carried = (twice + 3 * BYTES) >> 3 & BYTES;
        let sums = (first & (0x0f * BYTES)) + (last & (0x0f * BYTES)) + twice + carried;
        (sums.wrapping_mul(BYTES) >> 56) as u8
    }
}

/// Ones in bytes.
const BYTES: u64 = u64::from_ne_bytes([1; 8]);

/// [`sum`] for digits in ASCII, eight at a time.
#[inline]
fn text_sum(text: &[u8]) -> u16 {
    let total = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        // Most card numbers: no loop, and of what overlaps the first part's share is shifted out.
        (Some(first), Some(last)) if text.len() <= 16 => {
            let first = u64::from_le_bytes(*first).checked_shl(8 * (16 - text.len() as u32)).unwrap_or_default();
            added_up(pair_sums(first) + pair_sums(u64::from_le_bytes(*last)))
        }
        _ => {
            let word = |digits: &[u8]| digits.iter().fold(0, |word, &digit| word >> 8 | u64::from(digit) << 56);
            text.rchunks(8).map(|digits| added_up(pair_sums(word(digits)))).sum()
        }
    };
    // At most 10 for each of the 64 KiB that a value may have.
    (total % 10) as u16
}

/// Ones in 16-bit lanes.
const LANES: u64 = 0x0001_0001_0001_0001;

/// The weighted sums of the four pairs in eight digits, at most 28 each, not modulo 10; the last digit is in the highest
/// byte and counts once. Zero bytes count nothing.
#[inline]
const fn pair_sums(text: u64) -> u64 {
    let (doubled, plain) = (text & (0x0f * LANES), text >> 8 & (0x0f * LANES));
    // Twice a digit from 5 on is 10 or more, of which the digits' sum is 9 less: the same modulo 10 as one more.
    let carried = (doubled + 3 * LANES) >> 3 & LANES;
    plain + 2 * doubled + carried
}

/// The sum of the lanes.
#[inline]
const fn added_up(lanes: u64) -> u64 {
    lanes.wrapping_mul(LANES) >> 48
}

/// The digit that [`check_digit`] would give, plus one: with it the number always fails.
#[inline]
pub(crate) fn spoil(digit: u16) -> u16 {
    (digit + 1) % 10
}

/// Undoes [`spoil`].
#[inline]
pub(crate) fn unspoil(digit: u16) -> u16 {
    (digit + 9) % 10
}

/// The weighted sum modulo 10.
fn sum(digits: &[u16]) -> u16 {
    let mut total: u32 = 0;
    for pair in digits.rchunks(2) {
        total += match *pair {
            [second, plain] => u32::from(doubled(second) + plain),
            [plain] => u32::from(plain),
            _ => 0,
        };
    }
    u16::try_from(total % 10).expect("a remainder of 10")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn digits(text: &str) -> Vec<u16> {
        text.bytes().map(|byte| u16::from(byte - b'0')).collect()
    }

    #[test]
    fn the_standards_example_and_cards() {
        for valid in ["79927398713", "4111111111111111", "378282246310005", "6205500000000000004", "0", "18"] {
            assert!(passes(&digits(valid)), "{valid}");
        }
        for invalid in ["79927398710", "4111111111111112", "1", "81"] {
            assert!(!passes(&digits(invalid)), "{invalid}");
        }
    }

    #[test]
    fn halved_inverts_doubled() {
        for digit in 0..10 {
            assert_eq!(halved(doubled(digit)), digit);
            let twice = 2 * digit;
            assert_eq!(doubled(digit), twice / 10 + twice % 10);
        }
    }

    proptest! {
        #[test]
        fn exactly_one_digit_passes_in_any_place(mut digits in prop::collection::vec(0u16..10, 1..40), place: prop::sample::Index) {
            let place = place.index(digits.len());
            let check = check_digit(&digits, place);
            for digit in 0..10 {
                digits[place] = digit;
                prop_assert_eq!(passes(&digits), digit == check);
            }
            let text: Vec<u8> = digits.iter().map(|&digit| b'0' + u8::try_from(digit).unwrap()).collect();
            prop_assert_eq!(text_check_digit(&text, place), check);
            prop_assert_eq!(text_passes(&text), passes(&digits));
            if let Some(same) = SameLength::of(digits.len()) {
                let mut three = [&text[..], &text, &text].concat();
                prop_assert_eq!(same.all_pass(&three), passes(&digits));
                for spoiled in [false, true] {
                    same.complete(&mut three, place, spoiled);
                    let expected = b'0' + u8::try_from(if spoiled { spoil(check) } else { check }).unwrap();
                    let mut one = text.clone();
                    one[place] = expected;
                    prop_assert_eq!(&three, &[&one[..], &one, &one].concat());
                    prop_assert_eq!(same.all_pass(&three), !spoiled);
                    // One of several that does not pass.
                    one[place] = b'0' + u8::try_from(spoil(check)).unwrap();
                    three[..one.len()].copy_from_slice(&one);
                    prop_assert!(!same.all_pass(&three));
                }
            } else {
                prop_assert!(digits.len() < 9 || digits.len() > 16);
            }
            digits[place] = spoil(check);
            prop_assert!(!passes(&digits));
            prop_assert_eq!(unspoil(spoil(check)), check);
        }
    }
}
