//! `versionPrefix`: symbols in front of an Ff1 token that say its key version, in the alphabet's radix.

use super::{alphabet::Alphabet, refusal::BadValue};

/// The longest prefix: even in binary it numbers 15 versions, in decimal 9,999.
pub(crate) const SYMBOLS_MAX: u32 = 4;

/// The largest version that a prefix of so many symbols tells.
pub(crate) fn version_max(radix: u32, symbols: u32) -> u32 {
    u32::try_from(u64::from(radix).saturating_pow(symbols).saturating_sub(1)).unwrap_or(u32::MAX)
}

/// Appends the prefix of a version that is not above [`version_max`].
pub(crate) fn write(version: u32, symbols: usize, alphabet: &Alphabet, out: &mut String) {
    let radix = alphabet.radix();
    let place = |power: usize| {
        let power = u32::try_from(power).unwrap_or(u32::MAX);
        let digit = u64::from(version) / u64::from(radix).saturating_pow(power) % u64::from(radix);
        alphabet.symbol(u16::try_from(digit).expect("digits are below the radix, which is at most 2^16"))
    };
    out.extend((0..symbols).rev().map(place));
}

/// The version that a token tells, and the token without its prefix.
pub(crate) fn split<'t>(token: &'t str, symbols: usize, alphabet: &Alphabet) -> Result<(u32, &'t str), BadValue> {
    let mut version = 0u64;
    let mut rest = token.chars();
    for position in 0..symbols {
        let Some(symbol) = rest.next() else {
            return Err(BadValue::TooShort { symbols: position, min: symbols });
        };
        let digit = alphabet.digit(symbol).ok_or(BadValue::NotInAlphabet { position })?;
        version = version * u64::from(alphabet.radix()) + u64::from(digit);
    }
    // A version that does not fit is above every version that there is.
    Ok((u32::try_from(version).unwrap_or(u32::MAX), rest.as_str()))
}

impl BadValue {
    /// The refusal of a token whose prefix of so many symbols was cut off before.
    pub(crate) fn after_prefix(self, cut: usize) -> Self {
        match self {
            Self::TooShort { symbols, min } => Self::TooShort { symbols: symbols + cut, min: min + cut },
            Self::TooLong { symbols, max } => Self::TooLong { symbols: symbols + cut, max: max + cut },
            Self::NotInAlphabet { position } => Self::NotInAlphabet { position: position + cut },
            Self::TooLarge { .. }
            | Self::Luhn
            | Self::NoSuchToken
            | Self::NotInVault
            | Self::Unreadable
            | Self::Full { .. }
            | Self::Length { .. }
            | Self::NotAuthentic
            | Self::Version { .. }
            | Self::OtherVersion { .. }
            | Self::Iv { .. }
            | Self::Track(_)
            | Self::Pattern(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_written_in_the_alphabets_radix_and_read_again() {
        for (alphabet, symbols, version, text) in [
            ("Decimal", 1, 9, "9"),
            ("Decimal", 4, 12, "0012"),
            ("01", 4, 5, "0101"),
            ("LowerHex", 2, 255, "ff"),
            ("UpperAlpha", 2, 1, "AB"),
            ("äöü", 2, 5, "öü"),
        ] {
            let alphabet = Alphabet::parse(alphabet).unwrap();
            let mut out = String::new();
            write(version, symbols, &alphabet, &mut out);
            assert_eq!(out, text);
            out.push_str("and the rest");
            assert_eq!(split(&out, symbols, &alphabet), Ok((version, "and the rest")));
        }
    }

    #[test]
    fn a_prefix_that_cannot_be_is_refused() {
        let decimal = Alphabet::parse("Decimal").unwrap();
        assert_eq!(split("1x3", 2, &decimal), Err(BadValue::NotInAlphabet { position: 1 }));
        assert_eq!(split("1", 2, &decimal), Err(BadValue::TooShort { symbols: 1, min: 2 }));
        let widest: String = ('\u{100}'..).take(1 << 16).collect();
        let widest = Alphabet::parse(&widest).unwrap();
        let last = widest.symbol(u16::MAX).to_string().repeat(4);
        assert_eq!(split(&last, 4, &widest), Ok((u32::MAX, "")));
    }

    #[test]
    fn so_many_versions_fit() {
        assert_eq!(version_max(10, 1), 9);
        assert_eq!(version_max(2, 4), 15);
        assert_eq!(version_max(1 << 16, 2), u32::MAX);
        assert_eq!(version_max(1 << 16, 4), u32::MAX);
    }
}
