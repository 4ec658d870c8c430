//! PRF of SP 800-38G Algorithm 6: CBC-MAC with a zero initial value, fed piece by piece.

use crate::key::Expanded;

/// The chaining value and how many bytes of the next block are already folded into it.
#[derive(Clone, Copy)]
pub(crate) struct Mac {
    state: u128,
    filled: usize,
}

const BLOCK: usize = 16;

impl Mac {
    /// Algorithm 7 step 5: P = [1] ‖ [2] ‖ [1] ‖ [radix]³ ‖ [10] ‖ [u mod 256] ‖ [n]⁴ ‖ [t]⁴, and its encryption.
    pub(crate) fn start(key: &Expanded, radix: u32, n: u32, t: u32) -> Self {
        let u = n / 2;
        let p = 0x01_02_01 << 104
            | u128::from(radix) << 80
            | 10 << 72
            | u128::from(u % 256) << 64
            | u128::from(n) << 32
            | u128::from(t);
        Self { state: key.encrypt(p), filled: 0 }
    }

    /// Folds in bytes of any number.
    pub(crate) fn update(mut self, key: &Expanded, mut bytes: &[u8]) -> Self {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.filled));
            let mut block = [0; BLOCK];
            block[self.filled..self.filled + now.len()].copy_from_slice(now);
            self.state ^= u128::from_be_bytes(block);
            self = self.advance(key, now.len());
            bytes = later;
        }
        self
    }

    /// The zeros of step 6i, with which [i] and NUM(B) (1 + b bytes) end exactly at the end of a block.
    pub(crate) fn pad(self, key: &Expanded, b: usize) -> Self {
        let start = (BLOCK - (1 + b) % BLOCK) % BLOCK;
        let zeros = (start + BLOCK - self.filled) % BLOCK;
        if self.filled + zeros >= BLOCK {
            let rest = self.advance(key, BLOCK - self.filled);
            Self { filled: start, ..rest }
        } else {
            Self { filled: start, ..self }
        }
    }

    /// The chaining value: the MAC itself if the input ended with a block.
    pub(crate) fn state(self) -> u128 {
        self.state
    }

    /// Moves on by at most to the end of the block, and encrypts there.
    fn advance(self, key: &Expanded, bytes: usize) -> Self {
        match self.filled + bytes {
            BLOCK => Self { state: key.encrypt(self.state), filled: 0 },
            filled => Self { filled, ..self },
        }
    }
}
