//! Messages of several lengths as numbers of one length, and back: what `tokenLength` needs.
//!
//! Messages are ranked by length, then value: the messages of length L begin at radix^min + … + radix^(L−1), which in
//! base radix is a run of ones, so ranking is one addition with carries on the digits themselves.

/// Widens the message in `digits[from..]`, of `min` symbols or more, to `width` digits holding its rank. `width` must
/// be greater than the longest message.
pub(crate) fn rank(digits: &mut Vec<u16>, from: usize, min: usize, width: usize, radix: u32) {
    let length = digits.len() - from;
    let zeros = width - length;
    digits.splice(from..from, std::iter::repeat_n(0, zeros));
    let places = &mut digits[from..];
    // Ones at the places min..length, counted from the right; the carry may reach the place after them.
    let mut carry = 0;
    for (place, digit) in places.iter_mut().rev().enumerate().skip(min) {
        let sum = u32::from(*digit) + u32::from(place < length) + carry;
        carry = u32::from(sum >= radix);
        *digit = low(sum - carry * radix);
    }
}

/// Takes [`rank`] back: the message is then at the end of `digits`, and its length is answered, or nothing where no
/// message of at most `max` symbols has that rank.
pub(crate) fn unrank(digits: &mut [u16], min: usize, max: usize, radix: u32) -> Option<usize> {
    for length in min..=max {
        let zeros = digits.len() - length;
        if digits[..zeros].iter().all(|&digit| digit == 0) {
            return Some(length);
        }
        subtract_at(digits, length, radix);
    }
    None
}

/// Subtracts radix^place; the number must not be smaller.
fn subtract_at(digits: &mut [u16], place: usize, radix: u32) {
    for digit in digits.iter_mut().rev().skip(place) {
        if *digit > 0 {
            *digit -= 1;
            return;
        }
        *digit = low(radix - 1);
    }
}

fn low(digit: u32) -> u16 {
    u16::try_from(digit).expect("digits are below the radix, which is at most 2^16")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All messages of 1 to 3 binary or ternary symbols, in order.
    fn messages(radix: u16, min: u32, max: u32) -> Vec<Vec<u16>> {
        let mut all = Vec::new();
        for length in min..=max {
            for value in 0..radix.pow(length) {
                all.push((0..length).rev().map(|place| value / radix.pow(place) % radix).collect());
            }
        }
        all
    }

    #[test]
    fn ranks_are_the_positions_in_the_list_of_all_messages() {
        for (radix, min, max, width) in [(2u16, 1u32, 3u32, 4u32), (3, 2, 4, 5), (10, 1, 2, 4), (2, 3, 3, 6)] {
            let all = messages(radix, min, max);
            for (position, message) in all.iter().enumerate() {
                let mut digits = vec![7];
                digits.extend(message);
                rank(&mut digits, 1, min as usize, width as usize, u32::from(radix));
                let value = digits[1..].iter().fold(0, |value, &digit| value * usize::from(radix) + usize::from(digit));
                assert_eq!((digits.len(), value), (1 + width as usize, position));
                let length = unrank(&mut digits[1..], min as usize, max as usize, u32::from(radix)).unwrap();
                assert_eq!((digits[0], &digits[1 + width as usize - length..]), (7, &message[..]));
            }
            for value in all.len()..usize::from(radix).pow(width) {
                let place = |place| u16::try_from(value / usize::from(radix).pow(place) % usize::from(radix)).unwrap();
                let mut digits: Vec<u16> = (0..width).rev().map(place).collect();
                assert_eq!(unrank(&mut digits, min as usize, max as usize, u32::from(radix)), None, "{value}");
            }
        }
    }

    #[test]
    fn the_largest_radix() {
        let message = vec![u16::MAX, u16::MAX];
        let mut digits = message.clone();
        rank(&mut digits, 0, 1, 3, 1 << 16);
        assert_eq!(digits, [1, 0, u16::MAX]);
        assert_eq!(unrank(&mut digits, 1, 2, 1 << 16), Some(2));
        assert_eq!(digits[1..], message);
    }
}
