//! Many values through FF1: text to digits, one call of the cipher, digits to text.
//!
//! A single value is a batch of one, so that both cannot differ.

use std::{borrow::Cow, iter, ops::Range, sync::Arc};

use chancery_keys::{
    DataKey,
    ff1::{Failure, Ff1, Ff1Text, Item},
};
use chancery_types::{TokenProfileId, wire::Texts};

use super::{
    super::{
        batch,
        format::Format,
        prefix,
        refusal::BadValue,
        tweak,
        values::{Parts, plain},
        versions::{VersionNumbers, Versions},
    },
    Cipher, Engine, Iv, IvKind, Outcome, Values,
    decimal::{self, DecimalBatch, Kind},
};
use crate::{
    Error, Result,
    tokenization::rules::{DetokenizeGrant, TokenizeGrant, View},
};

/// FF1 under one profile's key and format.
pub(crate) struct Ff1Engine {
    format: Format,
    ciphers: Versions<Ff1>,
    /// The same over decimal text, where values can stay that.
    decimal: Option<Versions<Ff1Text>>,
    /// What stands in front of each new token.
    prefix: String,
}

impl Ff1Engine {
    /// Tweaks begin with `domain`.
    pub(crate) fn new(format: Format, domain: TokenProfileId, keys: &Versions<Arc<DataKey>>) -> Result<Self> {
        let radix = format.alphabet().radix();
        Self::with_ciphers(format, domain, &keys.try_map(|key| key.ff1(radix).map_err(Error::internal))?)
    }

    /// `ciphers` have the alphabet's radix.
    pub(super) fn with_ciphers(format: Format, domain: TokenProfileId, ciphers: &Versions<Ff1>) -> Result<Self> {
        let ciphers = ciphers.try_map(|cipher| Ok(cipher.with_tweak_prefix(domain.as_bytes())))?;
        let decimal = decimal::ciphers(&format, &ciphers)?;
        let mut prefix = String::new();
        prefix::write(ciphers.newest(), format.version_prefix, format.alphabet(), &mut prefix);
        Ok(Self { format, ciphers, decimal, prefix })
    }

    #[cfg(test)]
    pub(crate) fn format(&self) -> &Format {
        &self.format
    }

