//! What makes tokens of messages: one cipher for each profile, of the kind that its algorithm is.

mod ff1;

use chancery_types::wire::Texts;

use super::refusal::BadValue;
use crate::{
    Result,
    access::{DetokenizeGrant, TokenizeGrant},
};

pub(crate) use ff1::Ff1Engine;

/// An initialization vector.
pub(crate) type Iv = [u8; 16];

/// The cipher of one profile.
pub(crate) enum Engine {
    /// Symbols to symbols of the same alphabet.
    Ff1(Box<Ff1Engine>),
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
    /// Tokenizes. `ivs` is empty or has one for each message.
    pub(crate) fn tokenize<'v, V>(&self, grant: &TokenizeGrant, messages: V, ivs: &[Iv]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        match self {
            Self::Ff1(engine) => engine.tokenize(grant, messages, ivs),
        }
    }

    /// Detokenizes; messages are shown as the grant allows. `ivs` is empty or has one for each token, or `None` where
    /// what was given is no initialization vector.
    pub(crate) fn detokenize<'v, V>(&self, grant: &DetokenizeGrant, tokens: V, ivs: &[Option<Iv>]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        match self {
            Self::Ff1(engine) => engine.detokenize(grant, tokens, ivs),
        }
    }

    /// How much work a value of so many bytes is at most, in units of about 10 ns.
    pub(crate) fn work(&self, bytes: usize) -> usize {
        match self {
            Self::Ff1(engine) => engine.format().work(bytes),
        }
    }

    /// Whether values are decimal digits, as account numbers are.
    pub(crate) fn is_decimal(&self) -> bool {
        match self {
            Self::Ff1(engine) => engine.format().alphabet().is_decimal(),
        }
    }
}

impl Outcome {
    fn refuse(&mut self, bad: BadValue) {
        self.bad.push((self.texts.len(), bad));
        self.texts.push_null();
    }
}
