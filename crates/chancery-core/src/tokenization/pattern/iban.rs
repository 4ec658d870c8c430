//! The check digits of an IBAN (ISO 13616; ISO/IEC 7064, MOD 97-10).

/// How many there are.
pub(crate) const CHECK_DIGITS: usize = 2;

/// How many characters, the country's, stand before them.
pub(super) const BEFORE: usize = 2;

/// The check digits that belong to a value; what stands in their place does not matter. All characters are digits or
/// capital letters, and there are [`BEFORE`] and [`CHECK_DIGITS`] at least.
pub(super) fn check_digits(value: &[char]) -> [char; CHECK_DIGITS] {
    let (country, rest) = value.split_at(BEFORE);
    let moved = rest[CHECK_DIGITS..].iter().chain(country).chain(&['0'; CHECK_DIGITS]);
    let remainder = moved.fold(0, |remainder, &character| {
        // Letters count as two digits: A is 10.
        let number = character.to_digit(36).unwrap_or_default();
        (remainder * if number < 10 { 10 } else { 100 } + number) % 97
    });
    // From 02 to 98: 00, 01 and 99 have the same remainders as 97, 98 and 02, and are not used.
    let check = 98 - remainder;
    [check / 10, check % 10].map(|digit| char::from_digit(digit, 10).unwrap_or('0'))
}

/// Whether a character may stand in an IBAN.
pub(super) fn holds(character: char) -> bool {
    character.is_ascii_digit() || character.is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of the registry of the standard's maintainer.
    #[test]
    fn published_examples() {
        for iban in [
            "AL47212110090000000235698741",
            "BE68539007547034",
            "CH9300762011623852957",
            "DE89370400440532013000",
            "FR1420041010050500013M02606",
            "GB29NWBK60161331926819",
            "MT84MALT011000012345MTLCAST001S",
            "NO9386011117947",
            "SA0380000000608010167519",
        ] {
            let value: Vec<char> = iban.chars().collect();
            assert_eq!(check_digits(&value)[..], value[2..4], "{iban}");
        }
    }
}
