//! Alphabets of printable ASCII, mapped to digits and back without look-ups or branches on the symbol.

use crate::Error;

/// The symbols of a text in the order of their digits: the symbol at index 0 is the digit 0.
///
/// A value is plain data: sharing and copying it costs nothing worth avoiding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Alphabet {
    symbols: [u8; MOST],
    size: usize,
}

/// All printable ASCII characters, space included.
const MOST: usize = 95;

/// Consecutive characters that stand for consecutive digits.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) symbol: u8,
    pub(crate) digit: u8,
    pub(crate) count: u8,
}

impl Alphabet {
    /// `0-9`
    pub const DECIMAL: Self = Self::known("0123456789");
    /// `0-9a-f`
    pub const LOWER_HEX: Self = Self::known("0123456789abcdef");
    /// `0-9A-F`
    pub const UPPER_HEX: Self = Self::known("0123456789ABCDEF");
    /// `a-z`
    pub const LOWER_ALPHA: Self = Self::known("abcdefghijklmnopqrstuvwxyz");
    /// `A-Z`
    pub const UPPER_ALPHA: Self = Self::known("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    /// `A-Za-z`
    pub const ALPHABETIC: Self = Self::known("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    /// `0-9a-z`, the alphabet of the standard's samples with radix 36
    pub const LOWER_ALPHANUMERIC: Self = Self::known("0123456789abcdefghijklmnopqrstuvwxyz");
    /// `0-9A-Za-z`
    pub const ALPHANUMERIC: Self = Self::known("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    /// The 94 visible ASCII characters in the order of their codes, `!` to `~`; space is not among them
    pub const PRINTABLE: Self = Self::known(concat!(
        "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`",
        "abcdefghijklmnopqrstuvwxyz{|}~",
    ));

    /// An alphabet of 2..=95 distinct printable ASCII characters (0x20..=0x7E), in the order given.
    ///
    /// # Errors
    /// [`Error::Alphabet`]
    pub const fn new(symbols: &str) -> Result<Self, Error> {
        let bytes = symbols.as_bytes();
        if bytes.len() < 2 || bytes.len() > MOST {
            return Err(Error::Alphabet);
        }
        let mut alphabet = Self { symbols: [0; MOST], size: bytes.len() };
        let mut seen = 0u128;
        let mut i = 0;
        while i < bytes.len() {
            let symbol = bytes[i];
            if symbol < b' ' || symbol > b'~' || seen >> symbol & 1 == 1 {
                return Err(Error::Alphabet);
            }
            seen |= 1 << symbol;
            alphabet.symbols[i] = symbol;
            i += 1;
        }
        Ok(alphabet)
    }

    const fn known(symbols: &str) -> Self {
        match Self::new(symbols) {
            Ok(alphabet) => alphabet,
            Err(_) => panic!("the constants above are distinct printable characters"),
        }
    }

    /// Number of symbols: the radix.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.size as u32
    }

    /// The symbols in the order of their digits.
    #[must_use]
    pub const fn symbols(&self) -> &[u8] {
        self.symbols.split_at(self.size).0
    }

    /// The alphabet cut into as few runs as it has: one for decimal, three for alphanumeric.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let follows = |a: &u8, b: &u8| a + 1 == *b;
        self.symbols().chunk_by(follows).scan(0, |digit, run| {
            let count = run.len() as u8;
            *digit += count;
            Some(Run { symbol: run[0], digit: *digit - count, count })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_an_alphabet() {
        for symbols in ["", "0", "00", "aba", "é0", "a\n", "a\u{7f}"] {
            assert_eq!(Alphabet::new(symbols), Err(Error::Alphabet), "{symbols:?}");
        }
        let all: alloc::string::String = (' '..='~').collect();
        assert_eq!(Alphabet::new(&all).map(|a| a.size()), Ok(95));
    }

    #[test]
    fn runs_are_as_few_as_possible() {
        assert_eq!(Alphabet::DECIMAL.runs().count(), 1);
        assert_eq!(Alphabet::ALPHANUMERIC.runs().count(), 3);
        assert_eq!(Alphabet::PRINTABLE.runs().count(), 1);
        assert_eq!(Alphabet::PRINTABLE.size(), 94);
        assert_eq!(Alphabet::new("ba").map(|a| a.runs().count()), Ok(2));
    }
}
