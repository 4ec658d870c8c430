//! Structured values through FF1: what a pattern encrypts of a value becomes one number, and that number another.
//!
//! Where all encrypted places of a value have one radix, FF1 works in it. Else the number is written in bits and encrypted
//! until it is below the product of the radices again; so it is below the product in less than two turns on average.

#[cfg(test)]
pub(super) mod tests;

use std::{borrow::Cow, iter, sync::Arc};

use chancery_keys::{
    DataKey,
    ff1::{Failure, Ff1, Item},
};
use chancery_types::{TokenProfileId, wire::Texts};

use super::{
    super::{
        batch,
        pattern::{Layout, Pattern, Place, Taken, from_bits, to_bits, uniform},
        refusal::BadValue,
        values::plain,
        versions::{VersionNumbers, Versions},
    },
    Cipher, Engine, Iv, IvKind, Outcome, Values,
    ff1::all_done,
};
use crate::{
    Error, Result,
    tokenization::rules::{DetokenizeGrant, TokenizeGrant, View},
};

/// The radix of bits.
const BITS: u32 = 2;

/// FF1 under one profile's key and pattern.
pub(crate) struct PatternEngine {
    pattern: Pattern,
    ciphers: Versions<Ciphers>,
}

/// One key version's FF1, for every radix that values may need.
pub(crate) struct Ciphers(Vec<Ff1>);

impl PatternEngine {
    /// Tweaks begin with `domain`.
    pub(crate) fn new(pattern: Pattern, domain: TokenProfileId, keys: &Versions<Arc<DataKey>>) -> Result<Self> {
        let cipher = |key: &DataKey, radix| key.ff1(radix).map_err(Error::internal);
        let ciphers = keys.try_map(|key| Ciphers::new(&pattern, domain, |radix| cipher(key, radix)))?;
        Ok(Self { pattern, ciphers })
    }

    /// Tokenizes. `ivs` is empty or has one for each message.
    pub(crate) fn tokenize<'v, V>(&self, _grant: &TokenizeGrant, messages: V, ivs: &[Iv]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str> + Clone,
    {
        let mut work = Work::default();
        for (index, message) in messages.clone().enumerate() {
            let layout = self.pattern.take_message(message, &mut work.taken);
            work.add(&self.pattern, ivs.get(index), layout);
        }
        work.crypt(self.ciphers.of_newest(), Ff1::encrypt_batch)?;
        let Work { mut taken, layouts, .. } = work;
        let mut outcome = Outcome::default();
        for (message, layout) in messages.zip(layouts) {
            match layout {
                Ok(layout) => outcome.texts.push_with(|out| self.pattern.put(message, &mut taken, &layout, out)),
                Err(bad) => outcome.refuse(bad),
            }
        }
        Ok(outcome)
    }

    /// Detokenizes; messages are shown as the grant allows. `ivs` is empty or has one for each token, or `None` where
    /// what was given is no initialization vector. `version` is the tokens'; by default the newest.
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
        let ciphers = self.ciphers.of(version)?;
        let mut work = Work::default();
        for (index, token) in tokens.clone().enumerate() {
            let layout = match ivs.get(index) {
                Some(None) => Err(BadValue::Iv { bytes: IvKind::Ff1.length() }),
                Some(Some(_)) | None => self.pattern.take_token(token, &mut work.taken),
            };
            work.add(&self.pattern, ivs.get(index).and_then(Option::as_ref), layout);
        }
        work.crypt(ciphers, Ff1::decrypt_batch)?;
        let Work { mut taken, layouts, .. } = work;
        let mut outcome = Outcome::default();
        let mut message = String::new();
        for (token, layout) in tokens.zip(layouts) {
            match layout {
                Ok(layout) => {
                    message.clear();
                    self.pattern.put(token, &mut taken, &layout, &mut message);
                    self.show(grant.view(), &message, &taken, &layout, &mut outcome.texts);
                }
                Err(bad) => outcome.refuse(bad),
            }
        }
        Ok(outcome)
    }

    fn show(&self, view: &View, message: &str, taken: &Taken, layout: &Layout, texts: &mut Texts) {
        match view {
            View::Full => texts.push(message),
            View::Partial(mask) => {
                texts.push_with(|out| self.pattern.append_masked(*mask, message, taken, layout, out));
            }
        }
    }
}

impl Engine for PatternEngine {
    fn work(&self, values: &Texts) -> usize {
        batch::work(values, |bytes| self.pattern.work(bytes))
    }

