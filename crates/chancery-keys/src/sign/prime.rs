//! Whether a number is prime, by AWS-LC, which wipes what it works with: the number may be secret.
#![expect(unsafe_code, reason = "aws-lc-rs offers no test of primes")]

use std::ptr::NonNull;

use aws_lc_sys::{BIGNUM, BN_CTX, BN_CTX_free, BN_CTX_new, BN_bin2bn, BN_clear_free, BN_primality_test};

use crate::Failed;

/// A number in AWS-LC's memory.
struct Number(NonNull<BIGNUM>);

impl Drop for Number {
    fn drop(&mut self) {
        // SAFETY: the number is our own and is freed once, here.
        unsafe { BN_clear_free(self.0.as_ptr()) }
    }
}

/// AWS-LC's room for numbers in between.
struct Context(NonNull<BN_CTX>);

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is our own and is freed once, here.
        unsafe { BN_CTX_free(self.0.as_ptr()) }
    }
}

/// Tells primes from composite numbers by so many rounds of Miller and Rabin's test with random bases: of 4^`rounds`
/// composite numbers at most one passes.
pub(super) fn is_prime(big_endian: &[u8], rounds: u8) -> Result<bool, Failed> {
    // SAFETY: pointer and length are those of one live slice, which is only read; null for the result makes a new number.
    let number = unsafe { BN_bin2bn(big_endian.as_ptr(), big_endian.len(), std::ptr::null_mut()) };
    let number = Number(NonNull::new(number).ok_or(Failed)?);
    // SAFETY: the function takes nothing.
    let context = Context(NonNull::new(unsafe { BN_CTX_new() }).ok_or(Failed)?);
    let mut probably = 0;
    // SAFETY: the result is a place for one int, number and context live on, and a null callback is never called.
    let done = unsafe {
        BN_primality_test(
            &raw mut probably,
            number.0.as_ptr(),
            i32::from(rounds),
            context.0.as_ptr(),
            1,
            std::ptr::null_mut(),
        )
    };
    if done == 1 { Ok(probably == 1) } else { Err(Failed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_told_from_what_looks_like_them() {
        for (number, expected) in [
            (&[2][..], true),
            (&[3], true),
            (&[1], false),
            (&[0], false),
            (&[], false),
            // 561 and 3,825,123,056,546,413,051 = 149491 · 747451 · 34233211, which fool weaker tests.
            (&[2, 0x31], false),
            (&3_825_123_056_546_413_051_u64.to_be_bytes(), false),
            (&18_446_744_073_709_551_557_u64.to_be_bytes(), true),
        ] {
            assert_eq!(is_prime(number, 40).unwrap(), expected, "{number:?}");
        }
    }
}
