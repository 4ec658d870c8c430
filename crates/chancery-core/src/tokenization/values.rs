//! Values in and out of the work buffer: text to digits, digits to text.

use std::{borrow::Cow, ops::Range};

use chancery_types::Luhn;

use super::{format::Format, luhn, rank, refusal::BadValue};

impl Format {
    /// Appends the digits of a message to `digits`, as FF1 shall get them: all of them with luhn or kept symbols, the
    /// rank with tokenLength. On a refusal `digits` is as before.
    pub(crate) fn take_message(&self, message: &str, digits: &mut Vec<u16>) -> Result<Parts, BadValue> {
        let start = digits.len();
        self.read(message, self.value_max, digits)?;
        let accepted = self.check_message(&digits[start..]);
        if let Err(refusal) = accepted {
            digits.truncate(start);
            return Err(refusal);
        }
        if let Some(width) = self.token_length {
            rank::rank(digits, start, self.min, width, self.alphabet.radix());
        }
        Ok(self.parts(start..digits.len()))
    }

    fn check_message(&self, digits: &[u16]) -> Result<(), BadValue> {
        between(digits.len(), self.min, self.max)?;
        if self.has_check_digit() && !luhn::passes(digits) {
            return Err(BadValue::Luhn);
        }
        Ok(())
    }

    /// Appends the digits of a token to `digits`, with a spoilt check digit undone. On a refusal `digits` is as before.
    pub(crate) fn take_token(&self, token: &str, digits: &mut Vec<u16>) -> Result<Parts, BadValue> {
        let start = digits.len();
        // A token may have more bytes than its message, where symbols of the alphabet have several.
        self.read(token, self.value_max.saturating_add(4 * self.token_length.unwrap_or(self.max)), digits)?;
        let accepted = self.check_token(&mut digits[start..]);
        if let Err(refusal) = accepted {
            digits.truncate(start);
            return Err(refusal);
        }
        Ok(self.parts(start..digits.len()))
    }

    fn check_token(&self, digits: &mut [u16]) -> Result<(), BadValue> {
        let (min, max) = self.token_length.map_or((self.min, self.max), |length| (length, length));
        between(digits.len(), min, max)?;
        let check = digits.len() - self.keep_trailing - 1;
        match self.luhn {
            Luhn::Ignore => return Ok(()),
            Luhn::Valid => {}
            Luhn::Invalid => digits[check] = luhn::unspoil(digits[check]),
        }
        if luhn::passes(digits) { Ok(()) } else { Err(BadValue::NoSuchToken) }
    }

    /// Which digits of a value are kept, encrypted and checked.
    fn parts(&self, all: Range<usize>) -> Parts {
        let free_end = all.end - self.keep_trailing;
        let encrypted_end = free_end - usize::from(self.has_check_digit());
        Parts { encrypted: all.start + self.keep_leading..encrypted_end, free_end, all }
    }

    /// Appends the token whose encrypted digits are in `digits`; `message` says where the passThrough characters are.
    pub(crate) fn put_token(&self, message: &str, digits: &mut [u16], parts: &Parts, out: &mut String) {
        self.restore_check_digit(digits, parts);
        if self.luhn == Luhn::Invalid {
            let check = &mut digits[parts.encrypted.end];
            *check = luhn::spoil(*check);
        }
        self.write(message, &digits[parts.all.clone()], out);
    }

    /// Appends the message whose decrypted digits are in `digits`; `token` says where the passThrough characters are.
    pub(crate) fn put_message(
        &self,
        token: &str,
        digits: &mut [u16],
        parts: &Parts,
        out: &mut String,
    ) -> Result<(), BadValue> {
        self.restore_check_digit(digits, parts);
        if self.token_length.is_none() {
            self.write(token, &digits[parts.all.clone()], out);
            return Ok(());
        }
        let value = &mut digits[parts.all.clone()];
        let length = rank::unrank(value, self.min, self.max, self.alphabet.radix()).ok_or(BadValue::NoSuchToken)?;
        let zeros = value.len() - length;
        self.alphabet.write(&value[zeros..], out);
        Ok(())
    }

    /// Sets the last free digit so that the whole passes Luhn: exactly one digit does, so nothing is lost.
    fn restore_check_digit(&self, digits: &mut [u16], parts: &Parts) {
        if self.has_check_digit() {
            let place = parts.encrypted.end - parts.all.start;
            let value = &mut digits[parts.all.clone()];
            value[place] = luhn::check_digit(value, place);
        }
    }

    /// Appends the digits of all symbols; passThrough characters are left out.
    fn read(&self, value: &str, bytes_max: usize, digits: &mut Vec<u16>) -> Result<(), BadValue> {
        if value.len() > bytes_max {
            return Err(BadValue::TooLarge { bytes_max });
        }
        if self.alphabet.read_decimal(value, digits) {
            return Ok(());
        }
        let start = digits.len();
        for (position, symbol) in value.chars().enumerate() {
            match self.alphabet.digit(symbol) {
                Some(digit) => digits.push(digit),
                None if self.passes_through(symbol) => {}
                None => {
                    digits.truncate(start);
                    return Err(BadValue::NotInAlphabet { position });
                }
            }
        }
        Ok(())
    }

    /// Appends the symbols of `digits`, with the passThrough characters where they are in `shape`.
    fn write(&self, shape: &str, digits: &[u16], out: &mut String) {
        let mut rest = digits;
        // A shape of as many bytes as there are digits has symbols only.
        if !self.pass_through.is_empty() && shape.len() != digits.len() {
            for character in shape.chars() {
                if self.passes_through(character) {
                    out.push(character);
                } else if let Some((&digit, after)) = rest.split_first() {
                    out.push(self.alphabet.symbol(digit));
                    rest = after;
                }
            }
        }
        // Without passThrough: everything. With it nothing is left, unless the token is longer than its message.
        self.alphabet.write(rest, out);
    }
}

/// A value without the characters that pass through.
pub(crate) fn plain(value: &str, passes_through: impl Fn(char) -> bool) -> Cow<'_, str> {
    if value.contains(&passes_through) {
        Cow::Owned(value.chars().filter(|&character| !passes_through(character)).collect())
    } else {
        Cow::Borrowed(value)
    }
}

/// Where the digits of one value are in the work buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// All of them.
    pub(crate) all: Range<usize>,
    /// Those that FF1 encrypts; with luhn the check digit follows.
    pub(crate) encrypted: Range<usize>,
    /// Where the kept trailing digits begin.
    free_end: usize,
}

impl Parts {
    /// The digits kept at the start.
    pub(crate) fn leading(&self) -> Range<usize> {
        self.all.start..self.encrypted.start
    }

    /// The digits kept at the end.
    pub(crate) fn trailing(&self) -> Range<usize> {
        self.free_end..self.all.end
    }
}

pub(super) fn between(symbols: usize, min: usize, max: usize) -> Result<(), BadValue> {
    if symbols < min {
        return Err(BadValue::TooShort { symbols, min });
    }
    if symbols > max {
        return Err(BadValue::TooLong { symbols, max });
    }
    Ok(())
}
