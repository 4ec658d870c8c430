//! The cipher over text.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::ascii::Ascii;
use crate::prepared::Prepared;
use crate::{Alphabet, Direction, Error, Failure, Item, Key};

/// FF1 over ASCII text: an [`Ff1`](crate::Ff1) with an [`Alphabet`].
///
/// Texts are bytes, one per symbol, changed in place. Cloning is cheap, and one object may be used by any number of
/// threads.
#[derive(Clone)]
pub struct Ff1Text {
    prepared: Arc<Prepared>,
    ascii: Arc<Ascii>,
    alphabet: Alphabet,
}

impl Ff1Text {
    /// Prepares FF1 for texts of this alphabet.
    #[must_use]
    pub fn new(key: &Key, alphabet: &Alphabet) -> Self {
        Self::of(Arc::new(Prepared::new(key, alphabet.size(), Vec::new())), alphabet)
    }

    /// The alphabet must have as many symbols as the radix of `prepared`.
    pub(crate) fn of(prepared: Arc<Prepared>, alphabet: &Alphabet) -> Self {
        Self { prepared, ascii: Arc::new(Ascii::new(alphabet)), alphabet: *alphabet }
    }

    /// The same cipher with every tweak starting with these bytes; see
    /// [`Ff1::with_tweak_prefix`](crate::Ff1::with_tweak_prefix).
    #[must_use]
    pub fn with_tweak_prefix(&self, prefix: &[u8]) -> Self {
        Self { prepared: Arc::new(self.prepared.with_tweak_prefix(prefix)), ..self.clone() }
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
        self.prepared.crypt(&*self.ascii, tweak, text, Direction::Encrypt)
    }

    /// Decrypts in place.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn decrypt(&self, tweak: &[u8], text: &mut [u8]) -> Result<(), Error> {
        self.prepared.crypt(&*self.ascii, tweak, text, Direction::Decrypt)
    }

    /// Encrypts many values in place; see [`Ff1::encrypt_batch`](crate::Ff1::encrypt_batch).
    pub fn encrypt_batch(&self, text: &mut [u8], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        self.prepared.crypt_batch(&*self.ascii, tweaks, text, items, Direction::Encrypt)
    }

    /// Decrypts many values in place; see [`Ff1::encrypt_batch`](crate::Ff1::encrypt_batch).
    pub fn decrypt_batch(&self, text: &mut [u8], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        self.prepared.crypt_batch(&*self.ascii, tweaks, text, items, Direction::Decrypt)
    }
}
