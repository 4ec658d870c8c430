//! Encryption and decryption differ in the order of the rounds and in the sign of one addition.

use core::ops::Range;

/// Algorithm 7 or Algorithm 8 of SP 800-38G.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

/// FF1 has ten rounds.
const ROUNDS: u8 = 10;

impl Direction {
    /// Step 6: 0 to 9 for Algorithm 7, 9 to 0 for Algorithm 8.
    pub(crate) fn rounds(self) -> impl Iterator<Item = u8> {
        let Range { start, end } = 0..ROUNDS;
        (start..end).map(move |i| match self {
            Self::Encrypt => i,
            Self::Decrypt => end - 1 - i,
        })
    }

    /// One digit of A ± y with its carry (or borrow) in and out; no branch on either.
    pub(crate) fn add_digit(self, a: u16, y: u32, carry: u32, radix: u32) -> (u16, u32) {
        let a = u32::from(a);
        let (sum, overflow) = match self {
            // In both, `sum` is one radix too small exactly if the subtraction wrapped.
            Self::Encrypt => (a + y + carry).overflowing_sub(radix),
            Self::Decrypt => a.overflowing_sub(y + carry),
        };
        let off = u32::from(overflow);
        let carry = match self {
            Self::Encrypt => 1 - off,
            Self::Decrypt => off,
        };
        (sum.wrapping_add(radix & off.wrapping_neg()) as u16, carry)
    }
}
