//! Decimal values through FF1 as the text that they are: one buffer is read into, encrypted and answered.
//!
//! For profiles whose tokens are as long as their messages. The answers are those of the general way.

mod buffer;

use std::ops::Range;

use chancery_keys::ff1::{Alphabet, Ff1, Ff1Text, Item};
use chancery_types::{
    Luhn,
    wire::{Ends, Texts},
};

use super::{
    super::{batch, format::Format, luhn, refusal::BadValue, tweak, values::between, versions::Versions},
    Iv, Outcome,
};
use crate::{Error, Result};
use buffer::{Buffer, short_word};

/// The profile's ciphers over decimal text, if this way is one for its format.
pub(super) fn ciphers(format: &Format, ciphers: &Versions<Ff1>) -> Result<Option<Versions<Ff1Text>>> {
    if !format.alphabet().is_decimal() || format.token_length.is_some() || format.tells_version() {
        return Ok(None);
    }
    let text = |cipher: &Ff1| cipher.with_alphabet(&Alphabet::DECIMAL).map_err(Error::internal);
    ciphers.try_map(text).map(Some)
}

/// So many values go through FF1 together: what they need besides their text stays in the processor's caches.
const TOGETHER: usize = 1024;

/// The values of one batch on their way.
pub(super) struct DecimalBatch<'f> {
    kind: Kind,
    format: &'f Format,
    cipher: &'f Ff1Text,
    /// Their digits, without passThrough characters.
    text: Buffer,
    /// Of each value where its digits end, and whether it is one that was not refused; those have none.
    ends: Ends,
    /// So many of them have been through FF1.
    done: usize,
    /// For those that have not.
    tweaks: Buffer,
    items: Vec<Item>,
    bad: Vec<(usize, BadValue)>,
    /// Whether any value has passThrough characters.
    spaced: bool,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Token,
}

impl<'f> DecimalBatch<'f> {
    /// For so many values of so many bytes together.
    pub(super) fn new(kind: Kind, format: &'f Format, cipher: &'f Ff1Text, (count, bytes): (usize, usize)) -> Self {
        Self {
            kind,
            format,
            cipher,
            text: Buffer::with_room(bytes),
            ends: Ends::default(),
            done: 0,
            tweaks: Buffer::with_room(0),
            items: Vec::with_capacity(count.min(TOGETHER)),
            bad: Vec::new(),
            spaced: false,
        }
    }

    /// Adds the values of `range`, which have no initialization vectors.
    pub(super) fn add_texts(&mut self, texts: &Texts, range: Range<usize>) -> Result<()> {
        for start in range.clone().step_by(TOGETHER) {
            let some = start..range.end.min(start + TOGETHER);
            let added = match texts.even(some.clone()) {
                Some((values, length)) => self.add_even(values.as_bytes(), length)?,
                None => false,
            };
            if !added {
                batch::values(texts, some).try_for_each(|value| self.add(value, None))?;
            }
        }
        Ok(())
    }

    /// Adds values of one length that stand one after the other, if they are digits only and none is refused; else
    /// nothing has happened. What is the same for all of them is done once, the rest in loops without a branch.
    fn add_even(&mut self, values: &[u8], length: usize) -> Result<bool> {
        let format = self.format;
        let fits = length <= self.bytes_max() && between(length, format.min, format.max).is_ok();
        if !fits || !are_all_digits(values) {
            return Ok(false);
        }
        self.crypt()?;
        let start = self.text.used;
        self.text.append(values);
        let text = self.text.since(start);
        if format.has_check_digit() && !all_pass(self.kind, format, text, length) {
            self.text.used = start;
            return Ok(false);
        }
        let tweak_length = format.keep_leading + 1 + format.keep_trailing;
        // Without kept digits all have the same tweak.
        let tweak_step = if tweak_length == 1 { 0 } else { tweak_length };
        let tweaked = if tweak_step == 0 { &text[..length] } else { &*text };
        append_tweaks(&mut self.tweaks, format, tweaked, length);
        let item = |(index, value_start)| Item {
            start: value_start + format.keep_leading,
            length: format.encrypted_of(length),
            tweak_start: index * tweak_step,
            tweak_length,
        };
        self.items.extend((start..self.text.used).step_by(length).enumerate().map(item));
        self.ends.push_even(values.len() / length, length);
        self.run_cipher()?;
        if format.has_check_digit() {
            complete_all(self.kind, format, self.text.since(start), length);
        }
        self.forget();
        Ok(true)
    }

    /// Adds a value, or why it is refused.
    #[inline]
    pub(super) fn add(&mut self, value: &str, iv: Option<&Iv>) -> Result<()> {
        let start = self.text.used;
        match self.read(value).and_then(|()| self.check(start)) {
            Ok(()) => {
                self.add_item(start, iv);
                self.ends.push(self.text.used, true);
            }
            Err(bad) => {
                self.text.used = start;
                self.refuse(bad);
            }
        }
        if self.items.len() == TOGETHER { self.crypt() } else { Ok(()) }
    }

