//! What makes tokens of messages: one engine for each profile, of the kind that its algorithm is. A new
//! engine implements [`Engine`], and [`Cipher`] where tokens are computed, not drawn at random and stored.

mod decimal;
mod ff1;
mod iv;
#[cfg(test)]
mod measure;
mod pattern;
mod text;

use std::{borrow::Cow, ops::Range, sync::Arc};

use chancery_keys::{DataError, DataKey};
use chancery_types::{TokenAlgorithm, TokenProfileId, wire::Texts};

use super::{
    refusal::BadValue,
    shape::Shape,
    vault::Vault,
    versions::{VersionNumbers, Versions},
};
use crate::{
    Error, Result,
    tokenization::rules::{DetokenizeGrant, TokenizeGrant},
};

pub(crate) use ff1::Ff1Engine;
pub(crate) use iv::{Iv, IvKind};
pub(crate) use pattern::PatternEngine;
pub(crate) use text::{TextCipher, TextEngine, one_way};

/// What every engine has.
pub(crate) trait Engine: Send + Sync {
    /// How much work values are at most, in units of about 10 ns.
    fn work(&self, values: &Texts) -> usize;

    /// Whether values are decimal digits, as account numbers are.
    fn is_decimal(&self) -> bool;

    /// Whether a value may have characters that its tokens do not depend on.
    fn passes_through(&self) -> bool {
        false
    }

    /// A token without such characters: what the journal knows it by.
    fn plain<'t>(&self, token: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(token)
    }

    /// Whether nothing leads from a token back to its message.
    fn is_one_way(&self) -> bool;

    /// The key versions whose tokens it reads.
    fn versions(&self) -> VersionNumbers;

    /// Whether each token tells its key version.
    fn tells_version(&self) -> bool;

    /// The key version of new tokens, where it is worth telling: several are read.
    fn version_to_tell(&self) -> Option<u32> {
        let versions = self.versions();
        versions.are_several().then(|| versions.newest())
    }

    /// The key version whose tokens a call reads; `None` where each token tells its own.
    fn version_to_read(&self, named: Option<u32>) -> Result<Option<u32>> {
        self.versions().to_read(named, self.tells_version())
    }
}

/// An engine that computes tokens from messages, and messages from tokens. Called once for all values of a call, or of a
/// part of a batch.
pub(crate) trait Cipher: Engine {
    /// Tokenizes. `ivs` is empty or has one for each message.
    fn make(&self, grant: &TokenizeGrant, messages: Values<'_>, ivs: &[Iv]) -> Result<Outcome>;

    /// Detokenizes; messages are shown as the grant allows. `ivs` is empty or has one for each token, or `None` where
    /// what was given is no initialization vector. `version` is what [`version_to_read`](Engine::version_to_read) says.
    fn open(
        &self,
        grant: &DetokenizeGrant,
        tokens: Values<'_>,
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome>;
}

/// Where a profile's tokens come from.
pub(crate) enum TokenSource {
    /// They are computed.
    Cipher(Arc<dyn Cipher>),
    /// They are drawn, and kept in the store: [`vault`](super::vault) has the ways to them and back.
    Vault(Arc<Vault>),
}

impl TokenSource {
    pub(crate) fn engine(&self) -> &dyn Engine {
        match self {
            Self::Cipher(cipher) => cipher.as_ref(),
            Self::Vault(vault) => vault.as_ref(),
        }
    }
}

/// The values of a call.
pub(crate) enum Values<'v> {
    One(&'v str),
    /// These of many.
    Some(&'v Texts, Range<usize>),
}

impl<'v> Values<'v> {
    /// All that there are.
    pub(crate) fn all(texts: &'v Texts) -> Self {
        Self::Some(texts, 0..texts.len())
    }
}

/// What became of a batch.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// In the order of the values; `null` where a value was refused.
    pub(crate) texts: Texts,
    /// Which values were refused (from 0, in order), and why.
    pub(crate) bad: Vec<(usize, BadValue)>,
}

/// The cipher of an algorithm under these versions of a key. Tokens of one domain are of no other.
pub(crate) fn cipher(
    algorithm: TokenAlgorithm,
    shape: Shape,
    domain: TokenProfileId,
    keys: &Versions<Arc<DataKey>>,
) -> Result<Arc<dyn Cipher>> {
    let text = |shape, cipher: fn(&DataKey) -> Result<TextCipher, DataError>| match shape {
        Shape::Text(format) => {
            let cipher = |key: &DataKey| cipher(key).map_err(Error::internal);
            Ok(Arc::new(TextEngine::new(format, domain, keys, cipher)?) as Arc<dyn Cipher>)
        }
        Shape::Symbols(_) | Shape::Pattern(_) => Err(Error::internal("a format of symbols for an algorithm of texts")),
    };
    match algorithm {
        TokenAlgorithm::Ff1 => match shape {
            Shape::Symbols(format) => Ok(Arc::new(Ff1Engine::new(format, domain, keys)?)),
            Shape::Pattern(pattern) => Ok(Arc::new(PatternEngine::new(pattern, domain, keys)?)),
            Shape::Text(_) => Err(Error::internal("a format of texts for Ff1")),
        },
        TokenAlgorithm::AesSiv => text(shape, |key| key.aes_256_siv().map(|siv| TextCipher::AesSiv(Box::new(siv)))),
        TokenAlgorithm::AesGcm => text(shape, |key| key.xaes_256_gcm().map(TextCipher::AesGcm)),
        TokenAlgorithm::Hmac => text(shape, |key| key.hmac_sha_256().map(|hmac| TextCipher::Hmac(Box::new(hmac)))),
        TokenAlgorithm::Random => Err(Error::internal("the engine of Random is a vault")),
    }
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
