//! The format of algorithms that take any text: only how long messages may be.

use chancery_types::{Luhn, TokenAlgorithm, wire::token_profiles::TokenFormat};

use super::{
    format::size,
    mask::{Reveals, values},
    refusal::BadValue,
};
use crate::{Error, Limits, Result};

/// How long messages may be, in characters (Unicode scalar values).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFormat {
    min: usize,
    max: usize,
    bytes_max: usize,
}

impl TextFormat {
    /// Checks a format for an algorithm that takes any text. Every other member must have its default: what is ignored
    /// today would change its meaning tomorrow.
    pub(crate) fn compile(algorithm: TokenAlgorithm, wire: &TokenFormat, limits: &Limits) -> Result<Self> {
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
            pattern,
            version_prefix,
        } = wire;
        let of_symbols = [
            ("/format/alphabet", alphabet.is_some()),
            ("/format/keepLeading", *keep_leading != 0),
            ("/format/keepTrailing", *keep_trailing != 0),
            ("/format/passThrough", !pass_through.is_empty()),
            ("/format/luhn", *luhn != Luhn::Ignore),
            ("/format/tokenLength", token_length.is_some()),
            ("/format/pattern", pattern.is_some()),
            ("/format/versionPrefix", version_prefix.is_some()),
        ];
        if let Some((field, _)) = of_symbols.into_iter().find(|(_, given)| *given) {
            let message = format!("{algorithm} takes any text: of a format it has minLength and maxLength only.");
            return Err(Error::value(field, message));
        }
        let format = Self { min: size(*min_length), max: size(*max_length), bytes_max: limits.value_max };
        if format.min == 0 {
            return Err(Error::value("/format/minLength", "minLength is at least 1."));
        }
        if format.max > limits.value_max {
            let message = format!("maxLength is at most {}: a value has no more bytes.", limits.value_max);
            return Err(Error::value("/format/maxLength", message));
        }
        if format.min > format.max {
            return Err(Error::value("/format/minLength", "minLength is at most maxLength."));
        }
        Ok(format)
    }

    /// The format where nothing is said.
    pub(crate) fn default_wire(limits: &Limits) -> TokenFormat {
        TokenFormat {
            alphabet: None,
            min_length: 1,
            max_length: u32::try_from(limits.value_max).unwrap_or(u32::MAX),
            keep_leading: 0,
            keep_trailing: 0,
            pass_through: String::new(),
            luhn: Luhn::Ignore,
            token_length: None,
            pattern: None,
            version_prefix: None,
        }
    }

    /// The shortest message, in characters.
    pub(crate) fn min(&self) -> usize {
        self.min
    }

    /// The most bytes of a message.
    pub(crate) const fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    /// Refuses a message that is too long or too short.
    pub(crate) fn check(&self, message: &str) -> Result<(), BadValue> {
        if message.len() > self.bytes_max {
            return Err(BadValue::TooLarge { bytes_max: self.bytes_max });
        }
        let characters = message.chars().count();
        if !(self.min..=self.max).contains(&characters) {
            return Err(BadValue::Length { characters, min: self.min, max: self.max });
        }
        Ok(())
    }

    /// How many messages of so many characters stay possible for one who sees what is revealed. Any character may
    /// stand in a text; no more are counted than most texts are written with.
    pub(crate) fn candidates(characters: usize, reveals: Reveals) -> u64 {
        /// The printable characters of ASCII.
        const USUAL: u32 = 95;
        let (start, end) = reveals.of_symbols(characters);
        values(USUAL, characters - start - end)
    }

    /// The same for the longest message, of which most stay possible.
    pub(crate) fn candidates_max(&self, reveals: Reveals) -> u64 {
        Self::candidates(self.max, reveals)
    }

    /// The member that keeps messages of `old` from coming out of their tokens, if one does.
    pub(crate) fn orphans_tokens_of(&self, old: &Self) -> Option<&'static str> {
        let changed = [("/format/minLength", self.min > old.min), ("/format/maxLength", self.max < old.max)];
        changed.into_iter().find_map(|(member, changed)| changed.then_some(member))
    }
}
