//! PRF of SP 800-38G Algorithm 6: CBC-MAC with a zero initial value, fed piece by piece, N messages in lockstep.

use crate::aes::Aes;
use crate::bytes::block;

/// The chaining values and how many bytes of the next block are already folded into each.
#[derive(Clone, Copy)]
pub(crate) struct Mac<const N: usize> {
    pub(crate) states: [u128; N],
    filled: usize,
}

const BLOCK: usize = 16;

impl Mac<1> {
    /// Algorithm 7 step 5: P = [1] ‖ [2] ‖ [1] ‖ [radix]³ ‖ [10] ‖ [u mod 256] ‖ [n]⁴ ‖ [t]⁴, and its encryption.
    #[inline(always)]
    pub(crate) fn start(aes: &(impl Aes + ?Sized), radix: u32, n: u32, t: u32) -> Self {
        let u = n / 2;
        let mut p = [0x01_02_01 << 104
            | u128::from(radix) << 80
            | 10 << 72
            | u128::from(u % 256) << 64
            | u128::from(n) << 32
            | u128::from(t)];
        aes.encrypt(&mut p);
        Self { states: p, filled: 0 }
    }

    /// A MAC that was kept: its state, after so many bytes.
    pub(crate) fn resume(state: u128, bytes: usize) -> Self {
        Self { states: [state], filled: bytes % BLOCK }
    }

    /// The same beginning for N messages.
    pub(crate) fn spread<const N: usize>(self) -> Mac<N> {
        Mac { states: [self.states[0]; N], filled: self.filled }
    }
}

impl<const N: usize> Mac<N> {
    /// Folds in bytes of any number, the same number for each message.
    #[inline(always)]
    pub(crate) fn update(mut self, aes: &(impl Aes + ?Sized), mut messages: [&[u8]; N]) -> Self {
        while !messages[0].is_empty() {
            let taken = messages[0].len().min(BLOCK - self.filled);
            for (state, message) in self.states.iter_mut().zip(&mut messages) {
                let (now, later) = message.split_at(taken);
                *state ^= block(now) >> (8 * self.filled);
                *message = later;
            }
            self = self.advance(aes, taken);
        }
        self
    }

    /// The zeros of step 6i, with which [i] and NUM(B) (1 + b bytes) end exactly at the end of a block.
    #[inline(always)]
    pub(crate) fn pad(self, aes: &(impl Aes + ?Sized), b: usize) -> Self {
        let start = (BLOCK - (1 + b) % BLOCK) % BLOCK;
        if start < self.filled {
            let next = self.advance(aes, BLOCK - self.filled);
            Self { filled: start, ..next }
        } else {
            Self { filled: start, ..self }
        }
    }

    /// Where a message of so many bytes would start in the block that [`pad`](Self::pad) ends in; `None` if it does not
    /// lie wholly within that block.
    #[inline(always)]
    pub(crate) fn place_in_last_block(&self, bytes: usize, b: usize) -> Option<usize> {
        (self.filled + bytes + 1 + b <= BLOCK).then_some(self.filled)
    }

    /// Moves on by at most to the end of the block, and encrypts there.
    #[inline(always)]
    fn advance(mut self, aes: &(impl Aes + ?Sized), bytes: usize) -> Self {
        self.filled += bytes;
        if self.filled == BLOCK {
            aes.encrypt(&mut self.states);
            self.filled = 0;
        }
        self
    }
}
