//! The cipher over text.

use alloc::vec::Vec;
use zeroize::Zeroizing;

use crate::batch::{Failure, Item};
use crate::{Alphabet, Error, Ff1, Key};

/// FF1 over ASCII text: an [`Ff1`] with an [`Alphabet`].
///
/// Texts are bytes, one per symbol, changed in place. Cloning is cheap, and one object may be used by any number of
/// threads.
#[derive(Clone)]
pub struct Ff1Text {
    ff1: Ff1,
    alphabet: Alphabet,
}

impl Ff1Text {
    /// Prepares FF1 for texts of this alphabet.
    #[must_use]
    pub fn new(key: &Key, alphabet: &Alphabet) -> Self {
        Self { ff1: Ff1::with_radix(key, alphabet.size()), alphabet: *alphabet }
    }

    /// The same cipher with every tweak starting with these bytes; see [`Ff1::with_tweak_prefix`].
    #[must_use]
    pub fn with_tweak_prefix(&self, prefix: &[u8]) -> Self {
        Self { ff1: self.ff1.with_tweak_prefix(prefix), alphabet: self.alphabet }
    }

    /// The alphabet.
    #[must_use]
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Encrypts in place.
    ///
    /// # Errors
    /// [`Error::DomainTooSmall`], [`Error::TooLong`], [`Error::TweakTooLong`], [`Error::NotInAlphabet`]; the text is
    /// then as it was.
    pub fn encrypt(&self, tweak: &[u8], text: &mut [u8]) -> Result<(), Error> {
        self.through_digits(text, |digits| self.ff1.encrypt(tweak, digits))
    }

    /// Decrypts in place.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn decrypt(&self, tweak: &[u8], text: &mut [u8]) -> Result<(), Error> {
        self.through_digits(text, |digits| self.ff1.decrypt(tweak, digits))
    }

    /// Encrypts many values in place; see [`Ff1::encrypt_batch`].
    pub fn encrypt_batch(&self, text: &mut [u8], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        crate::batch::each(text, tweaks, items, |tweak, value| self.encrypt(tweak, value))
    }

    /// Decrypts many values in place; see [`Ff1::encrypt_batch`].
    pub fn decrypt_batch(&self, text: &mut [u8], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        crate::batch::each(text, tweaks, items, |tweak, value| self.decrypt(tweak, value))
    }

    fn through_digits(
        &self,
        text: &mut [u8],
        crypt: impl FnOnce(&mut [u16]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
        for (position, &symbol) in text.iter().enumerate() {
            digits.push(self.alphabet.digit(symbol).ok_or(Error::NotInAlphabet { position })?);
        }
        crypt(&mut digits)?;
        for (symbol, &digit) in text.iter_mut().zip(digits.iter()) {
            *symbol = self.alphabet.symbol(digit);
        }
        Ok(())
    }
}
