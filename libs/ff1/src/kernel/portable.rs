//! AES through the `aes` crate.

use ::aes::Block;
use ::aes::cipher::BlockCipherEncrypt;

use crate::aes::Aes;
use crate::key::Cipher;

impl Aes for Cipher {
    #[inline(always)]
    fn encrypt<const N: usize>(&self, blocks: &mut [u128; N]) {
        let mut bytes = blocks.map(|block| Block::from(block.to_be_bytes()));
        match self {
            Self::Aes128(aes) => aes.encrypt_blocks(&mut bytes),
            Self::Aes192(aes) => aes.encrypt_blocks(&mut bytes),
            Self::Aes256(aes) => aes.encrypt_blocks(&mut bytes),
        }
        *blocks = bytes.map(|block| u128::from_be_bytes(block.into()));
    }
}
