//! What a function leaves on the stack: arrays that the compiler moved or kept beside those that are wiped.

use zeroize::Zeroize;

/// More than the deepest call needs, in words.
const WORDS: usize = 128 * 1024 / 8;

/// Overwrites what functions that have just returned to the caller left behind. They must not be inlined into it.
#[inline(never)]
pub(crate) fn wipe() {
    [0_u64; WORDS].zeroize();
}
