//! Many values through FF1: text to digits, one call of the cipher, digits to text.
//!
//! A single value is a batch of one, so that both cannot differ.

use chancery_keys::ff1::{Failure, Ff1, Item};
use chancery_types::{TokenProfileId, wire::Texts};

use super::{
    super::{format::Format, refusal::BadValue, tweak, values::Parts},
    Iv, Outcome,
};
use crate::{
    Error, Result,
    access::{DetokenizeGrant, TokenizeGrant, View},
};

/// FF1 under one profile's key and format.
pub(crate) struct Ff1Engine {
    format: Format,
    cipher: Ff1,
}

impl Ff1Engine {
    /// `cipher` has the alphabet's radix. Tweaks begin with `domain`.
    pub(crate) fn new(format: Format, cipher: &Ff1, domain: TokenProfileId) -> Self {
        Self { format, cipher: cipher.with_tweak_prefix(domain.as_bytes()) }
    }

    pub(crate) fn format(&self) -> &Format {
        &self.format
    }

    /// Tokenizes. `ivs` is empty or has one for each message.
    pub(crate) fn tokenize<'v, V>(&self, _grant: &TokenizeGrant, messages: V, ivs: &[Iv]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        let mut work = Work::default();
        for (index, message) in messages.clone().enumerate() {
            let parts = self.format.take_message(message, &mut work.digits);
            work.add(&self.format, ivs.get(index), parts);
        }
        let failures = self.cipher.encrypt_batch(&mut work.digits, &work.tweaks, &work.items);
        all_done(&failures)?;
        let mut outcome = Outcome::default();
        for (message, parts) in messages.zip(&work.parts) {
            match parts {
                Ok(parts) => {
                    let digits = &mut work.digits;
                    outcome.texts.push_with(|out| self.format.put_token(message, digits, parts, out));
                }
                Err(bad) => outcome.refuse(*bad),
            }
        }
        Ok(outcome)
    }

    /// Detokenizes; messages are shown as the grant allows. `ivs` is empty or has one for each token, or `None` where
    /// what was given is no initialization vector.
    pub(crate) fn detokenize<'v, V>(&self, grant: &DetokenizeGrant, tokens: V, ivs: &[Option<Iv>]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        let mut work = Work::default();
        for (index, token) in tokens.clone().enumerate() {
            let parts = match ivs.get(index) {
                Some(None) => Err(BadValue::Iv),
                Some(Some(_)) | None => self.format.take_token(token, &mut work.digits),
            };
            work.add(&self.format, ivs.get(index).and_then(Option::as_ref), parts);
        }
        let failures = self.cipher.decrypt_batch(&mut work.digits, &work.tweaks, &work.items);
        all_done(&failures)?;
        let mut outcome = Outcome::default();
        let mut message = String::new();
        for (token, parts) in tokens.zip(&work.parts) {
            message.clear();
            let put = |parts| self.format.put_message(token, &mut work.digits, parts, &mut message);
            match parts.as_ref().map_err(|bad| *bad).and_then(put) {
                Ok(()) => self.show(grant.view(), &message, &mut outcome.texts),
                Err(bad) => outcome.refuse(bad),
            }
        }
        Ok(outcome)
    }

    fn show(&self, view: &View, message: &str, texts: &mut Texts) {
        match view {
            View::Full => texts.push(message),
            View::Partial(mask) => texts.push_with(|out| mask.append(out, message, self.format.alphabet())),
        }
    }
}

/// The buffers of one batch: the digits and tweaks of all values one after the other.
#[derive(Default)]
struct Work {
    digits: Vec<u16>,
    tweaks: Vec<u8>,
    items: Vec<Item>,
    /// One for each value.
    parts: Vec<Result<Parts, BadValue>>,
}

impl Work {
    /// Adds a value whose digits are in the buffer already, or its refusal.
    fn add(&mut self, format: &Format, iv: Option<&Iv>, parts: Result<Parts, BadValue>) {
        if let Ok(parts) = &parts {
            let tweak_start = self.tweaks.len();
            let (leading, trailing) = (&self.digits[parts.leading()], &self.digits[parts.trailing()]);
            tweak::append(&mut self.tweaks, iv, format.alphabet(), leading, trailing);
            let tweak_length = self.tweaks.len() - tweak_start;
            let (start, length) = (parts.encrypted.start, parts.encrypted.len());
            self.items.push(Item { start, length, tweak_start, tweak_length });
        }
        self.parts.push(parts);
    }
}

/// The format lets nothing through that FF1 refuses.
fn all_done(failures: &[Failure]) -> Result<()> {
    failures.first().map_or(Ok(()), |failure| Err(Error::internal(failure.error)))
}

#[cfg(test)]
mod tests;
