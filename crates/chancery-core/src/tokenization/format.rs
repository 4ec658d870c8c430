//! The format of a profile's messages and tokens: checked once, then trusted.

use chancery_types::{Luhn, wire::token_profiles::TokenFormat};

use super::{
    alphabet::Alphabet,
    mask::{Mask, Reveals, values},
    prefix,
};
use crate::{Error, Limits, Result};

/// The fewest values that FF1 may permute (SP 800-38G Rev. 1, section 5.2).
const DOMAIN_MIN: u128 = 1_000_000;

/// Which values a profile takes, and which of their symbols become others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    pub(super) alphabet: Alphabet,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) keep_leading: usize,
    pub(super) keep_trailing: usize,
    /// Sorted.
    pub(super) pass_through: Box<[char]>,
    pub(super) luhn: Luhn,
    /// The symbols of every token, without the prefix.
    pub(super) token_length: Option<usize>,
    /// So many symbols in front of a token say its key version.
    pub(super) version_prefix: usize,
    pub(super) value_max: usize,
}

impl Format {
    /// Checks a format for FF1. Every refusal names the member and what would be accepted.
    pub(crate) fn compile(wire: &TokenFormat, limits: &Limits) -> Result<Self> {
        let format = Self::parse(wire, limits)?;
        format.check_domain()?;
        Ok(format)
    }

    /// Checks a format for random tokens, of which there may be few.
    pub(crate) fn for_vault(wire: &TokenFormat, limits: &Limits) -> Result<Self> {
        if wire.version_prefix.is_some() {
            let message = "Only Ff1 has a versionPrefix: the vault knows the key version of each token.";
            return Err(Error::value("/format/versionPrefix", message));
        }
        let format = Self::parse(wire, limits)?;
        if format.encrypted_at_min() == 0 {
            let message =
                "With luhn a message has a free symbol besides its check digit; raise minLength or keep fewer.";
            return Err(Error::value("/format/minLength", message));
        }
        Ok(format)
    }

    fn parse(wire: &TokenFormat, limits: &Limits) -> Result<Self> {
        // Without a wildcard: a member that is added must be dealt with here.
        let TokenFormat {
            alphabet,
            min_length,
            max_length,
            keep_leading,
            keep_trailing,
            pass_through,
            luhn,
            token_length,
            // With one there is no such format.
            pattern: _,
            version_prefix,
        } = wire;
        let missing = || Error::malformed("/format/alphabet", "This algorithm needs an alphabet.");
        let alphabet = Alphabet::parse(alphabet.as_deref().ok_or_else(missing)?)?;
        let mut format = Self {
            min: size(*min_length),
            max: size(*max_length),
            keep_leading: size(*keep_leading),
            keep_trailing: size(*keep_trailing),
            pass_through: parse_pass_through(pass_through, &alphabet)?,
            luhn: *luhn,
            token_length: token_length.map(size),
            version_prefix: version_prefix.map_or(0, size),
            value_max: limits.value_max,
            alphabet,
        };
        format.check_lengths(limits)?;
        format.check_luhn()?;
        format.check_version_prefix(*version_prefix)?;
        format.check_token_length(limits)?;
        Ok(format)
    }

    fn check_lengths(&self, limits: &Limits) -> Result<()> {
        if self.min == 0 {
            return Err(Error::value("/format/minLength", "minLength is at least 1."));
        }
        if self.max > limits.ff1_symbols_max {
            let message = format!("maxLength is at most {} for Ff1.", limits.ff1_symbols_max);
            return Err(Error::value("/format/maxLength", message));
        }
        if self.min > self.max {
            return Err(Error::value("/format/minLength", "minLength is at most maxLength."));
        }
        if self.keep_leading >= self.min {
            return Err(Error::value("/format/keepLeading", "keepLeading is less than minLength."));
        }
        if self.keep_leading.saturating_add(self.keep_trailing) >= self.min {
            let message = "keepLeading and keepTrailing together are less than minLength.";
            return Err(Error::value("/format/keepTrailing", message));
        }
        Ok(())
    }