    /// Adds a value that is refused.
    pub(super) fn refuse(&mut self, bad: BadValue) {
        self.bad.push((self.ends.len(), bad));
        self.ends.push(self.text.used, false);
    }

    fn bytes_max(&self) -> usize {
        match self.kind {
            Kind::Message => self.format.value_max,
            Kind::Token => self.format.value_max.saturating_add(4 * self.format.max),
        }
    }

    /// Appends the digits.
    #[inline]
    fn read(&mut self, value: &str) -> Result<(), BadValue> {
        let bytes_max = self.bytes_max();
        if value.len() > bytes_max {
            return Err(BadValue::TooLarge { bytes_max });
        }
        if are_digits(value.as_bytes()) {
            self.text.append(value.as_bytes());
            return Ok(());
        }
        for (position, symbol) in value.chars().enumerate() {
            match u8::try_from(symbol) {
                Ok(digit @ b'0'..=b'9') => self.text.append(&[digit]),
                _ if self.format.passes_through(symbol) => self.spaced = true,
                _ => return Err(BadValue::NotInAlphabet { position }),
            }
        }
        Ok(())
    }

    /// Checks the digits from `start` on; a spoilt check digit of a token is undone.
    #[inline]
    fn check(&mut self, start: usize) -> Result<(), BadValue> {
        let (kind, format) = (self.kind, self.format);
        let digits = self.text.since(start);
        between(digits.len(), format.min, format.max)?;
        match kind {
            _ if !format.has_check_digit() || passes(kind, format, digits) => Ok(()),
            Kind::Message => Err(BadValue::Luhn),
            Kind::Token => Err(BadValue::NoSuchToken),
        }
    }

    /// The digits from `start` on go through FF1.
    #[inline]
    fn add_item(&mut self, start: usize, iv: Option<&Iv>) {
        let digits = self.text.since(start);
        let tweak_start = self.tweaks.used;
        append_tweak(&mut self.tweaks, self.format, iv, digits);
        let tweak_length = self.tweaks.used - tweak_start;
        let length = self.format.encrypted_of(digits.len());
        self.items.push(Item { start: start + self.format.keep_leading, length, tweak_start, tweak_length });
    }

    /// Encrypts or decrypts the values that wait for it, and sets their check digits.
    fn crypt(&mut self) -> Result<()> {
        self.run_cipher()?;
        let (kind, format) = (self.kind, self.format);
        if format.has_check_digit() {
            let text = self.text.since(0);
            let good = self.ends.from(self.done).filter(|(_, good)| *good).map(|(end, _)| end);
            for (item, end) in self.items.iter().zip(good) {
                complete(kind, format, &mut text[item.start - format.keep_leading..end]);
            }
        }
        self.forget();
        Ok(())
    }

    /// Encrypts or decrypts the values that wait for it.
    fn run_cipher(&mut self) -> Result<()> {
        let (kind, text) = (self.kind, self.text.since(0));
        let tweaks = &self.tweaks.bytes[..self.tweaks.used];
        match self.items[..] {
            [] => Ok(()),
            [Item { start, length, tweak_start, tweak_length }] => {
                let (value, tweak) = (&mut text[start..][..length], &tweaks[tweak_start..][..tweak_length]);
                match kind {
                    Kind::Message => self.cipher.encrypt(tweak, value),
                    Kind::Token => self.cipher.decrypt(tweak, value),
                }
                .map_err(Error::internal)
            }
            _ => super::ff1::all_done(&match kind {
                Kind::Message => self.cipher.encrypt_batch(text, tweaks, &self.items),
                Kind::Token => self.cipher.decrypt_batch(text, tweaks, &self.items),
            }),
        }
    }

    /// All values have been through FF1.
    fn forget(&mut self) {
        self.done = self.ends.len();
        self.items.clear();
        self.tweaks.used = 0;
    }

    /// The results, with passThrough characters where they were in `values`.
    pub(super) fn finish<'v>(mut self, values: impl Iterator<Item = &'v str>) -> Result<Outcome> {
        self.crypt()?;
        let Self { format, mut text, ends, bad, spaced, .. } = self;
        text.bytes.truncate(text.used);
        let buffer = String::from_utf8(text.bytes).map_err(Error::internal)?;
        let digits = Texts::from_buffer(buffer, ends).ok_or_else(|| Error::internal("values out of order"))?;
        if !spaced {
            return Ok(Outcome { texts: digits, bad });
        }
        let mut texts = Texts::with_capacity(2 * digits.bytes());
        for (value, digits) in values.zip(digits.iter()) {
            let Some(digits) = digits else {
                texts.push_null();
                continue;
            };
            let mut digits = digits.chars();
            texts.push_with(|out| {
                let there = |character| if format.passes_through(character) { Some(character) } else { digits.next() };
                out.extend(value.chars().filter_map(there));
            });
        }
        Ok(Outcome { texts, bad })
    }
}

