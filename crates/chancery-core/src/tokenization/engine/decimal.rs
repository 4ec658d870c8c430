//! Decimal values through FF1 as the text that they are: one buffer is read into, encrypted and answered.
//!
//! For profiles whose tokens are as long as their messages. The answers are those of the general way.

use chancery_keys::ff1::{Alphabet, Failure, Ff1, Ff1Text, Item};
use chancery_types::{Luhn, wire::Texts};

use super::{
    super::{format::Format, luhn, refusal::BadValue, tweak, values::between, versions::Versions},
    Iv, Outcome,
};
use crate::{Error, Result};

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

/// The values of one batch on their way, one after the other.
pub(super) struct Values<'f> {
    kind: Kind,
    format: &'f Format,
    cipher: &'f Ff1Text,
    /// Their digits, without passThrough characters.
    text: Buffer,
    /// Of each value where its digits end, and whether it is one that was not refused; those have none.
    ends: Vec<(usize, bool)>,
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

impl<'f> Values<'f> {
    pub(super) fn new(kind: Kind, format: &'f Format, cipher: &'f Ff1Text, count: usize) -> Self {
        Self {
            kind,
            format,
            cipher,
            text: Buffer::with_room(count.saturating_mul(format.max.min(24))),
            ends: Vec::with_capacity(count),
            done: 0,
            tweaks: Buffer::with_room(0),
            items: Vec::with_capacity(count.min(TOGETHER)),
            bad: Vec::new(),
            spaced: false,
        }
    }

