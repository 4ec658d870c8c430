//! The cipher over digits.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::batch::{Failure, Item};
use crate::long::Long;
use crate::mac::Mac;
use crate::{Direction, Error, Key};

/// FF1 for one key and radix, with an optional constant start of every tweak.
///
/// Digits are `u16`, each below the radix, the most significant first. Cloning is cheap, and one object may be used by
/// any number of threads.
#[derive(Clone)]
pub struct Ff1(Arc<Prepared>);

struct Prepared {
    key: Key,
    radix: u32,
    prefix: Vec<u8>,
}

/// SP 800-38G Rev. 1 section 5.2: radix^minlen ≥ 1,000,000.
const DOMAIN_LEAST: u64 = 1_000_000;

impl Ff1 {
    /// Prepares FF1 for numbers of this radix, 2..=65536.
    ///
    /// # Errors
    /// [`Error::Radix`]
    pub fn new(key: &Key, radix: u32) -> Result<Self, Error> {
        match radix {
            2..=0x1_0000 => Ok(Self::with_radix(key, radix)),
            _ => Err(Error::Radix(radix)),
        }
    }

    /// The radix must be 2..=65536.
    pub(crate) fn with_radix(key: &Key, radix: u32) -> Self {
        Self(Arc::new(Prepared { key: key.clone(), radix, prefix: Vec::new() }))
    }

    /// The same cipher with every tweak starting with these bytes: the tweak used is prefix ‖ the tweak of the call.
    ///
    /// Whole blocks of 16 bytes of it are taken into the CBC-MAC once per length and tweak length, not for every value.
    #[must_use]
    pub fn with_tweak_prefix(&self, prefix: &[u8]) -> Self {
        let prefix = [&self.0.prefix, prefix].concat();
        Self(Arc::new(Prepared { key: self.0.key.clone(), radix: self.0.radix, prefix }))
    }

    /// The radix.
    #[must_use]
    pub fn radix(&self) -> u32 {
        self.0.radix
    }

    /// Encrypts in place.
    ///
    /// # Errors
    /// [`Error::DomainTooSmall`], [`Error::TooLong`], [`Error::TweakTooLong`], [`Error::DigitOutOfRange`]; the digits
    /// are then as they were.
    pub fn encrypt(&self, tweak: &[u8], digits: &mut [u16]) -> Result<(), Error> {
        self.crypt(tweak, digits, Direction::Encrypt)
    }

    /// Decrypts in place.
    ///
    /// # Errors
    /// As [`encrypt`](Self::encrypt).
    pub fn decrypt(&self, tweak: &[u8], digits: &mut [u16]) -> Result<(), Error> {
        self.crypt(tweak, digits, Direction::Decrypt)
    }

    /// Encrypts many values in place; `items` says where in `digits` and `tweaks` each has its symbols and its tweak.
    ///
    /// Values of any lengths may be mixed. The result lists what was refused, in the order of the items; a refused value
    /// is left as it was and does not disturb the others. If items overlap, the digits they share end up unspecified.
    pub fn encrypt_batch(&self, digits: &mut [u16], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        crate::batch::each(digits, tweaks, items, |tweak, value| self.encrypt(tweak, value))
    }

    /// Decrypts many values in place; see [`encrypt_batch`](Self::encrypt_batch).
    pub fn decrypt_batch(&self, digits: &mut [u16], tweaks: &[u8], items: &[Item]) -> Vec<Failure> {
        crate::batch::each(digits, tweaks, items, |tweak, value| self.decrypt(tweak, value))
    }

    fn crypt(&self, tweak: &[u8], digits: &mut [u16], direction: Direction) -> Result<(), Error> {
        let Prepared { key, radix, prefix } = &*self.0;
        let (n, t) = lengths(*radix, digits.len(), prefix.len() + tweak.len())?;
        if let Some(position) = digits.iter().position(|&digit| u32::from(digit) >= *radix) {
            return Err(Error::DigitOutOfRange { position });
        }
        let key = key.expanded();
        let tweaked = Mac::start(key, *radix, n, t).update(key, prefix).update(key, tweak);
        Long::new(*radix).crypt(key, tweaked, digits, direction);
        Ok(())
    }
}

/// The lengths as the standard encodes them, if it allows them.
fn lengths(radix: u32, length: usize, tweak_length: usize) -> Result<(u32, u32), Error> {
    let n = u32::try_from(length).map_err(|_| Error::TooLong { length })?;
    let t = u32::try_from(tweak_length).map_err(|_| Error::TweakTooLong { length: tweak_length })?;
    if u64::from(radix).saturating_pow(n) < DOMAIN_LEAST {
        return Err(Error::DomainTooSmall { radix, length });
    }
    Ok((n, t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_of_a_million_is_the_least() {
        for (radix, length) in [(10, 5), (2, 19), (1000, 1), (999, 2), (65536, 1), (2, 0)] {
            assert_eq!(lengths(radix, length, 0), Err(Error::DomainTooSmall { radix, length }));
        }
        for (radix, length) in [(10, 6), (2, 20), (1000, 2), (65536, 2)] {
            assert_eq!(lengths(radix, length, 0), Ok((length as u32, 0)));
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn lengths_end_at_32_bits() {
        let most = u32::MAX as usize;
        assert_eq!(lengths(10, most, most), Ok((u32::MAX, u32::MAX)));
        assert_eq!(lengths(10, most + 1, 0), Err(Error::TooLong { length: most + 1 }));
        assert_eq!(lengths(10, 16, most + 1), Err(Error::TweakTooLong { length: most + 1 }));
    }
}
