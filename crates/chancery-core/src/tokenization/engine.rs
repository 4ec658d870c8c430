//! What makes tokens of messages: one cipher for each profile, of the kind that its algorithm is.

mod decimal;
mod ff1;
mod iv;
#[cfg(test)]
mod measure;
mod pattern;
mod text;

use std::{ops::Range, sync::Arc};

use chancery_keys::{DataError, DataKey};
use chancery_types::{TokenAlgorithm, TokenProfileId, wire::Texts};

use super::{batch, refusal::BadValue, shape::Shape, vault::Vault, versions::Versions};
use crate::{
    Error, Result,
    access::{DetokenizeGrant, TokenizeGrant},
};

pub(crate) use ff1::Ff1Engine;
pub(crate) use iv::{Iv, IvKind};
pub(crate) use pattern::PatternEngine;
pub(crate) use text::{TextCipher, TextEngine, one_way};

/// The cipher of one profile.
pub(crate) enum Engine {
    /// Symbols to symbols of the same alphabet.
    Ff1(Box<Ff1Engine>),
    /// Groups of structured values to others.
    Pattern(Box<PatternEngine>),
    /// Any text to base64url text.
    Text(TextEngine),
    /// Random tokens, kept in the store: [`vault`](super::vault) has the ways to them and back.
    Random(Arc<Vault>),
}

/// What became of a batch.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// In the order of the values; `null` where a value was refused.
    pub(crate) texts: Texts,
    /// Which values were refused (from 0, in order), and why.
    pub(crate) bad: Vec<(usize, BadValue)>,
}

impl Engine {
    /// The engine of an algorithm under these versions of a key. Tokens of one domain are of no other.
    pub(crate) fn new(
        algorithm: TokenAlgorithm,
        shape: Shape,
        domain: TokenProfileId,
        keys: &Versions<Arc<DataKey>>,
    ) -> Result<Self> {
        let text = |shape, cipher: fn(&DataKey) -> Result<TextCipher, DataError>| match shape {
            Shape::Text(format) => {
                let cipher = |key: &DataKey| cipher(key).map_err(Error::internal);
                Ok(Self::Text(TextEngine::new(format, domain, keys, cipher)?))
            }
            Shape::Symbols(_) | Shape::Pattern(_) => {
                Err(Error::internal("a format of symbols for an algorithm of texts"))
            }
        };
        match algorithm {
            TokenAlgorithm::Ff1 => match shape {
                Shape::Symbols(format) => Ok(Self::Ff1(Box::new(Ff1Engine::new(format, domain, keys)?))),
                Shape::Pattern(pattern) => Ok(Self::Pattern(Box::new(PatternEngine::new(pattern, domain, keys)?))),
                Shape::Text(_) => Err(Error::internal("a format of texts for Ff1")),
            },
            TokenAlgorithm::AesSiv => text(shape, |key| key.aes_256_siv().map(|siv| TextCipher::AesSiv(Box::new(siv)))),
            TokenAlgorithm::AesGcm => text(shape, |key| key.xaes_256_gcm().map(TextCipher::AesGcm)),
            TokenAlgorithm::Hmac => text(shape, |key| key.hmac_sha_256().map(|hmac| TextCipher::Hmac(Box::new(hmac)))),
            TokenAlgorithm::Random => Err(Error::internal("the engine of Random is a vault")),
        }
    }

