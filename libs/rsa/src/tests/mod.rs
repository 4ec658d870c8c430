//! Tests of what is not seen from outside: results without blinding, blindings, and time.

mod blindings;
mod timing;
mod transforms;

use num_bigint::BigUint;

use crate::{
    PrivateKey,
    blinding::Blinding,
    key::Key,
    number::{self, DIGITS, Number, RADIX},
};

/// Whether there is something to test on this machine.
fn is_supported() -> bool {
    let is_supported = crate::is_supported();
    if !is_supported {
        println!("SKIPPED: this processor has no AVX-512 IFMA");
    }
    is_supported
}

/// Does the same with a key of whatever size.
macro_rules! of_any_size {
    ($private_key:expr, $key:ident => $what:expr) => {
        match &$private_key.0 {
            crate::OfSize::Rsa2048($key) => $what,
            crate::OfSize::Rsa3072($key) => $what,
            crate::OfSize::Rsa4096($key) => $what,
        }
    };
}
use of_any_size;

/// The next operation with the key is blinded by 1, which changes nothing.
fn put_no_blinding(key: &PrivateKey) {
    of_any_size!(key, key => key.keep_blinding(Box::new(no_blinding(key))));
}

/// 1 in Montgomery's form is its own power and its own inverse.
fn no_blinding<const B: usize, const N: usize>(key: &Key<B, N>) -> Blinding<N> {
    let mut one = [[0; DIGITS]; N];
    let r = (BigUint::from(1_u32) << (RADIX * DIGITS * N)) % big(&key.modulus.digits);
    number::read(&r.to_bytes_be(), one.as_flattened_mut());
    Blinding { factor: one, inverse: one, uses: 0 }
}

fn big<const B: usize>(number: &Number<B>) -> BigUint {
    let mut bytes = vec![0; RADIX * DIGITS * B / 8 + 1];
    number::write(number.as_flattened(), &mut bytes);
    BigUint::from_bytes_be(&bytes)
}

/// Numbers that look random, the same ones in each run (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| (self.next() >> 56) as u8);
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.fill(&mut bytes);
        bytes
    }

    /// A number of bytes that are often all zeros or all ones.
    fn sparse(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = self.bytes(len);
        for piece in bytes.chunks_mut(7) {
            match self.next() >> 62 {
                0 => piece.fill(0),
                1 => piece.fill(0xFF),
                _ => {}
            }
        }
        bytes
    }

    /// As a prime looks from outside: odd, with the highest bit set.
    fn odd(&mut self, len: usize) -> Vec<u8> {
        let mut odd = self.sparse(len);
        odd[0] |= 0x80;
        odd[len - 1] |= 1;
        odd
    }
}