    fn check_luhn(&self) -> Result<()> {
        if self.has_check_digit() && !self.alphabet.is_decimal() {
            return Err(Error::value(
                "/format/luhn",
                "Luhn is defined for the alphabet Decimal only; elsewhere: Ignore.",
            ));
        }
        Ok(())
    }

    fn check_version_prefix(&self, symbols: Option<u32>) -> Result<()> {
        let flaw = |message| Err(Error::value("/format/versionPrefix", message));
        match symbols {
            None => Ok(()),
            Some(symbols) if !(1..=prefix::SYMBOLS_MAX).contains(&symbols) => {
                flaw("versionPrefix is null or 1 to 4 symbols.")
            }
            // The prefix would be a digit of the number that passes or fails Luhn.
            Some(_) if self.has_check_digit() => flaw("versionPrefix goes with luhn Ignore only."),
            Some(_) => Ok(()),
        }
    }

    /// Refuses a key version that the prefix has no room for.
    pub(crate) fn check_holds_version(&self, version: u32) -> Result<()> {
        let symbols = u32::try_from(self.version_prefix).unwrap_or(u32::MAX);
        let max = prefix::version_max(self.alphabet.radix(), symbols);
        if self.tells_version() && version > max {
            let message = format!("A versionPrefix of {symbols} symbols tells the key versions 1 to {max}.");
            return Err(Error::value("/format/versionPrefix", message));
        }
        Ok(())
    }

    /// A prefix is a part of the fixed length.
    fn check_token_length(&mut self, limits: &Limits) -> Result<()> {
        let Some(length) = self.token_length else { return Ok(()) };
        let flaw = |message: String| Err(Error::value("/format/tokenLength", message));
        // Longer than every message also means: enough tokens for all of them, for the sum of radix^length over all
        // lengths up to maxLength is less than radix^(maxLength + 1).
        let encrypted = length.saturating_sub(self.version_prefix);
        if encrypted <= self.max || length > limits.ff1_symbols_max {
            let more = if self.version_prefix > 0 { " and versionPrefix together" } else { "" };
            let max = limits.ff1_symbols_max;
            return flaw(format!("tokenLength is greater than maxLength{more} and at most {max}."));
        }
        self.token_length = Some(encrypted);
        if self.keep_leading + self.keep_trailing > 0 {
            return flaw("tokenLength goes with keepLeading 0 and keepTrailing 0 only.".into());
        }
        if self.has_check_digit() {
            return flaw("tokenLength goes with luhn Ignore only.".into());
        }
        if !self.pass_through.is_empty() {
            return flaw(
                "tokenLength goes with an empty passThrough only: a token of another length has no such places.".into(),
            );
        }
        Ok(())
    }

    /// SP 800-38G Rev. 1: a smaller domain can be taken apart by its statistics.
    fn check_domain(&self) -> Result<()> {
        let symbols = self.encrypted_at_min();
        let exponent = u32::try_from(symbols).unwrap_or(u32::MAX);
        let domain = u128::from(self.alphabet.radix()).saturating_pow(exponent);
        if domain < DOMAIN_MIN {
            return Err(Error::value(
                "/format/minLength",
                format!(
                    "A message of minLength would have only {}^{symbols} = {domain} different values in its encrypted part; \
                     Ff1 needs at least 1,000,000. Raise minLength, keep fewer symbols or take a larger alphabet.",
                    self.alphabet.radix()
                ),
            ));
        }
        Ok(())
    }

    /// The symbols that FF1 encrypts in the shortest message: n of the domain radix^n.
    pub(crate) fn encrypted_at_min(&self) -> usize {
        let check_digit = usize::from(self.has_check_digit());
        self.token_length
            .unwrap_or_else(|| self.min.saturating_sub(self.keep_leading + self.keep_trailing + check_digit))
    }

    pub(crate) fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    pub(crate) fn luhn(&self) -> Luhn {
        self.luhn
    }

    /// Whether each token says its key version.
    pub(crate) const fn tells_version(&self) -> bool {
        self.version_prefix > 0
    }

    /// Whether every token has one length, longer than its message.
    pub(crate) fn has_token_length(&self) -> bool {
        self.token_length.is_some()
    }

    /// The shortest message.
    pub(crate) fn min(&self) -> usize {
        self.min
    }

