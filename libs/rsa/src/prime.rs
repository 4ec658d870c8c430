//! A key's primes, made ready.

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::{
    Parts,
    number::{self, DIGITS, Number, RADIX},
};

/// Both primes of a key.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Pair<const B: usize> {
    pub(crate) p: Prime<B>,
    pub(crate) q: Prime<B>,
    /// qInv·R mod p.
    pub(crate) q_inv: Number<B>,
}

/// A prime, and what Montgomery's multiplication by it needs; R = 2^(260·B).
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Prime<const B: usize> {
    pub(crate) modulus: Number<B>,
    /// -1/modulus mod 2^52.
    pub(crate) n0: u64,
    /// R mod modulus: 1 in Montgomery's form.
    pub(crate) one: Number<B>,
    /// R^3 mod modulus: what was reduced once, and so divided by R, comes into Montgomery's form by it.
    pub(crate) cube: Number<B>,
    /// d mod (modulus - 1), the most significant byte first, as long as the modulus.
    pub(crate) exponent: [[u8; 32]; B],
}

impl<const B: usize> Pair<B> {
    /// `None` where a prime has another length, or a part is longer than a prime.
    pub(crate) fn new(parts: &Parts<'_>) -> Option<Box<Self>> {
        let Parts { p, q, d_p, d_q, q_inv } = *parts;
        let (p, q) = (Prime::new(p, d_p)?, Prime::new(q, d_q)?);
        let mut plain = number(q_inv)?;
        let q_inv = number::doubled(&plain, r_bits(B), &p.modulus);
        plain.zeroize();
        Some(Box::new(Self { p, q, q_inv }))
    }
}

impl<const B: usize> Prime<B> {
    fn new(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        let digits = number::<B>(modulus)?;
        let (has_length, is_odd) = (number::bits(modulus) == 8 * number::byte_len(B), digits[0][0] % 2 == 1);
        let exponent = number::stripped(exponent);
        if !has_length || !is_odd || exponent.len() > number::byte_len(B) {
            return None;
        }
        let mut unit = [[0; DIGITS]; B];
        unit[0][0] = 1;
        let one = number::doubled(&unit, r_bits(B), &digits);
        let mut prime = Self {
            modulus: digits,
            n0: number::negated_inverse(digits[0][0]),
            one,
            cube: number::doubled(&one, 2 * r_bits(B), &digits),
            exponent: [[0; 32]; B],
        };
        let room = prime.exponent.as_flattened_mut();
        let start = room.len() - exponent.len();
        room[start..].copy_from_slice(exponent);
        Some(prime)
    }
}

/// The bits of R.
const fn r_bits(blocks: usize) -> usize {
    RADIX * DIGITS * blocks
}

/// A number that is no longer than a prime.
fn number<const B: usize>(bytes: &[u8]) -> Option<Number<B>> {
    let bytes = number::stripped(bytes);
    let mut number = [[0; DIGITS]; B];
    (bytes.len() <= number::byte_len(B)).then(|| number::read(bytes, number.as_flattened_mut()))?;
    Some(number)
}
