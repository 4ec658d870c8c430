//! What a profile's messages and tokens look like: the part of a specification that is checked without the store.

use chancery_types::{
    Luhn, TokenAlgorithm,
    wire::token_profiles::{PatchTokenFormat, TokenFormat},
};

use super::{
    advisor::Space,
    format::Format,
    mask::Reveals,
    pattern::{CHECK_DIGITS, Pattern},
    text_format::TextFormat,
};
use crate::{Error, Limits, Result, tokenization::rules::Messages};

/// The fewest values that FF1 may permute (SP 800-38G Rev. 1, section 5.2).
const DOMAIN_MIN: f64 = 1e6;

/// A checked format, of whichever kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Symbols of an alphabet become others of the same alphabet.
    Symbols(Format),
    /// Groups of structured values become others.
    Pattern(Pattern),
    /// Any text becomes another.
    Text(TextFormat),
}

impl Shape {
    /// Checks the format of a profile with this algorithm.
    pub(crate) fn compile(algorithm: TokenAlgorithm, wire: &TokenFormat, limits: &Limits) -> Result<Self> {
        if takes_text(algorithm) {
            return Ok(Self::Text(TextFormat::compile(algorithm, wire, limits)?));
        }
        if wire.pattern.is_none() {
            let vaulted = algorithm == TokenAlgorithm::Random;
            let format = if vaulted { Format::for_vault(wire, limits) } else { Format::compile(wire, limits) };
            return Ok(Self::Symbols(format?));
        }
        let shape = Self::Pattern(Pattern::compile(wire, limits)?);
        match shape.space() {
            Some(space) if algorithm == TokenAlgorithm::Ff1 && space.size() < DOMAIN_MIN => {
                let message = format!(
                    "The encrypted groups of the shortest message have only {} different values; Ff1 needs at least \
                     1,000,000. Encrypt more, or take the algorithm Random.",
                    space.decimal()
                );
                Err(Error::value("/format/pattern", message))
            }
            Some(_) | None => Ok(shape),
        }
    }

    /// What Control Rules need to know of messages.
    pub(crate) fn messages(&self) -> Messages {
        match self {
            Self::Symbols(format) => {
                Messages { length_min: format.min(), check_digits: usize::from(format.has_check_digit()) }
            }
            Self::Pattern(pattern) => Messages {
                length_min: pattern.lengths().0,
                check_digits: if pattern.has_check_digits() { CHECK_DIGITS } else { 0 },
            },
            Self::Text(format) => Messages { length_min: format.min(), check_digits: 0 },
        }
    }

    /// How many messages stay possible for one who sees a token and what is revealed, where they are most: for the longest
    /// message.
    pub(crate) fn candidates_max(&self, reveals: Reveals) -> u64 {
        match self {
            Self::Symbols(format) => format.candidates_max(reveals),
            Self::Pattern(pattern) => pattern.candidates_max(reveals),
            Self::Text(format) => format.candidates_max(reveals),
        }
    }

    /// Whether messages are written with this character; any text is written with any.
    pub(crate) fn has_symbol(&self, character: char) -> bool {
        match self {
            Self::Symbols(format) => format.alphabet().digit(character).is_some(),
            Self::Pattern(pattern) => pattern.has_symbol(character),
            Self::Text(_) => false,
        }
    }

    /// The member that keeps tokens of `old` from being tokens of this one for the same message, if one does.
    pub(crate) fn orphans_tokens_of(&self, old: &Self) -> Option<&'static str> {
        match (self, old) {
            (Self::Symbols(new), Self::Symbols(old)) => new.orphans_tokens_of(old),
            (Self::Text(new), Self::Text(old)) => new.orphans_tokens_of(old),
            (Self::Pattern(new), Self::Pattern(old)) => new.orphans_tokens_of(old),
            (Self::Symbols(_) | Self::Text(_), Self::Pattern(_))
            | (Self::Pattern(_), Self::Symbols(_) | Self::Text(_)) => Some("/format/pattern"),
            (Self::Symbols(_), Self::Text(_)) | (Self::Text(_), Self::Symbols(_)) => Some("/format"),
        }
    }

    /// How many values the encrypted part of the shortest message can have; unknown where messages are any text.
    pub(crate) fn space(&self) -> Option<Space> {
        match self {
            // With tokenLength the cipher works on more symbols than the messages have.
            Self::Symbols(format) => {
                Some(Space(vec![(format.alphabet().radix(), format.encrypted_at_min().min(format.min()))]))
            }
            Self::Pattern(pattern) => Some(Space(pattern.domain_min())),
            Self::Text(_) => None,
        }
    }

    /// How many tokens the shortest message could have.
    pub(crate) fn token_space(&self) -> Option<Space> {
        match self {
            Self::Symbols(format) => Some(Space(vec![(format.alphabet().radix(), format.encrypted_at_min())])),
            Self::Pattern(_) | Self::Text(_) => self.space(),
        }
    }

    /// Whether a permutation of the values may leave one as it is.
    pub(crate) fn may_equal_message(&self) -> bool {
        match self {
            Self::Symbols(format) => format.luhn() != Luhn::Invalid && !format.has_token_length(),
            Self::Pattern(_) => true,
            Self::Text(_) => false,
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
        return patched_format(TextFormat::default_wire(limits), format.unwrap_or_default(), limits);
    }
    let needed = |field: &str| Error::malformed(field, format!("{algorithm} needs this member."));
    let format = format.ok_or_else(|| needed("/format"))?;
    if let Some(Some(_)) = &format.pattern {
        return patched_format(TextFormat::default_wire(limits), format, limits);
    }
    let base = TokenFormat {
        alphabet: Some(format.alphabet.clone().ok_or_else(|| needed("/format/alphabet"))?),
        min_length: format.min_length.ok_or_else(|| needed("/format/minLength"))?,
        max_length: format.max_length.ok_or_else(|| needed("/format/maxLength"))?,
        ..TextFormat::default_wire(limits)
    };
    patched_format(base, format, limits)
}

/// A format with what a patch changes. A new pattern brings its own symbols and lengths.
pub(crate) fn patched_format(old: TokenFormat, patch: PatchTokenFormat, limits: &Limits) -> Result<TokenFormat> {
    let old = match &patch.pattern {
        Some(Some(pattern)) => {
            let (min_length, max_length) = Pattern::lengths_of(pattern, limits)?;
            TokenFormat { alphabet: None, min_length, max_length, ..old }
        }
        Some(None) | None => old,
    };
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
    Ok(TokenFormat {
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
    })
}