    /// How many messages of so many symbols stay possible for one who sees the token and what is revealed.
    pub(crate) fn candidates(&self, symbols: usize, reveals: Reveals) -> u64 {
        let (start, end) = reveals.of_symbols(symbols);
        // What is shown at an end may overlap with what is kept there.
        let (leading, trailing) = (self.keep_leading.max(start), self.keep_trailing.max(end));
        let hidden = symbols.saturating_sub(leading + trailing);
        values(self.alphabet.radix(), hidden.saturating_sub(usize::from(self.has_check_digit())))
    }

    /// The same for the longest message, of which most stay possible.
    pub(crate) fn candidates_max(&self, reveals: Reveals) -> u64 {
        self.candidates(self.max, reveals)
    }

    /// Appends a message as somebody with a partial rule may see it.
    pub(crate) fn put_masked(&self, mask: &Mask, message: &str, out: &mut String) {
        let marked = message.chars().map(|character| (character, self.alphabet.digit(character).is_some()));
        mask.append(out, marked, |symbols, together| self.candidates(symbols, together));
    }

    /// How many of so many symbols go through FF1, without tokenLength.
    #[inline]
    pub(super) fn encrypted_of(&self, symbols: usize) -> usize {
        symbols - self.keep_leading - self.keep_trailing - usize::from(self.has_check_digit())
    }

    /// Where in so many symbols the check digit is: the last free one.
    #[inline]
    pub(super) const fn check_place(&self, symbols: usize) -> usize {
        symbols - self.keep_trailing - 1
    }

    /// Whether messages end their free part with a check digit.
    #[inline]
    pub(crate) fn has_check_digit(&self) -> bool {
        match self.luhn {
            Luhn::Ignore => false,
            Luhn::Valid | Luhn::Invalid => true,
        }
    }

    /// How much work a value of so many bytes is at most, in units of about 10 ns: FF1's cost grows with the square of
    /// the length.
    pub(crate) fn work(&self, bytes: usize) -> usize {
        let symbols = bytes.min(self.token_length.unwrap_or(self.max));
        bytes / 8 + symbols + symbols * symbols / 32
    }

    /// The member that keeps tokens of `old` from being tokens of this format for the same message, if one does.
    pub(crate) fn orphans_tokens_of(&self, old: &Self) -> Option<&'static str> {
        let Self {
            alphabet,
            min,
            max,
            keep_leading,
            keep_trailing,
            pass_through,
            luhn,
            token_length,
            version_prefix,
            value_max: _,
        } = self;
        // With tokenLength ranks are counted from the shortest message on.
        let min_changed = if token_length.is_some() { *min != old.min } else { *min > old.min };
        let changed = [
            ("/format/alphabet", *alphabet != old.alphabet),
            ("/format/minLength", min_changed),
            ("/format/maxLength", *max < old.max),
            ("/format/keepLeading", *keep_leading != old.keep_leading),
            ("/format/keepTrailing", *keep_trailing != old.keep_trailing),
            ("/format/passThrough", !old.pass_through.iter().all(|character| pass_through.contains(character))),
            ("/format/luhn", *luhn != old.luhn),
            ("/format/versionPrefix", *version_prefix != old.version_prefix),
            ("/format/tokenLength", *token_length != old.token_length),
        ];
        changed.into_iter().find_map(|(member, changed)| changed.then_some(member))
    }

    pub(crate) fn has_pass_through(&self) -> bool {
        !self.pass_through.is_empty()
    }

    pub(crate) fn passes_through(&self, character: char) -> bool {
        self.pass_through.binary_search(&character).is_ok()
    }
}

fn parse_pass_through(text: &str, alphabet: &Alphabet) -> Result<Box<[char]>> {
    if let Some(both) = text.chars().find(|&character| alphabet.digit(character).is_some()) {
        let message = format!("{both:?} is in the alphabet; passThrough has other characters only.");
        return Err(Error::value("/format/passThrough", message));
    }
    Ok(sorted(text))
}

/// The characters of a text, each once, sorted.
pub(super) fn sorted(text: &str) -> Box<[char]> {
    let mut characters: Vec<char> = text.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    characters.into()
}

/// A length on the wire; one that does not fit is larger than every limit.
pub(super) fn size(length: u32) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
