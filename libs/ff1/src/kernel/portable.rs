//! AES through the `aes` crate.

use ::aes::Block;
use ::aes::cipher::BlockCipherEncrypt;

use crate::aes::Aes;
use crate::feistel::lanes_of;
use crate::key::Cipher;

impl Aes for Cipher {
    #[inline(always)]
    fn encrypt<const N: usize>(&self, blocks: &mut [u128; N]) {
        let mut bytes: [Block; N] = lanes_of(|k| Block::from(blocks[k].to_be_bytes()));
        match self {
            Self::Aes128(aes) => aes.encrypt_blocks(&mut bytes),
            Self::Aes192(aes) => aes.encrypt_blocks(&mut bytes),
            Self::Aes256(aes) => aes.encrypt_blocks(&mut bytes),
        }
        *blocks = lanes_of(|k| u128::from_be_bytes(bytes[k].into()));
    }
}
