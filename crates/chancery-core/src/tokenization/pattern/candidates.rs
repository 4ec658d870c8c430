//! How many messages stay possible behind a token, for one who sees it and what masks reveal of its message.

use std::ops::Range;

use super::{Group, Layout, Part, Pattern, Symbols, Taken, dates::Dates, iban, numbers::Numbers};
use crate::tokenization::{
    alphabet::Alphabet,
    mask::{Reveals, values},
};

/// Which of a part's symbols are revealed, and what they are where that is known.
struct Sight<'v> {
    /// So many at its beginning.
    start: usize,
    /// So many at its end.
    end: usize,
    symbols: usize,
    characters: Option<&'v [char]>,
}

impl Sight<'_> {
    fn reveals(&self, place: usize) -> bool {
        place < self.start || place >= self.symbols - self.end
    }

    const fn hidden(&self) -> usize {
        self.symbols - self.start - self.end
    }
}

impl Pattern {
    /// For this value, which is laid out as said.
    pub(super) fn candidates(&self, reveals: Reveals, taken: &Taken, layout: &Layout) -> u64 {
        let lengths = &taken.lengths[layout.lengths.clone()];
        self.product(reveals, lengths, Some(&taken.characters[layout.characters.clone()]))
    }

    /// For the longest message, with the symbols of which most stay possible.
    pub(crate) fn candidates_max(&self, reveals: Reveals) -> u64 {
        let lengths: Vec<_> = self.elements.iter().map(|element| element.part.length_max()).collect();
        self.product(reveals, &lengths, None)
    }

    fn product(&self, reveals: Reveals, lengths: &[usize], mut characters: Option<&[char]>) -> u64 {
        let parts = || self.elements.iter().map(|element| &element.part).zip(lengths);
        let all = parts().map(|(part, &length)| part.symbols_in(length)).sum();
        let (from_start, at_end) = reveals.of_symbols(all);
        let (mut first, mut product, mut check) = (0, 1u64, 1);
        for (part, &length) in parts() {
            let symbols = part.symbols_in(length);
            let within = |place: usize| place.clamp(first, first + symbols) - first;
            let (start, end) = (within(from_start), symbols - within(all - at_end));
            first += symbols;
            let here = characters.map(|characters| characters.split_at(length));
            characters = here.map(|(_, after)| after);
            let sight = Sight { start, end, symbols, characters: here.map(|(here, _)| here) };
            match part {
                Part::Literal(_) | Part::Kept(_) => {}
                // Both together tell the remainder by 97, one of them a tenth of that at most.
                Part::Check => check = [1, 10, 97][(sight.start + sight.end).min(iban::CHECK_DIGITS)],
                Part::Encrypted(group) => product = product.saturating_mul(group.candidates(&sight)),
            }
        }
        product / check
    }
}

impl Part {
    fn length_max(&self) -> usize {
        self.fixed_length().unwrap_or_else(|| self.symbols().1)
    }

    /// The symbols among so many characters of this part.
    fn symbols_in(&self, length: usize) -> usize {
        match self {
            Self::Encrypted(Group::Symbols(_)) | Self::Kept(Group::Symbols(_)) => length,
            Self::Literal(_) | Self::Encrypted(_) | Self::Kept(_) | Self::Check => self.symbols().1,
        }
    }
}

impl Group {
    fn candidates(&self, sight: &Sight) -> u64 {
        match self {
            Self::Symbols(symbols) => symbols.candidates(sight),
            Self::Numbers(numbers) => numbers.candidates(sight),
            Self::Date(dates) => dates.candidates(sight),
        }
    }
}

impl Symbols {
    /// A token tells the class of each symbol.
    fn candidates(&self, sight: &Sight) -> u64 {
        let Some(characters) = sight.characters else {
            return values(self.radix_max(), sight.hidden());
        };
        let hidden = characters.iter().enumerate().filter(|(place, _)| !sight.reveals(*place));
        let radix =
            |(_, &symbol): (usize, &char)| self.class(symbol).map_or(1, |(_, class): (_, &Alphabet)| class.radix());
        hidden.map(radix).fold(1, |product: u64, radix| product.saturating_mul(radix.into()))
    }
}

impl Numbers {
    /// Numbers that fill nearly all that their digits could say count by their digits: what is missing of them is a
    /// matter of form, as in social security numbers, and does not lead to the one that is meant.
    fn candidates(&self, sight: &Sight) -> u64 {
        /// At least so many of 100.
        const NEARLY_ALL: u64 = 80;
        let size = u64::from(self.size());
        let hidden = values(10, sight.hidden());
        if sight.hidden() == sight.symbols {
            return if size * 100 >= hidden * NEARLY_ALL { hidden } else { size };
        }
        match sight.characters {
            Some(characters) => {
                let (begin, rest) = characters.split_at(sight.start);
                self.with_digits(begin, &rest[sight.hidden()..])
            }
            None => hidden.min(size),
        }
    }