    /// Tokenizes. `ivs` is empty or has one for each message.
    pub(crate) fn tokenize<'v, V>(&self, _grant: &TokenizeGrant, messages: V, ivs: &[Iv]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        if let Some(ciphers) = &self.decimal {
            let mut values = DecimalBatch::new(Kind::Message, &self.format, ciphers.of_newest(), self.guess(&messages));
            for (index, message) in messages.clone().enumerate() {
                values.add(message, ivs.get(index))?;
            }
            return values.finish(messages);
        }
        let (count, bytes) = size(messages.clone());
        let mut work = Work::with_capacity(count, bytes);
        for (index, message) in messages.clone().enumerate() {
            let parts = self.format.take_message(message, &mut work.digits);
            work.add(&self.format, ivs.get(index), parts);
        }
        all_done(&self.ciphers.of_newest().encrypt_batch(&mut work.digits, &work.tweaks, &work.items))?;
        let mut outcome = Outcome::with_capacity(bytes + count * self.prefix.len());
        for (message, parts) in messages.zip(&work.parts) {
            match parts {
                Ok(parts) => {
                    let digits = &mut work.digits;
                    outcome.texts.push_with(|out| {
                        out.push_str(&self.prefix);
                        self.format.put_token(message, digits, parts, out);
                    });
                }
                Err(bad) => outcome.refuse(*bad),
            }
        }
        Ok(outcome)
    }

    /// Detokenizes; messages are shown as the grant allows. `ivs` is empty or has one for each token, or `None` where
    /// what was given is no initialization vector. `version` is the tokens', unless each tells its own; then each must
    /// be of it, where it is given.
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
        if let Some(ciphers) = &self.decimal {
            return self.detokenize_decimal(ciphers, grant, tokens, ivs, version);
        }
        let (count, bytes) = size(tokens.clone());
        let mut work = Work::with_capacity(count, bytes);
        for (index, token) in tokens.clone().enumerate() {
            let taken = match ivs.get(index) {
                Some(None) => Err(BadValue::Iv { bytes: IvKind::Ff1.length() }),
                Some(Some(_)) | None => self.take_token(token, version, &mut work),
            };
            work.add(&self.format, ivs.get(index).and_then(Option::as_ref), taken);
        }
        self.decrypt(&mut work, version)?;
        let mut outcome = Outcome::with_capacity(bytes);
        let mut message = String::new();
        for (token, parts) in tokens.zip(&work.parts) {
            message.clear();
            let put = |parts| {
                let (_, token) = self.told_version(token)?;
                self.format.put_message(token, &mut work.digits, parts, &mut message)
            };
            match parts.as_ref().map_err(|bad| *bad).and_then(put) {
                Ok(()) => self.show(grant.view(), &message, &mut outcome.texts),
                Err(bad) => outcome.refuse(bad),
            }
        }
        Ok(outcome)
    }

    /// [`tokenize`](Self::tokenize) for a part of a batch; many values of one length cost less so.
    pub(crate) fn tokenize_texts(
        &self,
        grant: &TokenizeGrant,
        (texts, range): (&Texts, Range<usize>),
        ivs: &[Iv],
    ) -> Result<Outcome> {
        match &self.decimal {
            Some(ciphers) if ivs.is_empty() => self.decimal_texts(Kind::Message, ciphers.of_newest(), texts, range),
            Some(_) | None => self.tokenize(grant, batch::values(texts, range), ivs),
        }
    }

    /// [`detokenize`](Self::detokenize) for a part of a batch; many values of one length cost less so.
    pub(crate) fn detokenize_texts(
        &self,
        grant: &DetokenizeGrant,
        (texts, range): (&Texts, Range<usize>),
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome> {
        match &self.decimal {
            Some(ciphers) if ivs.is_empty() => {
                let outcome = self.decimal_texts(Kind::Token, ciphers.of(version)?, texts, range)?;
                Ok(self.show_all(grant.view(), outcome))
            }
            Some(_) | None => self.detokenize(grant, batch::values(texts, range), ivs, version),
        }
    }

    fn decimal_texts(&self, kind: Kind, cipher: &Ff1Text, texts: &Texts, range: Range<usize>) -> Result<Outcome> {
        let mut values = DecimalBatch::new(kind, &self.format, cipher, (range.len(), texts.bytes_of(range.clone())));
        values.add_texts(texts, range.clone())?;
        values.finish(batch::values(texts, range))
    }

    fn detokenize_decimal<'v, V>(
        &self,
        ciphers: &Versions<Ff1Text>,
        grant: &DetokenizeGrant,
        tokens: V,
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        let mut values = DecimalBatch::new(Kind::Token, &self.format, ciphers.of(version)?, self.guess(&tokens));
        for (index, token) in tokens.clone().enumerate() {
            match ivs.get(index) {
                Some(None) => values.refuse(BadValue::Iv { bytes: IvKind::Ff1.length() }),
                Some(Some(iv)) => values.add(token, Some(iv))?,
                None => values.add(token, None)?,
            }
        }
        Ok(self.show_all(grant.view(), values.finish(tokens)?))
    }

    fn show_all(&self, view: &View, outcome: Outcome) -> Outcome {
        if *view == View::Full {
            return outcome;
        }
        let Outcome { texts: messages, bad } = outcome;
        let mut texts = Texts::with_capacity(messages.bytes());
        for message in messages.iter() {
            match message {
                Some(message) => self.show(view, message, &mut texts),
                None => texts.push_null(),
            }
        }
        Outcome { texts, bad }
    }

    /// How many values there are, and about how many bytes they have together.
    fn guess<'v>(&self, values: &impl Iterator<Item = &'v str>) -> (usize, usize) {
        let count = values.size_hint().1.unwrap_or_default();
        (count, count.saturating_mul(self.format.max.min(24)))
    }

    fn take_token(&self, token: &str, asked: Option<u32>, work: &mut Work) -> Result<Parts, BadValue> {
        let (told, token) = self.told_version(token)?;
        let parts = self.format.take_token(token, &mut work.digits);
        let parts = parts.map_err(|bad| bad.after_prefix(self.format.version_prefix))?;
        if let Some(version) = told {
            self.ciphers.told(version, asked)?;
            work.versions.push(version);
        }
        Ok(parts)
    }

    /// The key version that a token tells, if tokens tell it, and the rest of the token.
    fn told_version<'t>(&self, token: &'t str) -> Result<(Option<u32>, &'t str), BadValue> {
        if !self.format.tells_version() {
            return Ok((None, token));
        }
        let (version, rest) = prefix::split(token, self.format.version_prefix, self.format.alphabet())?;
        Ok((Some(version), rest))
    }

    /// Each version's tokens with its own cipher.
    fn decrypt(&self, work: &mut Work, version: Option<u32>) -> Result<()> {
        if !self.format.tells_version() {
            let cipher = self.ciphers.of(version)?;
            return all_done(&cipher.decrypt_batch(&mut work.digits, &work.tweaks, &work.items));
        }
        let mut items = Vec::with_capacity(work.items.len());
        for (version, cipher) in self.ciphers.iter() {
            items.clear();
            let told = work.items.iter().zip(&work.versions).filter(|&(_, told)| *told == version);
            items.extend(told.map(|(item, _)| *item));
            all_done(&cipher.decrypt_batch(&mut work.digits, &work.tweaks, &items))?;
        }
        Ok(())
    }

    fn show(&self, view: &View, message: &str, texts: &mut Texts) {
        match view {
            View::Full => texts.push(message),
            View::Partial(mask) => texts.push_with(|out| self.format.put_masked(mask, message, out)),
        }
    }
}

