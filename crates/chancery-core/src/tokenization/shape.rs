//! What a profile's messages and tokens look like: the part of a specification that is checked without the store.

use chancery_types::{
    TokenAlgorithm,
    wire::token_profiles::{PatchTokenFormat, TokenFormat},
};

use super::{format::Format, text_format::TextFormat};
use crate::{Error, Limits, Result, access::Messages};

/// A checked format, of either kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Symbols of an alphabet become others of the same alphabet.
    Symbols(Format),
    /// Any text becomes another.
    Text(TextFormat),
}

impl Shape {
    /// Checks the format of a profile with this algorithm.
    pub(crate) fn compile(algorithm: TokenAlgorithm, wire: &TokenFormat, limits: &Limits) -> Result<Self> {
        Ok(if takes_text(algorithm) {
            Self::Text(TextFormat::compile(algorithm, wire, limits)?)
        } else {
            Self::Symbols(Format::compile(wire, limits)?)
        })
    }

    /// What Control Rules need to know of messages.
    pub(crate) fn messages(&self) -> Messages {
        match self {
            Self::Symbols(format) => Messages { length_min: format.min(), luhn: format.has_check_digit() },
            Self::Text(format) => Messages { length_min: format.min(), luhn: false },
        }
    }

    /// The member that keeps tokens of `old` from being tokens of this one for the same message, if one does.
    pub(crate) fn orphans_tokens_of(&self, old: &Self) -> Option<&'static str> {
        match (self, old) {
            (Self::Symbols(new), Self::Symbols(old)) => new.orphans_tokens_of(old),
            (Self::Text(new), Self::Text(old)) => new.orphans_tokens_of(old),
            (Self::Symbols(_), Self::Text(_)) | (Self::Text(_), Self::Symbols(_)) => Some("/format"),
        }
    }
}

/// Whether messages are any text, and not symbols of an alphabet.
pub(crate) const fn takes_text(algorithm: TokenAlgorithm) -> bool {
    match algorithm {
        TokenAlgorithm::AesSiv | TokenAlgorithm::AesGcm | TokenAlgorithm::Hmac => true,
        TokenAlgorithm::Ff1 | TokenAlgorithm::Random => false,
    }
}

/// The format of a new profile: what was asked for, and the defaults.
pub(crate) fn new_format(
    algorithm: TokenAlgorithm,
    format: Option<PatchTokenFormat>,
    limits: &Limits,
) -> Result<TokenFormat> {
    if takes_text(algorithm) {
        return Ok(patched_format(TextFormat::default_wire(limits), format.unwrap_or_default()));
    }
    let needed = |field: &str| Error::malformed(field, format!("{algorithm} needs this member."));
    let format = format.ok_or_else(|| needed("/format"))?;
    let base = TokenFormat {
        alphabet: Some(format.alphabet.clone().ok_or_else(|| needed("/format/alphabet"))?),
        min_length: format.min_length.ok_or_else(|| needed("/format/minLength"))?,
        max_length: format.max_length.ok_or_else(|| needed("/format/maxLength"))?,
        ..TextFormat::default_wire(limits)
    };
    Ok(patched_format(base, format))
}

/// A format with what a patch changes.
pub(crate) fn patched_format(old: TokenFormat, patch: PatchTokenFormat) -> TokenFormat {
    let PatchTokenFormat {
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
    } = patch;
    TokenFormat {
        alphabet: alphabet.or(old.alphabet),
        min_length: min_length.unwrap_or(old.min_length),
        max_length: max_length.unwrap_or(old.max_length),
        keep_leading: keep_leading.unwrap_or(old.keep_leading),
        keep_trailing: keep_trailing.unwrap_or(old.keep_trailing),
        pass_through: pass_through.unwrap_or(old.pass_through),
        luhn: luhn.unwrap_or(old.luhn),
        token_length: token_length.unwrap_or(old.token_length),
        pattern: pattern.unwrap_or(old.pattern),
        version_prefix: version_prefix.unwrap_or(old.version_prefix),
    }
}
