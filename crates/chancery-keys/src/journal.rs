//! The key of a journal of the data plane: tags by which tokens are found in it, and MACs of its records.

use aes::{
    Aes256, Block,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use aws_lc_rs::{constant_time::verify_slices_are_equal, hkdf};
use zeroize::Zeroizing;

use crate::{KeyRef, KeySpec, OpenError, Secret, generate::HMAC_KEY_LEN, root::Bytes};

/// Bytes of a token's tag.
pub const JOURNAL_TAG_LEN: usize = 8;

/// Bytes of a record's MAC.
pub const JOURNAL_MAC_LEN: usize = 16;

const BLOCK: usize = 16;

/// Blocks that are encrypted together: what the processor does side by side, so many times over that it costs little to
/// begin.
const TOGETHER: usize = 256;

/// Of fewer tokens each has its tag by itself.
const FEW: usize = 4;

/// An open key of a journal. Tags and MACs are AES-256-CMAC (NIST SP 800-38B) under a key each, both derived from it.
pub struct JournalKey {
    tags: Cmac,
    records: Cmac,
}

impl JournalKey {
    pub(crate) fn new(key: KeyRef, secret: &Secret) -> Result<Self, OpenError> {
        let secret = secret.expose();
        if key.spec != KeySpec::Hmac256 || secret.len() != HMAC_KEY_LEN {
            return Err(OpenError::Unusable);
        }
        // The labels are part of the journal's format.
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(secret);
        let derive = |label: &[u8]| {
            let mut derived = Zeroizing::new([0; 32]);
            let filled = extracted.expand(&[label], Bytes(derived.len())).and_then(|key| key.fill(&mut derived[..]));
            filled.map_err(|_| OpenError::Unusable)?;
            Ok::<_, OpenError>(Cmac::new(&derived))
        };
        Ok(Self { tags: derive(b"chancery journal tags")?, records: derive(b"chancery journal records")? })
    }

    /// The tag of a token.
    #[must_use]
    pub fn tag(&self, token: &[u8]) -> [u8; JOURNAL_TAG_LEN] {
        shortened(&self.tags.code(token))
    }

    /// The tags of many tokens, one after the other; zeros where there is no token.
    #[must_use]
    pub fn tags<'t>(&self, tokens: impl ExactSizeIterator<Item = Option<&'t [u8]>>) -> Vec<u8> {
        if tokens.len() < FEW {
            return tokens.flat_map(|token| token.map_or([0; JOURNAL_TAG_LEN], |token| self.tag(token))).collect();
        }
        let mut tags = Vec::with_capacity(tokens.len() * JOURNAL_TAG_LEN);
        let mut blocks = [Block::default(); TOGETHER];
        let mut tokens = tokens.peekable();
        while tokens.peek().is_some() {
            let (mut count, mut apart) = (0, [None; TOGETHER]);
            for (block, (token, apart)) in blocks.iter_mut().zip(tokens.by_ref().zip(&mut apart)) {
                *apart = match token {
                    Some(token) if token.len() <= BLOCK => {
                        *block = self.tags.last_block(token).into();
                        None
                    }
                    Some(token) => Some(self.tag(token)),
                    None => Some([0; JOURNAL_TAG_LEN]),
                };
                count += 1;
            }
            self.tags.cipher.encrypt_blocks(&mut blocks[..count]);
            for (block, apart) in blocks[..count].iter().zip(apart) {
                tags.extend_from_slice(&apart.unwrap_or_else(|| shortened(&(*block).into())));
            }
        }
        tags
    }

    /// The tags of tokens of equally many bytes that stand one after the other, as those of most batches do: a fraction of
    /// what [`tags`](Self::tags) costs where a token is a block at most.
    #[must_use]
    pub fn tags_of_even(&self, tokens: &[u8], length: usize, count: usize) -> Vec<u8> {
        if !(1..=BLOCK).contains(&length) || tokens.len() != length * count || count < FEW {
            return self.tags((0..count).map(|index| tokens.get(index * length..(index + 1) * length)));
        }
        let mut tags = Vec::with_capacity(count * JOURNAL_TAG_LEN);
        let (mut blocks, mut some) = ([Block::default(); TOGETHER], [[0; JOURNAL_TAG_LEN]; TOGETHER]);
        // A token is read with what follows it, which the mask takes away. The last ones have too little behind them.
        let mask = (u128::MAX << (8 * (BLOCK - length))).to_be();
        let rest = self.tags.rest_of_last_block(length).to_be();
        let (mut wide, mut whole) = (tokens.windows(BLOCK).step_by(length), tokens.as_chunks().0);
        let (mut left, all) = (wide.len(), wide.len());
        while left > 0 {
            let many = &mut blocks[..TOGETHER.min(left)];
            left -= many.len();
            if length == BLOCK {
                // Slices on both sides, so that the processor does several at a time.
                let (now, later) = whole.split_at(many.len());
                whole = later;
                for (block, token) in many.iter_mut().zip(now) {
                    *block = (u128::from_ne_bytes(*token) ^ rest).to_ne_bytes().into();
                }
            } else {
                last_blocks(many, &mut wide, (mask, rest));
            }
            self.tags.cipher.encrypt_blocks(many);
            for (block, tag) in many.iter().zip(&mut some) {
                *tag = shortened(&(*block).into());
            }
            tags.extend_from_slice(some[..many.len()].as_flattened());
        }
        tokens[all * length..].chunks_exact(length).for_each(|token| tags.extend_from_slice(&self.tag(token)));
        tags
    }

    /// The MAC of a record, over the hash of the records up to it.
    #[must_use]
    pub fn mac(&self, hash: &[u8; 32]) -> [u8; JOURNAL_MAC_LEN] {
        self.records.code(hash)
    }

    /// Whether this is the MAC, in a time that does not tell where it differs.
    #[must_use]
    pub fn verify(&self, hash: &[u8; 32], mac: &[u8]) -> bool {
        verify_slices_are_equal(&self.mac(hash), mac).is_ok()
    }
}