impl Engine for Ff1Engine {
    fn work(&self, values: &Texts) -> usize {
        batch::work(values, |bytes| self.format.work(bytes))
    }

    fn is_decimal(&self) -> bool {
        self.format.alphabet().is_decimal()
    }

    fn passes_through(&self) -> bool {
        self.format.has_pass_through()
    }

    fn plain<'t>(&self, token: &'t str) -> Cow<'t, str> {
        plain(token, |character| self.format.passes_through(character))
    }

    fn is_one_way(&self) -> bool {
        false
    }

    fn versions(&self) -> VersionNumbers {
        self.ciphers.numbers()
    }

    fn tells_version(&self) -> bool {
        self.format.tells_version()
    }
}

impl Cipher for Ff1Engine {
    fn make(&self, grant: &TokenizeGrant, messages: Values<'_>, ivs: &[Iv]) -> Result<Outcome> {
        match messages {
            Values::One(message) => self.tokenize(grant, iter::once(message), ivs),
            Values::Some(texts, range) => self.tokenize_texts(grant, (texts, range), ivs),
        }
    }

    fn open(
        &self,
        grant: &DetokenizeGrant,
        tokens: Values<'_>,
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome> {
        match tokens {
            Values::One(token) => self.detokenize(grant, iter::once(token), ivs, version),
            Values::Some(texts, range) => self.detokenize_texts(grant, (texts, range), ivs, version),
        }
    }
}

/// The buffers of one batch: the digits and tweaks of all values one after the other.
struct Work {
    digits: Vec<u16>,
    tweaks: Vec<u8>,
    items: Vec<Item>,
    /// The key version of each item, where tokens tell theirs.
    versions: Vec<u32>,
    /// One for each value.
    parts: Vec<Result<Parts, BadValue>>,
}

impl Work {
    /// Room for so many values of so many bytes together.
    fn with_capacity(count: usize, bytes: usize) -> Self {
        Self {
            digits: Vec::with_capacity(bytes),
            tweaks: Vec::with_capacity(bytes + count),
            items: Vec::with_capacity(count),
            versions: Vec::new(),
            parts: Vec::with_capacity(count),
        }
    }

    /// Adds a value whose digits are in the buffer already, or its refusal.
    fn add(&mut self, format: &Format, iv: Option<&Iv>, parts: Result<Parts, BadValue>) {
        if let Ok(parts) = &parts {
            let tweak_start = self.tweaks.len();
            let (leading, trailing) = (&self.digits[parts.leading()], &self.digits[parts.trailing()]);
            tweak::append(&mut self.tweaks, iv.map(Iv::as_bytes), format.alphabet(), leading, trailing);
            let tweak_length = self.tweaks.len() - tweak_start;
            let (start, length) = (parts.encrypted.start, parts.encrypted.len());
            self.items.push(Item { start, length, tweak_start, tweak_length });
        }
        self.parts.push(parts);
    }
}

/// How many values there are, and how many bytes they have together.
fn size<'v>(values: impl Iterator<Item = &'v str>) -> (usize, usize) {
    values.fold((0, 0), |(count, bytes), value| (count + 1, bytes + value.len()))
}

/// The format lets nothing through that FF1 refuses.
pub(super) fn all_done(failures: &[Failure]) -> Result<()> {
    failures.first().map_or(Ok(()), |failure| Err(Error::internal(failure.error)))
}

#[cfg(test)]
mod tests;