    /// Adds a value, or why it is refused.
    #[inline]
    pub(super) fn add(&mut self, value: &str, iv: Option<&Iv>) -> Result<()> {
        let start = self.text.used;
        match self.read(value).and_then(|()| self.check(start)) {
            Ok(()) => {
                self.add_item(start, iv);
                self.ends.push((self.text.used, true));
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
        self.ends.push((self.text.used, false));
    }

    /// Appends the digits.
    #[inline]
    fn read(&mut self, value: &str) -> Result<(), BadValue> {
        let bytes_max = match self.kind {
            Kind::Message => self.format.value_max,
            Kind::Token => self.format.value_max.saturating_add(4 * self.format.max),
        };
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
        if !format.has_check_digit() {
            return Ok(());
        }
        let wrong = match kind {
            Kind::Message => BadValue::Luhn,
            Kind::Token => BadValue::NoSuchToken,
        };
        if kind == Kind::Token && format.luhn == Luhn::Invalid {
            let check = digits.len() - format.keep_trailing - 1;
            change(&mut digits[check], luhn::unspoil);
        }
        if luhn::text_passes(digits) { Ok(()) } else { Err(wrong) }
    }

    /// The digits from `start` on go through FF1.
    #[inline]
    fn add_item(&mut self, start: usize, iv: Option<&Iv>) {
        let Format { keep_leading, keep_trailing, .. } = *self.format;
        let digits = self.text.since(start);
        let (leading, trailing) = (&digits[..keep_leading], &digits[digits.len() - keep_trailing..]);
        let tweak_start = self.tweaks.used;
        if iv.is_none() && keep_leading == 0 && keep_trailing < 8 {
            let word = short_word(trailing) << 8 | u64::from(tweak::SEPARATOR);
            self.tweaks.append_word(word, 1 + keep_trailing);
        } else {
            for part in [iv.map(Iv::as_bytes).unwrap_or_default(), leading, &[tweak::SEPARATOR], trailing] {
                self.tweaks.append(part);
            }
        }
        let length = digits.len() - keep_leading - keep_trailing - usize::from(self.format.has_check_digit());
        let tweak_length = self.tweaks.used - tweak_start;
        self.items.push(Item { start: start + keep_leading, length, tweak_start, tweak_length });
    }

    /// Encrypts or decrypts the values that wait for it, and sets the check digits right: to what passes Luhn, but for
    /// tokens that never shall.
    fn crypt(&mut self) -> Result<()> {
        let (kind, format, text) = (self.kind, self.format, self.text.since(0));
        let tweaks = &self.tweaks.bytes[..self.tweaks.used];
        if let [Item { start, length, tweak_start, tweak_length }] = self.items[..] {
            let (value, tweak) = (&mut text[start..][..length], &tweaks[tweak_start..][..tweak_length]);
            match kind {
                Kind::Message => self.cipher.encrypt(tweak, value),
                Kind::Token => self.cipher.decrypt(tweak, value),
            }
            .map_err(Error::internal)?;
        } else {
            let failures: Vec<Failure> = match kind {
                Kind::Message => self.cipher.encrypt_batch(text, tweaks, &self.items),
                Kind::Token => self.cipher.decrypt_batch(text, tweaks, &self.items),
            };
            super::ff1::all_done(&failures)?;
        }
        if format.has_check_digit() {
            let spoil = kind == Kind::Message && format.luhn == Luhn::Invalid;
            let good = self.ends[self.done..].iter().filter(|(_, good)| *good).map(|&(end, _)| end);
            for (item, end) in self.items.iter().zip(good) {
                let digits = &mut text[item.start - format.keep_leading..end];
                let place = format.keep_leading + item.length;
                let check = luhn::text_check_digit(digits, place);
                change(&mut digits[place], |_| if spoil { luhn::spoil(check) } else { check });
            }
        }
        self.done = self.ends.len();
        self.items.clear();
        self.tweaks.used = 0;
        Ok(())
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
        let mut texts = Texts::with_capacity(digits.len(), 2 * digits.bytes());
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

/// Bytes that are appended without a call for each few of them.
struct Buffer {
    bytes: Vec<u8>,
    /// What is after these has no meaning.
    used: usize,
}

impl Buffer {
    fn with_room(bytes: usize) -> Self {
        Self { bytes: vec![0; bytes.saturating_add(64)], used: 0 }
    }

    /// Appends the lowest bytes of the word.
    #[inline]
    fn append_word(&mut self, word: u64, bytes: usize) {
        let start = self.used;
        self.make_room(start + bytes);
        self.bytes[start..][..8].copy_from_slice(&word.to_le_bytes());
        self.used = start + bytes;
    }

    /// For so many, and for eight more.
    #[inline]
    fn make_room(&mut self, bytes: usize) {
        if self.bytes.len() < bytes + 8 {
            self.bytes.resize(2 * bytes + 64, 0);
        }
    }

    #[inline]
    fn append(&mut self, part: &[u8]) {
        let (start, end) = (self.used, self.used + part.len());
        self.make_room(end);
        let room = &mut self.bytes[start..end + 8];
        match (part.first_chunk::<8>(), part.last_chunk::<8>()) {
            (Some(first), Some(last)) if part.len() <= 24 => {
                let middle = &part[(part.len() - 8) / 2..][..8];
                room[..8].copy_from_slice(first);
                room[(part.len() - 8) / 2..][..8].copy_from_slice(middle);
                room[part.len() - 8..][..8].copy_from_slice(last);
            }
            (Some(_), Some(_)) => room[..part.len()].copy_from_slice(part),
            _ => room[..8].copy_from_slice(&short_word(part).to_le_bytes()),
        }
        self.used = end;
    }

    /// Those in use, from one on.
    #[inline]
    fn since(&mut self, start: usize) -> &mut [u8] {
        &mut self.bytes[start..self.used]
    }
}

/// Fewer than eight bytes, the first one lowest.
#[inline]
fn short_word(part: &[u8]) -> u64 {
    match (part.first_chunk::<4>(), part.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u64::from(first) | u64::from(last) << (8 * (part.len() - 4))
        }
        _ => part.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
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

/// Changes a digit that is there as a character.
#[inline]
fn change(character: &mut u8, to: impl FnOnce(u16) -> u16) {
    *character = b'0' | to(u16::from(*character & 0x0f)) as u8;
}