/// Apart, so that the compiler has the registers for it.
#[inline(never)]
fn last_blocks<'t>(blocks: &mut [Block], tokens: &mut impl Iterator<Item = &'t [u8]>, (mask, rest): (u128, u128)) {
    for (block, token) in blocks.iter_mut().zip(tokens) {
        let token = token.first_chunk().map_or(0, |bytes| u128::from_ne_bytes(*bytes));
        *block = ((token & mask) ^ rest).to_ne_bytes().into();
    }
}

fn shortened(code: &[u8; BLOCK]) -> [u8; JOURNAL_TAG_LEN] {
    std::array::from_fn(|place| code[place])
}

/// AES-256-CMAC (NIST SP 800-38B, section 6). Its own because a batch's tags are computed side by side.
struct Cmac {
    cipher: Aes256,
    k1: u128,
    k2: u128,
}

impl Drop for Cmac {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.k1);
        zeroize::Zeroize::zeroize(&mut self.k2);
    }
}

impl Cmac {
    fn new(key: &[u8; 32]) -> Self {
        let cipher = Aes256::new(key.into());
        let mut l = Block::default();
        cipher.encrypt_block(&mut l);
        let k1 = dbl(u128::from_be_bytes(l.into()));
        Self { cipher, k1, k2: dbl(k1) }
    }

    /// What is encrypted last of a message of one block.
    fn last_block(&self, message: &[u8]) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        block[..message.len()].copy_from_slice(message);
        let subkey = match block.get_mut(message.len()) {
            Some(padding) => {
                *padding = 0x80;
                self.k2
            }
            None => self.k1,
        };
        (u128::from_be_bytes(block) ^ subkey).to_be_bytes()
    }

    /// What is added to the only block of a message of so many bytes, a block at most: the padding, and the subkey.
    fn rest_of_last_block(&self, length: usize) -> u128 {
        match BLOCK - length {
            0 => self.k1,
            padding => self.k2 ^ (0x80 << (8 * (padding - 1))),
        }
    }

    fn code(&self, message: &[u8]) -> [u8; BLOCK] {
        let whole = message.len().saturating_sub(1) / BLOCK * BLOCK;
        let (blocks, last) = message.split_at(whole);
        let mut chain = 0;
        for block in blocks.chunks_exact(BLOCK) {
            let block: [u8; BLOCK] = std::array::from_fn(|place| block[place]);
            chain = self.encrypt(chain ^ u128::from_be_bytes(block));
        }
        self.encrypt(chain ^ u128::from_be_bytes(self.last_block(last))).to_be_bytes()
    }

    fn encrypt(&self, block: u128) -> u128 {
        let mut block = Block::from(block.to_be_bytes());
        self.cipher.encrypt_block(&mut block);
        u128::from_be_bytes(block.into())
    }
}

/// Multiplication by x in GF(2^128), without a branch on the value.
const fn dbl(value: u128) -> u128 {
    (value << 1) ^ ((value >> 127) * 0x87)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::cmac;

    use super::*;

    #[test]
    fn codes_are_those_of_another_implementation() {
        let key: [u8; 32] = std::array::from_fn(|place| 3 * place as u8 + 1);
        let (ours, theirs) = (Cmac::new(&key), cmac::Key::new(cmac::AES_256, &key).unwrap());
        let message: Vec<u8> = (0..=255).collect();
        for length in 0..100 {
            let code = cmac::sign(&theirs, &message[..length]).unwrap();
            assert_eq!(ours.code(&message[..length])[..], *code.as_ref(), "{length}");
        }
    }

    #[test]
    fn many_tags_are_the_tags_of_each() {
        let reference = KeyRef {
            id: chancery_types::KeyId::from_u128(1),
            version: 1,
            purpose: crate::Purpose::Journal,
            spec: KeySpec::Hmac256,
        };
        let key = JournalKey::new(reference, &Secret::copied(&[7; 32])).unwrap();
        let text: Vec<u8> = (0..=255).collect();
        for count in [0, 1, 63, 64, 65, 200] {
            let tokens: Vec<_> = (0..count).map(|index| (index % 5 > 0).then(|| &text[..index % 40])).collect();
            let expected: Vec<_> =
                tokens.iter().flat_map(|token| token.map_or([0; 8], |token| key.tag(token))).collect();
            assert_eq!(key.tags(tokens.iter().copied()), expected, "{count}");
        }
        for (length, count) in (0..=40).flat_map(|length| [0, 1, 2, 63, 64, 65, 200].map(|count| (length, count))) {
            let tokens: Vec<u8> = (0..length * count).map(|place| (place % 251) as u8).collect();
            let each = (0..count).flat_map(|index| key.tag(&tokens[index * length..][..length]));
            assert_eq!(key.tags_of_even(&tokens, length, count), each.collect::<Vec<_>>(), "{count} of {length}");
        }
        assert!(key.verify(&[1; 32], &key.mac(&[1; 32])) && !key.verify(&[2; 32], &key.mac(&[1; 32])));
        assert_ne!(key.mac(&[1; 32])[..8], key.tag(&[1; 32]), "a key each");
    }
}
