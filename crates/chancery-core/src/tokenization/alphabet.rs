//! Alphabets: which symbols a value is made of, and the digit that each stands for.

use crate::{Error, Result};

/// The most symbols that FF1 can tell apart.
const SYMBOLS_MAX: usize = 1 << 16;

/// Symbols in the order of their digits. The order is frozen: another order would orphan tokens.
const BUILT_IN: [(&str, &[&str]); 8] = [
    ("Decimal", &[DIGITS]),
    ("LowerHex", &[DIGITS, "abcdef"]),
    ("UpperHex", &[DIGITS, "ABCDEF"]),
    ("LowerAlpha", &[LOWER]),
    ("UpperAlpha", &[UPPER]),
    ("Alphabetic", &[UPPER, LOWER]),
    ("AlphaNumeric", &[DIGITS, UPPER, LOWER]),
    ("Printable", &[" !\"#$%&'()*+,-./", DIGITS, ":;<=>?@", UPPER, "[\\]^_`", LOWER, "{|}~"]),
];

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A set of symbols, each with its digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alphabet {
    symbols: Box<[char]>,
    /// The digit of each ASCII character, or [`NO_DIGIT`].
    ascii: Box<[u32; 128]>,
    /// The digits of all other symbols, sorted by symbol.
    others: Box<[(char, u16)]>,
    /// See [`Self::is_decimal`].
    decimal: bool,
}

/// What no digit is: digits are below 2¹⁶.
const NO_DIGIT: u32 = u32::MAX;

impl Alphabet {
    /// The alphabet that a profile's `alphabet` names or lists.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let flaw = |message: String| Error::value("/format/alphabet", message);
        if let Some(symbols) = built_in(text) {
            return Ok(Self::index(symbols.into()));
        }
        // Several names in other letter case ("decimal") would pass as symbols, and nobody means that.
        if let Some((name, _)) = BUILT_IN.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Err(flaw(format!("The built-in alphabet is spelled {name}.")));
        }
        let symbols: Box<[char]> = text.chars().take(SYMBOLS_MAX + 1).collect();
        if !(2..=SYMBOLS_MAX).contains(&symbols.len()) {
            return Err(flaw(format!("An alphabet is {} or 2 to 65,536 different characters.", names())));
        }
        let mut sorted = symbols.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(flaw(format!(
                "An alphabet is {} or 2 to 65,536 different characters; {:?} occurs twice.",
                names(),
                twice[0]
            )));
        }
        Ok(Self::index(symbols))
    }

    /// The alphabet of these symbols: distinct, and at most 65,536.
    pub(crate) fn index(symbols: Box<[char]>) -> Self {
        let mut ascii = Box::new([NO_DIGIT; 128]);
        let mut others = Vec::new();
        for (digit, &symbol) in (0..=u16::MAX).zip(&symbols) {
            match ascii.get_mut(symbol as usize) {
                Some(place) => *place = u32::from(digit),
                None => others.push((symbol, digit)),
            }
        }
        others.sort_unstable();
        let decimal = symbols.iter().copied().eq(DIGITS.chars());
        Self { symbols, ascii, others: others.into(), decimal }
    }

    /// How many symbols there are: at most 65,536.
    pub(crate) fn radix(&self) -> u32 {
        u32::try_from(self.symbols.len()).expect("parse takes at most 2^16 symbols")
    }

    /// Whether the symbols are the decimal digits, each standing for itself: what Luhn is defined for.
    pub(crate) fn is_decimal(&self) -> bool {
        self.decimal
    }

    /// Appends the digits of a decimal number, which most values are, all at once. False, and nothing appended, for
    /// anything else.
    #[inline]
    pub(crate) fn read_decimal(&self, text: &str, digits: &mut Vec<u16>) -> bool {
        // Without a way out in between, so that many bytes are looked at together.
        let is_number = self.decimal && text.bytes().fold(true, |so_far, byte| so_far & byte.is_ascii_digit());
        if is_number {
            digits.extend(text.bytes().map(|byte| u16::from(byte - b'0')));
        }
        is_number
    }

    /// Appends the symbols of digits, which must be below the radix.
    #[inline]
    pub(crate) fn write(&self, digits: &[u16], out: &mut String) {
        if !self.decimal {
            out.extend(digits.iter().map(|&digit| self.symbol(digit)));
            return;
        }
        for digits in digits.chunks(32) {
            let mut bytes = [b'0'; 32];
            bytes.iter_mut().zip(digits).for_each(|(byte, &digit)| *byte += digit as u8);
            out.push_str(std::str::from_utf8(&bytes[..digits.len()]).expect("digits below 10 make ASCII"));
        }
    }

    /// Appends the symbols of digits in UTF-8.
    #[inline]
    pub(crate) fn write_bytes(&self, digits: &[u16], out: &mut Vec<u8>) {
        if self.decimal {
            out.extend(digits.iter().map(|&digit| b'0' + digit as u8));
        } else {
            let mut buffer = [0; 4];
            digits.iter().for_each(|&digit| out.extend(self.symbol(digit).encode_utf8(&mut buffer).as_bytes()));
        }
    }

    /// The digit that a character stands for, if it is a symbol.
    #[inline]
    pub(crate) fn digit(&self, symbol: char) -> Option<u16> {
        match self.ascii.get(symbol as usize) {
            Some(&digit) => u16::try_from(digit).ok(),
            None => {
                let found = self.others.binary_search_by_key(&symbol, |&(other, _)| other);
                found.ok().map(|index| self.others[index].1)
            }
        }
    }

    /// All symbols, in the order of their digits.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = char> {
        self.symbols.iter().copied()
    }

    /// The symbol of a digit, which must be below the radix.
    #[inline]
    pub(crate) fn symbol(&self, digit: u16) -> char {
        self.symbols[usize::from(digit)]
    }
}