/// Whether a value passes Luhn as one of its kind must; a spoilt check digit of a token is undone.
#[inline]
fn passes(kind: Kind, format: &Format, digits: &mut [u8]) -> bool {
    if kind == Kind::Token && format.luhn == Luhn::Invalid {
        change(&mut digits[format.check_place(digits.len())], luhn::unspoil);
    }
    luhn::text_passes(digits)
}

/// Sets the check digit right after FF1: to what passes Luhn, but for tokens that never shall.
#[inline]
fn complete(kind: Kind, format: &Format, digits: &mut [u8]) {
    let place = format.check_place(digits.len());
    let check = luhn::text_check_digit(digits, place);
    change(&mut digits[place], |_| if spoils(kind, format) { luhn::spoil(check) } else { check });
}

/// [`passes`] for all values of one length.
fn all_pass(kind: Kind, format: &Format, text: &mut [u8], length: usize) -> bool {
    let Some(same) = luhn::SameLength::of(length) else {
        return text.chunks_exact_mut(length).fold(true, |good, value| good & passes(kind, format, value));
    };
    if kind == Kind::Token && format.luhn == Luhn::Invalid {
        let place = format.check_place(length);
        text.chunks_exact_mut(length).for_each(|value| change(&mut value[place], luhn::unspoil));
    }
    same.all_pass(text)
}

/// [`complete`] for all values of one length.
fn complete_all(kind: Kind, format: &Format, text: &mut [u8], length: usize) {
    match luhn::SameLength::of(length) {
        Some(same) => same.complete(text, format.check_place(length), spoils(kind, format)),
        None => text.chunks_exact_mut(length).for_each(|value| complete(kind, format, value)),
    }
}

/// Whether check digits are to be wrong.
fn spoils(kind: Kind, format: &Format) -> bool {
    kind == Kind::Message && format.luhn == Luhn::Invalid
}

/// [`append_tweak`] for all values of one length.
fn append_tweaks(tweaks: &mut Buffer, format: &Format, values: &[u8], length: usize) {
    let trailing = format.keep_trailing;
    if format.keep_leading > 0 || !(1..8).contains(&trailing) || length < 8 {
        return values.chunks_exact(length).for_each(|value| append_tweak(tweaks, format, None, value));
    }
    let others = 8 * (8 - trailing);
    let tweak = |value: &[u8]| {
        let last = value.last_chunk().map_or(0, |last| u64::from_le_bytes(*last));
        (last >> others) << 8 | u64::from(tweak::SEPARATOR)
    };
    tweaks.append_words(values.chunks_exact(length).map(tweak), (values.len() / length, 1 + trailing));
}

/// Appends what follows the profile's domain in the tweak of these digits.
#[inline]
fn append_tweak(tweaks: &mut Buffer, format: &Format, iv: Option<&Iv>, digits: &[u8]) {
    let (leading, trailing) = (&digits[..format.keep_leading], &digits[digits.len() - format.keep_trailing..]);
    if iv.is_none() && leading.is_empty() && trailing.len() < 8 {
        tweaks.append_word(short_word(trailing) << 8 | u64::from(tweak::SEPARATOR), 1 + trailing.len());
    } else {
        for part in [iv.map(Iv::as_bytes).unwrap_or_default(), leading, &[tweak::SEPARATOR], trailing] {
            tweaks.append(part);
        }
    }
}

/// Whether there are digits only, eight at a time.
#[inline]
fn are_digits(text: &[u8]) -> bool {
    let eight = |chunk: &[u8; 8]| {
        let word = u64::from_le_bytes(*chunk);
        let high = u64::from_ne_bytes([0xf0; 8]);
        let zeros = u64::from_ne_bytes([b'0'; 8]);
        // Digits are 0x30 to 0x39: six more still is below 0x40. Only where all are 0x3_ nothing is carried over.
        word & high == zeros && word.wrapping_add(u64::from_ne_bytes([6; 8])) & high == zeros
    };
    match text.last_chunk::<8>() {
        Some(last) => text.as_chunks::<8>().0.iter().all(eight) && eight(last),
        None => text.iter().all(u8::is_ascii_digit),
    }
}

/// [`are_digits`] for long text, sixteen at a time and more: there is no end to look for.
fn are_all_digits(text: &[u8]) -> bool {
    let any_other = |text: &[u8]| text.iter().fold(false, |any, byte| any | (byte.wrapping_sub(b'0') > 9));
    let (chunks, rest) = text.as_chunks::<64>();
    !(chunks.iter().fold(false, |any, chunk| any | any_other(chunk)) | any_other(rest))
}

/// Changes a digit that is there as a character.
#[inline]
fn change(character: &mut u8, to: impl FnOnce(u16) -> u16) {
    *character = b'0' | to(u16::from(*character & 0x0f)) as u8;
}
