//! The cipher over digits.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::prepared::Prepared;
use crate::symbols::Digits;
use crate::{Alphabet, Direction, Error, Failure, Ff1Text, Item, Key};

/// FF1 for one key and radix, with an optional constant start of every tweak.
///
/// Digits are `u16`, each below the radix, the most significant first. Cloning is cheap, and one object may be used by
/// any number of threads. Making one takes microseconds: make it once per key, not once per value.
#[derive(Clone)]
pub struct Ff1 {
    prepared: Arc<Prepared>,
    digits: Arc<Digits>,
}

impl Ff1 {
    /// Prepares FF1 for numbers of this radix, 2..=65536.
    ///
    /// # Errors
    /// [`Error::Radix`]
    pub fn new(key: &Key, radix: u32) -> Result<Self, Error> {
        match radix {
            2..=0x1_0000 => Ok(Self {
                prepared: Arc::new(Prepared::new(key, radix, Vec::new())),
                digits: Arc::new(Digits::new(radix)),
            }),
            _ => Err(Error::Radix(radix)),
        }
    }

    /// The same cipher with every tweak starting with these bytes: the tweak used is prefix ‖ the tweak of the call.
    ///
    /// The prefix is taken into the CBC-MAC once per length and tweak length, not once per value.
    #[must_use]
    pub fn with_tweak_prefix(&self, prefix: &[u8]) -> Self {
        Self { prepared: Arc::new(self.prepared.with_tweak_prefix(prefix)), digits: self.digits.clone() }
    }

    /// The same cipher over text: a symbol stands for the digit of its place in the alphabet. What is prepared is shared.
    ///
    /// # Errors
    /// [`Error::Radix`] of the alphabet's size, if that is not the radix.
    pub fn with_alphabet(&self, alphabet: &Alphabet) -> Result<Ff1Text, Error> {
        if alphabet.size() != self.radix() {
            return Err(Error::Radix(alphabet.size()));
        }
        Ok(Ff1Text::of(self.prepared.clone(), alphabet))
    }

    /// The radix.
    #[must_use]
    pub fn radix(&self) -> u32 {
        self.prepared.radix()
    }

    /// Encrypts in place.
    ///
    /// # Errors
    /// [`Error::DomainTooSmall`], [`Error::TooLong`], [`Error::TweakTooLong`], [`Error::DigitOutOfRange`]; the digits
    /// are then as they were.
    pub fn encrypt(&self, tweak: &[u8], digits: &mut [u16]) -> Result<(), Error> {
        self.prepared.crypt(&*self.digits, tweak, digits, Direction::Encrypt)
    }

    /// Decrypts in place.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn decrypt(&self, tweak: &[u8], digits: &mut [u16]) -> Result<(), Error> {
        self.prepared.crypt(&*self.digits, tweak, digits, Direction::Decrypt)
    }

    /// Encrypts many values in place; `items` says where in `digits` and `tweaks` each has its symbols and its tweak.
    ///
    /// Values of any lengths may be mixed. The result lists what was refused, in the order of the items; a refused value
    /// is left as it was and does not disturb the others. If items overlap, the digits they share end up unspecified.
    pub fn encrypt_batch(&self, digits: &mut [u16], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        self.prepared.crypt_batch(&*self.digits, tweaks, digits, items, Direction::Encrypt)
    }

    /// Decrypts many values in place; see [`encrypt_batch`](Self::encrypt_batch).
    pub fn decrypt_batch(&self, digits: &mut [u16], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        self.prepared.crypt_batch(&*self.digits, tweaks, digits, items, Direction::Decrypt)
    }
}