/// The symbols of a built-in alphabet.
pub(crate) fn built_in(name: &str) -> Option<Vec<char>> {
    let (_, parts) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name)?;
    Some(parts.iter().flat_map(|part| part.chars()).collect())
}

/// The built-in alphabets, for messages.
pub(crate) fn names() -> String {
    BUILT_IN.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    fn symbols(text: &str) -> String {
        Alphabet::parse(text).unwrap().symbols.iter().collect()
    }

    #[test]
    fn built_in_alphabets_are_frozen() {
        assert_eq!(symbols("Decimal"), "0123456789");
        assert_eq!(symbols("LowerHex"), "0123456789abcdef");
        assert_eq!(symbols("UpperHex"), "0123456789ABCDEF");
        assert_eq!(symbols("LowerAlpha"), "abcdefghijklmnopqrstuvwxyz");
        assert_eq!(symbols("UpperAlpha"), "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_eq!(symbols("Alphabetic"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        assert_eq!(symbols("AlphaNumeric"), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        assert_eq!(symbols("Printable"), (' '..='~').collect::<String>());
    }

    #[test]
    fn every_digit_has_its_symbol_and_back() {
        let widest: String = ('\0'..=char::MAX).take(SYMBOLS_MAX).collect();
        for text in ["Decimal", "Printable", "01", "häß🂡z", widest.as_str()] {
            let alphabet = Alphabet::parse(text).unwrap();
            for digit in 0..alphabet.radix() {
                let digit = u16::try_from(digit).unwrap();
                assert_eq!(alphabet.digit(alphabet.symbol(digit)), Some(digit));
            }
            assert_eq!(alphabet.digit('\u{10FFFF}'), None);
        }
        assert_eq!(Alphabet::parse("häß🂡z").unwrap().digit('a'), None);
        assert_eq!(Alphabet::parse("häß🂡z").unwrap().digit('ö'), None);
    }

    #[test]
    fn only_the_decimal_digits_in_order_are_decimal() {
        assert!(Alphabet::parse("Decimal").unwrap().is_decimal());
        assert!(Alphabet::parse("0123456789").unwrap().is_decimal());
        assert!(!Alphabet::parse("1234567890").unwrap().is_decimal());
        assert!(!Alphabet::parse("LowerHex").unwrap().is_decimal());
    }

    #[test]
    fn refuses_repetitions_misspelled_names_and_wrong_sizes() {
        let too_many: String = ('\0'..=char::MAX).take(SYMBOLS_MAX + 1).collect();
        for (text, part) in [
            ("", "2 to 65,536"),
            ("0", "2 to 65,536"),
            (too_many.as_str(), "2 to 65,536"),
            ("0120", "'0' occurs twice"),
            ("decimal", "spelled Decimal"),
            ("ALPHANUMERIC", "spelled AlphaNumeric"),
        ] {
            let error = Alphabet::parse(text).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some("/format/alphabet")));
            assert!(error.message().contains(part), "{error}");
        }
    }
}