    /// How many numbers begin and end with these digits.
    fn with_digits(&self, begin: &[char], end: &[char]) -> u64 {
        let number = |digits: &[char]| {
            digits.iter().fold(0, |all, digit| all * 10 + u64::from(digit.to_digit(10).unwrap_or_default()))
        };
        let width = values(10, self.width() - begin.len());
        let (low, high) = (number(begin) * width, number(begin) * width + width - 1);
        let (step, last_digits) = (values(10, end.len()), number(end));
        // How many numbers below this one end so.
        let below = |number: u64| number / step + u64::from(number % step > last_digits);
        let ranges = self.ranges().map(|(first, last)| (u64::from(first).max(low), u64::from(last).min(high)));
        ranges.filter(|(first, last)| first <= last).map(|(first, last)| below(last + 1) - below(first)).sum()
    }
}

impl Dates {
    /// Years that are not in the range as a whole are left out, and so are the last days of long months: some more days may
    /// be possible than are counted, and never fewer.
    fn candidates(&self, sight: &Sight) -> u64 {
        if sight.hidden() == sight.symbols {
            return self.size().into();
        }
        let revealed = |place: usize| sight.reveals(place);
        let Some(characters) = sight.characters else {
            let hidden = |field: Range<usize>| values(10, field.filter(|place| !revealed(*place)).count());
            let most = [9_999, 12, 31].into_iter().zip(self.digits()).map(|(most, field)| hidden(field).min(most));
            return most.product::<u64>().min(self.size().into());
        };
        let digits = characters.iter().enumerate().filter(|(place, _)| self.is_digit(*place));
        let known: Vec<Option<u32>> = digits
            .enumerate()
            .map(|(place, (_, digit))| revealed(place).then(|| digit.to_digit(10).unwrap_or_default()))
            .collect();
        let fitting = [self.whole_years(), 1..=12, 1..=28].into_iter().zip(self.digits());
        fitting
            .map(|(numbers, field)| numbers.filter(|number| fits(*number, &known[field.clone()])).count() as u64)
            .product()
    }
}

/// Whether a number, written with so many digits, has those that are known.
fn fits(number: u32, known: &[Option<u32>]) -> bool {
    let mut rest = number;
    known.iter().rev().all(|known| {
        let digit = rest % 10;
        rest /= 10;
        known.is_none_or(|known| known == digit)
    })
}

#[cfg(test)]
mod tests {
    use chancery_types::RevealFrom;
    use proptest::prelude::*;

    use super::*;
    use crate::Limits;

    const START: RevealFrom = RevealFrom::Start;
    const END: RevealFrom = RevealFrom::End;

    fn candidates(pattern: &str, value: &str, reveal: usize, from: RevealFrom) -> (u64, u64) {
        let pattern = Pattern::parse(pattern, "", &Limits::default()).unwrap();
        let (reveals, mut taken) = (Reveals::of(reveal, from), Taken::default());
        let layout = pattern.take_message(value, &mut taken).unwrap();
        (pattern.candidates(reveals, &taken, &layout), pattern.candidates_max(reveals))
    }

    #[test]
    fn what_is_kept_revealed_and_checked_is_not_hidden() {
        let ssn = "{001..665,667..899}-{01..99}-{0001..9999}";
        assert_eq!(candidates(ssn, "123-45-6789", 4, END), (100_000, 100_000));
        assert_eq!(candidates(ssn, "123-45-6789", 5, START), (10_000, 10_000));
        assert_eq!(candidates(ssn, "123-45-6789", 1, END).0, 1_000 * 100 * 1_000);
        // Of the areas 898 and 899 are the only ones with these digits in front.
        assert_eq!(candidates("{898..899}{Decimal:2}", "89912", 2, START), (200, 200));
        let iban = "[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}";
        assert_eq!(candidates(iban, "NO9386011117947", 0, END).0, 100_000_000_000);
        assert_eq!(candidates(iban, "NO9386011117947", 4, START).0, 100_000_000_000 / 97);
        assert_eq!(candidates(iban, "NO9386011117947", 4, END).0, 10_000_000);
        let date = |reveal, from| candidates("{date:DD.MM.YYYY}", "01.02.1999", reveal, from);
        assert_eq!(date(4, END), (12 * 28, 12 * 31));
        assert_eq!(date(2, START), (200 * 12, 73_049));
        assert_eq!(date(1, START), (200 * 12 * 9, 73_049));
        assert_eq!(date(6, END).0, 28);
        assert_eq!(candidates("{date:DD.MM.YYYY}", "01.02.1999", 0, END).0, 73_049);
    }

    proptest! {
        #[test]
        fn numbers_are_counted_as_one_by_one(
            first in 0u32..1_000, more in 0u32..1_000, begin in 0usize..3, end in 0usize..2, number in 0u32..1_000,
        ) {
            let last = (first + more).min(999);
            let numbers = Numbers::new(&[(0, &format!("{first:03}"), &format!("{last:03}"))]).unwrap();
            let text = format!("{number:03}");
            let (known, last_known) = (&text[..begin], &text[3 - end..]);
            let fits = |number: &u32| {
                let text = format!("{number:03}");
                text.starts_with(known) && text.ends_with(last_known)
            };
            let expected = (first..=last).filter(fits).count();
            let digits = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(numbers.with_digits(&digits(known), &digits(last_known)), expected as u64);
        }
    }
}
