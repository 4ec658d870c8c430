//! What a kernel offers, and what is done with it.

use alloc::vec::Vec;

use crate::Direction;
use crate::decimals::Decimals;
use crate::feistel::{Lanes, Shape};

/// AES under one key on one kernel. A block is a big-endian number throughout the crate.
pub(crate) trait Aes {
    /// Encrypts N blocks, which do not wait for one another.
    fn encrypt<const N: usize>(&self, blocks: &mut [u128; N]);

    /// The ten rounds over values of one shape; a kernel that has something better than [`Lanes::crypt`] does that.
    #[inline(always)]
    fn rounds(&self, shape: &Shape<'_>, direction: Direction, lanes: &mut [Lanes<8>]) {
        for eight in lanes {
            eight.crypt(self, shape, direction);
        }
    }

    /// The ten rounds over one value.
    #[inline(always)]
    fn one(&self, shape: &Shape<'_>, direction: Direction, lane: &mut Lanes<1>) {
        lane.crypt(self, shape, direction);
    }

    /// The same for one decimal text, which is all of `text` as the job's only tweak is all of its tweaks; the answer, if
    /// there is one, is whether it was digits.
    #[inline(always)]
    fn decimal(&self, _: &Decimals<'_>, _text: &mut [u8]) -> Option<bool> {
        None
    }

    /// All there is to do for decimal texts; false if the kernel has nothing better for them than the general way.
    /// The indices of texts that are no digits go to `refused`.
    #[inline(always)]
    fn decimals(&self, _: &Decimals<'_>, _text: &mut [u8], _refused: &mut Vec<usize>) -> bool {
        false
    }
}

/// Something to do with AES.
///
/// A kernel calls `run` from a function that is compiled for its processor. Implementations are `inline(always)`, so
/// that they become part of that function and are compiled for the same processor.
pub(crate) trait Work {
    type Output;

    fn run(self, aes: &impl Aes) -> Self::Output;
}
