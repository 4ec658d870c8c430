//! An AES key, expanded once.

use ::aes::cipher::KeyInit;
use ::aes::{Aes128, Aes192, Aes256, Block, hazmat};
use alloc::sync::Arc;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::Error;
use crate::aes::Work;
use crate::kernel::{Engine, Kernel};

/// An AES-128, AES-192 or AES-256 key with its schedule and the kernel that will use it.
///
/// Cloning shares the schedule; the last clone wipes it. There is deliberately no `Debug`.
#[derive(Clone)]
pub struct Key(Arc<Expanded>);

pub(crate) struct Expanded {
    pub(crate) cipher: Cipher,
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std")),
        expect(dead_code, reason = "only the kernels for x86-64 use it")
    )]
    pub(crate) round_keys: RoundKeys,
    pub(crate) engine: Engine,
}

/// The key in the form that the `aes` crate wants.
pub(crate) enum Cipher {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

/// The key schedule of FIPS 197 section 5.2 as bytes, for kernels that run the AES rounds themselves.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct RoundKeys {
    keys: [[u8; 16]; RoundKeys::MOST],
    count: usize,
}

impl Key {
    /// Expands a key of 16, 24 or 32 bytes for the best kernel of this machine, or for the one that the environment
    /// variable `CHANCERY_FF1_KERNEL` names.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::Kernel`] if the variable names a kernel that is not on this machine.
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::with_kernel(key, Kernel::chosen()?)
    }

    /// Expands a key for one particular kernel: for tests and measurements.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::Kernel`] if this machine lacks the kernel.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        let engine = Engine::detect(kernel).ok_or(Error::Kernel)?;
        let length = |_| Error::KeyLength(key.len());
        let cipher = match key.len() {
            16 => Cipher::Aes128(Aes128::new_from_slice(key).map_err(length)?),
            24 => Cipher::Aes192(Aes192::new_from_slice(key).map_err(length)?),
            32 => Cipher::Aes256(Aes256::new_from_slice(key).map_err(length)?),
            other => return Err(Error::KeyLength(other)),
        };
        Ok(Self(Arc::new(Expanded { cipher, round_keys: RoundKeys::expand(key), engine })))
    }

    /// The kernel that batches under this key run on.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.0.engine.kernel()
    }

    /// Does the work on this key's kernel.
    #[inline(always)]
    pub(crate) fn run<W: Work>(&self, work: W) -> W::Output {
        self.0.engine.run(&self.0, work)
    }
}

impl RoundKeys {
    /// AES-256 has 14 rounds and so 15 round keys.
    const MOST: usize = 15;

    /// KeyExpansion of FIPS 197; `key` is 16, 24 or 32 bytes long.
    fn expand(key: &[u8]) -> Self {
        let nk = key.len() / 4;
        let count = nk + 7;
        let mut words = Zeroizing::new([0u32; 4 * Self::MOST]);
        for (word, bytes) in words.iter_mut().zip(key.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let mut rcon = 1u8;
        for i in nk..4 * count {
            let mut word = words[i - 1];
            if i.is_multiple_of(nk) {
                word = sub_word(word.rotate_left(8)) ^ u32::from(rcon) << 24;
                // 0x1B is the reduction by the field's polynomial: the tenth constant of AES-128 needs it.
                rcon = rcon << 1 ^ if rcon & 0x80 == 0 { 0 } else { 0x1b };
            } else if nk > 6 && i % nk == 4 {
                word = sub_word(word);
            }
            words[i] = words[i - nk] ^ word;
        }
        let mut keys = [[0; 16]; Self::MOST];
        for (bytes, word) in keys.as_flattened_mut().chunks_exact_mut(4).zip(words.iter()) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Self { keys, count }
    }

    /// How many there are between the first and the last: 9, 11 or 13.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std")),
        expect(dead_code, reason = "only the kernels for x86-64 use it")
    )]
    #[inline(always)]
    pub(crate) fn middle_count(&self) -> usize {
        self.count - 2
    }

    /// The first, those between, and the last, of which there must be so many between.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std")),
        expect(dead_code, reason = "only the kernels for x86-64 use it")
    )]
    #[inline(always)]
    pub(crate) fn all<const MIDDLE: usize>(&self) -> (&[u8; 16], &[[u8; 16]; MIDDLE], &[u8; 16]) {
        debug_assert_eq!(self.middle_count(), MIDDLE);
        let (first, rest) = self.keys.split_at(1);
        let (middle, rest) = rest.split_first_chunk().expect("at most 13 of 15");
        (&first[0], middle, &rest[0])
    }

    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std")),
        expect(dead_code, reason = "only the kernels for x86-64 use it")
    )]
    #[inline(always)]
    pub(crate) fn parts(&self) -> RoundKeyParts<'_> {
        let (first, rest) = self.keys.split_at(1);
        let (nine, rest) = rest.split_first_chunk().expect("there are 15");
        let (more, _) = rest[..self.count - 11].as_chunks();
        RoundKeyParts { first: &first[0], nine, more, last: &self.keys[self.count - 1] }
    }
}

/// Round keys in the order of their use.
///
/// AES-128, -192 and -256 have nine middle rounds and none, one or two more pairs. Loops over a fixed number and over a
/// few pairs cost less than one over the exact number, whose end the processor cannot foresee.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "std")),
    expect(dead_code, reason = "only the kernels for x86-64 use it")
)]
pub(crate) struct RoundKeyParts<'a> {
    pub(crate) first: &'a [u8; 16],
    pub(crate) nine: &'a [[u8; 16]; 9],
    pub(crate) more: &'a [[[u8; 16]; 2]],
    pub(crate) last: &'a [u8; 16],
}

/// SubWord of FIPS 197 without a table: one whole AES round over four equal columns (which ShiftRows leaves alone)
/// with a round key of zero, and MixColumns taken back.
fn sub_word(word: u32) -> u32 {
    let mut block = Block::default();
    for column in block.chunks_exact_mut(4) {
        column.copy_from_slice(&word.to_be_bytes());
    }
    hazmat::cipher_round(&mut block, &Block::default());
    hazmat::inv_mix_columns(&mut block);
    let result = u32::from_be_bytes([block[0], block[1], block[2], block[3]]);
    block.zeroize();
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// FIPS 197 appendix A: the last word of each expansion.
    #[test]
    fn expansion_of_the_standards_keys() {
        let last = |hex: &str| {
            let key: Vec<u8> = hex::decode(hex).unwrap();
            hex::encode(&RoundKeys::expand(&key).parts().last[12..])
        };
        assert_eq!(last("2b7e151628aed2a6abf7158809cf4f3c"), "b6630ca6");
        assert_eq!(last("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"), "01002202");
        let aes256 = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
        assert_eq!(last(aes256), "706c631e");
    }
}