    /// Tokenizes. `ivs` is empty or has one for each message.
    pub(crate) fn tokenize<'v, V>(&self, grant: &TokenizeGrant, messages: V, ivs: &[Iv]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        match self {
            Self::Ff1(engine) => engine.tokenize(grant, messages, ivs),
            Self::Pattern(engine) => engine.tokenize(grant, messages, ivs),
            Self::Text(engine) => engine.tokenize(grant, messages, ivs),
            Self::Random(_) => Err(needs_store()),
        }
    }

    /// Detokenizes; messages are shown as the grant allows. `ivs` is empty or has one for each token, or `None` where
    /// what was given is no initialization vector. `version` is what [`version_to_read`](Self::version_to_read) says.
    pub(crate) fn detokenize<'v, V>(
        &self,
        grant: &DetokenizeGrant,
        tokens: V,
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        match self {
            Self::Ff1(engine) => engine.detokenize(grant, tokens, ivs, version),
            Self::Pattern(engine) => engine.detokenize(grant, tokens, ivs, version),
            Self::Text(engine) => engine.detokenize(grant, tokens, ivs, version),
            Self::Random(_) => Err(needs_store()),
        }
    }

    /// [`tokenize`](Self::tokenize) for a part of a batch.
    pub(crate) fn tokenize_texts(
        &self,
        grant: &TokenizeGrant,
        (texts, range): (&Texts, Range<usize>),
        ivs: &[Iv],
    ) -> Result<Outcome> {
        match self {
            Self::Ff1(engine) => engine.tokenize_texts(grant, (texts, range), ivs),
            Self::Pattern(_) | Self::Text(_) | Self::Random(_) => {
                self.tokenize(grant, batch::values(texts, range), ivs)
            }
        }
    }

    /// [`detokenize`](Self::detokenize) for a part of a batch.
    pub(crate) fn detokenize_texts(
        &self,
        grant: &DetokenizeGrant,
        (texts, range): (&Texts, Range<usize>),
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome> {
        match self {
            Self::Ff1(engine) => engine.detokenize_texts(grant, (texts, range), ivs, version),
            Self::Pattern(_) | Self::Text(_) | Self::Random(_) => {
                self.detokenize(grant, batch::values(texts, range), ivs, version)
            }
        }
    }

    /// How much work a value of so many bytes is at most, in units of about 10 ns.
    pub(crate) fn work(&self, bytes: usize) -> usize {
        match self {
            Self::Ff1(engine) => engine.format().work(bytes),
            Self::Pattern(engine) => engine.pattern().work(bytes),
            Self::Text(_) => 100 + bytes / 2,
            Self::Random(_) => 600 + bytes,
        }
    }

    /// Whether values are decimal digits, as account numbers are.
    pub(crate) fn is_decimal(&self) -> bool {
        match self {
            Self::Ff1(engine) => engine.format().alphabet().is_decimal(),
            Self::Random(vault) => vault.values().is_decimal(),
            Self::Pattern(_) | Self::Text(_) => false,
        }
    }

    /// Whether nothing leads from a token back to its message.
    pub(crate) fn is_one_way(&self) -> bool {
        match self {
            Self::Ff1(_) | Self::Pattern(_) | Self::Random(_) => false,
            Self::Text(engine) => engine.is_one_way(),
        }
    }

    /// Refuses to make tokens of another key version than the newest.
    pub(crate) fn check_version_made(&self, named: Option<u32>) -> Result<()> {
        match self {
            Self::Ff1(engine) => engine.versions().check_made(named),
            Self::Pattern(engine) => engine.versions().check_made(named),
            Self::Text(engine) => engine.versions().check_made(named),
            Self::Random(vault) => vault.versions().check_made(named),
        }
    }

    /// The key version whose tokens a call reads; `None` where each token tells its own.
    pub(crate) fn version_to_read(&self, named: Option<u32>) -> Result<Option<u32>> {
        match self {
            Self::Ff1(engine) => engine.versions().to_read(named, engine.format().tells_version()),
            Self::Pattern(engine) => engine.versions().to_read(named, false),
            Self::Text(engine) => engine.versions().to_read(named, true),
            Self::Random(vault) => vault.versions().to_read(named, true),
        }
    }

    /// The key version that makes tokens.
    pub(crate) fn newest_version(&self) -> u32 {
        match self {
            Self::Ff1(engine) => engine.versions().newest(),
            Self::Pattern(engine) => engine.versions().newest(),
            Self::Text(engine) => engine.versions().newest(),
            Self::Random(vault) => vault.versions().newest(),
        }
    }

    /// Whether tokens of several key versions are read.
    pub(crate) fn reads_several_versions(&self) -> bool {
        match self {
            Self::Ff1(engine) => engine.versions().are_several(),
            Self::Pattern(engine) => engine.versions().are_several(),
            Self::Text(engine) => engine.versions().are_several(),
            // A deterministic profile may give out a token that an older version seals: the vault alone knows.
            Self::Random(_) => false,
        }
    }
}

/// What only a fault in the program asks for.
fn needs_store() -> Error {
    Error::internal("tokens of a vault are not made or opened without the store")
}

impl Outcome {
    /// Room for values of so many bytes together.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { texts: Texts::with_capacity(bytes), bad: Vec::new() }
    }

    pub(super) fn refuse(&mut self, bad: BadValue) {
        self.bad.push((self.texts.len(), bad));
        self.texts.push_null();
    }
}