    fn is_decimal(&self) -> bool {
        false
    }

    fn passes_through(&self) -> bool {
        true
    }

    fn plain<'t>(&self, token: &'t str) -> Cow<'t, str> {
        plain(token, |character| self.pattern.passes_through(character))
    }

    fn is_one_way(&self) -> bool {
        false
    }

    fn versions(&self) -> VersionNumbers {
        self.ciphers.numbers()
    }

    fn tells_version(&self) -> bool {
        false
    }
}

impl Cipher for PatternEngine {
    fn make(&self, grant: &TokenizeGrant, messages: Values<'_>, ivs: &[Iv]) -> Result<Outcome> {
        match messages {
            Values::One(message) => self.tokenize(grant, iter::once(message), ivs),
            Values::Some(texts, range) => self.tokenize(grant, batch::values(texts, range), ivs),
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
            Values::Some(texts, range) => self.detokenize(grant, batch::values(texts, range), ivs, version),
        }
    }
}

impl Ciphers {
    fn new(pattern: &Pattern, domain: TokenProfileId, ff1: impl Fn(u32) -> Result<Ff1>) -> Result<Self> {
        let mut radices = pattern.ff1_radices();
        if !radices.contains(&BITS) {
            radices.push(BITS);
        }
        let ciphers = radices.into_iter().map(|radix| Ok(ff1(radix)?.with_tweak_prefix(domain.as_bytes())));
        Ok(Self(ciphers.collect::<Result<_>>()?))
    }
}

/// Ff1::encrypt_batch or Ff1::decrypt_batch.
type CryptBatch = fn(&Ff1, &mut [u16], &[u8], &[Item]) -> Vec<Failure>;

/// The buffers of one batch.
#[derive(Default)]
struct Work {
    taken: Taken,
    /// What the ciphers work on: symbols in a value's one radix, or bits.
    digits: Vec<u16>,
    tweaks: Vec<u8>,
    jobs: Vec<Job>,
    /// One for each value.
    layouts: Vec<Result<Layout, BadValue>>,
}

/// One value for a cipher.
struct Job {
    radix: u32,
    item: Item,
    places: std::ops::Range<usize>,
}

impl Work {
    /// Adds a value that is taken already, or its refusal.
    fn add(&mut self, pattern: &Pattern, iv: Option<&Iv>, layout: Result<Layout, BadValue>) {
        if let Ok(layout) = &layout {
            let (start, tweak_start) = (self.digits.len(), self.tweaks.len());
            self.tweaks.extend_from_slice(iv.map_or(&[], Iv::as_bytes));
            pattern.append_tweak(&self.taken, layout, &mut self.tweaks);
            let places = &self.taken.places[layout.places.clone()];
            let radix = uniform(places).unwrap_or(BITS);
            if radix == BITS {
                to_bits(places, &mut self.digits);
            } else {
                let digit = |value| u16::try_from(value).expect("below a radix of FF1");
                self.digits.extend(places.iter().map(|place| digit(place.value)));
            }
            let (length, tweak_length) = (self.digits.len() - start, self.tweaks.len() - tweak_start);
            let item = Item { start, length, tweak_start, tweak_length };
            self.jobs.push(Job { radix, item, places: layout.places.clone() });
        }
        self.layouts.push(layout);
    }

    /// Encrypts or decrypts all values, each radix at once.
    fn crypt(&mut self, ciphers: &Ciphers, batch: CryptBatch) -> Result<()> {
        for cipher in &ciphers.0 {
            let mut left: Vec<&Job> = self.jobs.iter().filter(|job| job.radix == cipher.radix()).collect();
            // Walking ends: each turn is a permutation, and where it began was below the product of the radices.
            while !left.is_empty() {
                let items: Vec<Item> = left.iter().map(|job| job.item).collect();
                all_done(&batch(cipher, &mut self.digits, &self.tweaks, &items))?;
                let (digits, places) = (&self.digits, &mut self.taken.places);
                left.retain(|job| !job.is_done(digits, places));
            }
        }
        Ok(())
    }
}

impl Job {
    /// Puts the digits back into the places, if they are a value of these radices.
    fn is_done(&self, digits: &[u16], places: &mut [Place]) -> bool {
        let digits = &digits[self.item.start..self.item.start + self.item.length];
        let places = &mut places[self.places.clone()];
        if self.radix == BITS {
            return from_bits(digits, places);
        }
        for (place, &digit) in places.iter_mut().zip(digits) {
            place.value = u32::from(digit);
        }
        true
    }
}
