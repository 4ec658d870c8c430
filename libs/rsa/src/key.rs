//! A key, made ready.

use std::sync::{Mutex, PoisonError};

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::{
    Parts,
    blinding::Blinding,
    number::{self, DIGITS, Number, RADIX},
};

/// The only public exponent that there is (FIPS 186-5 allows others; hardly anybody has them).
const PUBLIC_EXPONENT: [u8; 3] = [1, 0, 1];

/// A key: primes in `B` blocks, a modulus in `N`, which is twice as many.
#[derive(ZeroizeOnDrop)]
pub(crate) struct Key<const B: usize, const N: usize> {
    /// n.
    pub(crate) modulus: Modulus<N>,
    pub(crate) p: Prime<B>,
    pub(crate) q: Prime<B>,
    /// qInv·R mod p.
    pub(crate) q_inv: Number<B>,
    /// Blindings that are not in use. The lock is held only while one is taken out or put back.
    #[zeroize(skip)]
    blindings: Mutex<Vec<Box<Blinding<N>>>>,
}

/// An odd number, and what Montgomery's multiplication by it needs; R = 2^(260·B).
#[derive(ZeroizeOnDrop)]
pub(crate) struct Modulus<const B: usize> {
    pub(crate) digits: Number<B>,
    /// -1/digits mod 2^52.
    pub(crate) n0: u64,
}

/// A secret exponent, the most significant byte first, as long as a prime.
pub(crate) type Exponent<const B: usize> = [[u8; 32]; B];

/// A prime and its exponents.
#[derive(ZeroizeOnDrop)]
pub(crate) struct Prime<const B: usize> {
    pub(crate) modulus: Modulus<B>,
    /// R mod modulus: 1 in Montgomery's form.
    pub(crate) one: Number<B>,
    /// R^3 mod modulus: what was reduced once, and so divided by R, comes into Montgomery's form by it.
    pub(crate) cube: Number<B>,
    /// d mod (modulus - 1).
    pub(crate) private: Exponent<B>,
    /// modulus - 2: raised to it a number becomes its inverse (Fermat).
    pub(crate) inverting: Exponent<B>,
}

impl<const B: usize, const N: usize> Key<B, N> {
    /// `None` where a prime has another length, a part is longer than a prime, or the public exponent is not 65,537.
    pub(crate) fn new(parts: &Parts<'_>) -> Option<Box<Self>> {
        let Parts { n, e, p, q, d_p, d_q, q_inv } = *parts;
        if number::stripped(e) != PUBLIC_EXPONENT {
            return None;
        }
        let (p, q) = (Prime::new(p, d_p)?, Prime::new(q, d_q)?);
        let mut plain = number(q_inv)?;
        let q_inv = number::doubled(&plain, r_bits(B), &p.modulus.digits);
        plain.zeroize();
        Some(Box::new(Self { modulus: Modulus::new(n)?, p, q, q_inv, blindings: Mutex::default() }))
    }

    /// Takes out a blinding that nobody else has.
    pub(crate) fn take_blinding(&self) -> Option<Box<Blinding<N>>> {
        self.blindings.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Puts a blinding back. There are never more than were in use at one time.
    pub(crate) fn keep_blinding(&self, blinding: Box<Blinding<N>>) {
        self.blindings.lock().unwrap_or_else(PoisonError::into_inner).push(blinding);
    }
}

impl<const B: usize> Modulus<B> {
    /// `None` for what is even or too long.
    fn new(bytes: &[u8]) -> Option<Self> {
        let digits = number::<B>(bytes)?;
        (digits[0][0] % 2 == 1).then(|| Self { n0: number::negated_inverse(digits[0][0]), digits })
    }
}

impl<const B: usize> Prime<B> {
    fn new(bytes: &[u8], private: &[u8]) -> Option<Self> {
        let modulus = Modulus::<B>::new(bytes)?;
        if number::bits(bytes) != 8 * number::byte_len(B) {
            return None;
        }
        let mut unit = [[0; DIGITS]; B];
        unit[0][0] = 1;
        let one = number::doubled(&unit, r_bits(B), &modulus.digits);
        let cube = number::doubled(&one, 2 * r_bits(B), &modulus.digits);
        let mut inverting = exponent(bytes)?;
        number::subtract_two(inverting.as_flattened_mut());
        Some(Self { modulus, one, cube, private: exponent(private)?, inverting })
    }
}

/// The bits of R.
const fn r_bits(blocks: usize) -> usize {
    RADIX * DIGITS * blocks
}

/// A number that is no longer than a prime of so many blocks.
fn number<const B: usize>(bytes: &[u8]) -> Option<Number<B>> {
    let bytes = number::stripped(bytes);
    let mut number = [[0; DIGITS]; B];
    (bytes.len() <= number::byte_len(B)).then(|| number::read(bytes, number.as_flattened_mut()))?;
    Some(number)
}

/// The same as an exponent.
fn exponent<const B: usize>(bytes: &[u8]) -> Option<Exponent<B>> {
    let bytes = number::stripped(bytes);
    let mut exponent = [[0; 32]; B];
    let room = exponent.as_flattened_mut();
    let start = room.len().checked_sub(bytes.len())?;
    room[start..].copy_from_slice(bytes);
    Some(exponent)
}
