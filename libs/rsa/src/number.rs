//! Numbers in radix 2^52, the digits that the engine multiplies, and the little arithmetic that makes a key ready. What is
//! done with a number's digits does not depend on them, but for zeros in front, which its DER tells as well.
//!
//! A prime has 256·B bits and is held in B blocks of five digits, 260·B bits: 1,024 bits in 4 blocks, 1,536 in 6, 2,048
//! in 8.

use std::hint::black_box;

use zeroize::Zeroize;

/// Digits of a block.
pub(crate) const DIGITS: usize = 5;

/// Bits of a digit.
pub(crate) const RADIX: usize = 52;

/// The bits of a digit.
pub(crate) const MASK: u64 = (1 << RADIX) - 1;

/// A number as long as a prime: the least significant digit first.
pub(crate) type Number<const B: usize> = [[u64; DIGITS]; B];

/// Length of a prime in bytes.
pub(crate) const fn byte_len(blocks: usize) -> usize {
    32 * blocks
}

/// How many bits a number in bytes has.
pub(crate) fn bits(bytes: &[u8]) -> usize {
    let bytes = stripped(bytes);
    bytes.first().map_or(0, |first| 8 * bytes.len() - first.leading_zeros() as usize)
}

/// Without the zeros in front.
pub(crate) fn stripped(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..]
}

/// Reads a number, the most significant byte first, into as many digits as there are; bits beyond them are lost.
pub(crate) fn read(bytes: &[u8], digits: &mut [u64]) {
    digits.fill(0);
    for (i, byte) in bytes.iter().rev().enumerate() {
        let (digit, shift) = (8 * i / RADIX, 8 * i % RADIX);
        let wide = u128::from(*byte) << shift;
        for (digit, part) in digits.iter_mut().skip(digit).zip([wide as u64 & MASK, (wide >> RADIX) as u64]) {
            *digit |= part;
        }
    }
}

/// Writes a number, the most significant byte first.
pub(crate) fn write(digits: &[u64], bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().rev().enumerate() {
        let (digit, shift) = (8 * i / RADIX, 8 * i % RADIX);
        let at = |digit: usize| u128::from(digits.get(digit).copied().unwrap_or_default());
        *byte = ((at(digit) | at(digit + 1) << RADIX) >> shift) as u8;
    }
}

/// `x`·2^times mod `m`, for an `x` below `m`.
pub(crate) fn doubled<const B: usize>(x: &Number<B>, times: usize, m: &Number<B>) -> Number<B> {
    let mut x = *x;
    for _ in 0..times {
        let (mut twice, mut less) = ([[0; DIGITS]; B], [[0; DIGITS]; B]);
        let (mut carry, mut borrow) = (0, 0);
        for (((x, m), twice), less) in flat(&x).zip(flat(m)).zip(flat_mut(&mut twice)).zip(flat_mut(&mut less)) {
            let sum = 2 * x + carry;
            (*twice, carry) = (sum & MASK, sum >> RADIX);
            // The difference is above -2^53: below zero its highest bit is set.
            let difference = twice.wrapping_sub(m + borrow);
            (*less, borrow) = (difference & MASK, difference >> 63);
        }
        // All ones where subtracting went below zero. Without the black box the compiler chooses one of the two numbers by
        // its address, and copies that: it would be seen in the cache.
        let keep = black_box(borrow.wrapping_neg());
        for ((x, twice), less) in flat_mut(&mut x).zip(flat(&twice)).zip(flat(&less)) {
            *x = (twice & keep) | (less & !keep);
        }
        twice.zeroize();
        less.zeroize();
    }
    x
}

/// Subtracts 2 from a number in bytes, the most significant first. It is at least 2.
pub(crate) fn subtract_two(bytes: &mut [u8]) {
    let mut borrow = 2;
    for byte in bytes.iter_mut().rev() {
        let difference = u16::from(*byte).wrapping_sub(borrow);
        (*byte, borrow) = (difference as u8, difference >> 15);
    }
}

/// -1/`odd` mod 2^52.
pub(crate) fn negated_inverse(odd: u64) -> u64 {
    // Newton: an inverse of so many bits gives one of twice as many, and each odd number is its own for three bits.
    let inverse = (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse))));
    inverse.wrapping_neg() & MASK
}

fn flat<const B: usize>(number: &Number<B>) -> impl Iterator<Item = u64> {
    number.as_flattened().iter().copied()
}

fn flat_mut<const B: usize>(number: &mut Number<B>) -> impl Iterator<Item = &mut u64> {
    number.as_flattened_mut().iter_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_to_digits_and_back() {
        let bytes: Vec<u8> = (1..=130).map(|i: u8| i.wrapping_mul(151)).collect();
        for len in 0..=bytes.len() {
            let mut digits = [0; 20];
            read(&bytes[..len], &mut digits);
            assert!(digits.iter().all(|digit| *digit <= MASK));
            let mut back = vec![0; len];
            write(&digits, &mut back);
            assert_eq!(back, bytes[..len], "{len} bytes");
        }
        let mut digits = [0; 3];
        read(&[0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0], &mut digits);
        assert_eq!(digits, [0x4_5678_9ABC_DEF0, 0x123, 0]);
    }

    #[test]
    fn lengths() {
        assert_eq!((bits(&[]), bits(&[0, 0]), bits(&[1]), bits(&[0, 0x80, 0])), (0, 0, 1, 16));
    }

    #[test]
    fn doubling_reduces() {
        let number = |low: u64| [[low, 0, 0, 0, 0]; 1];
        let mut expected: u64 = 5;
        for times in 0..200 {
            assert_eq!(doubled(&number(5), times, &number(1_000_003)), number(expected), "{times}");
            expected = expected * 2 % 1_000_003;
        }
    }

    #[test]
    fn subtracting_two_borrows() {
        for (from, expected) in [([0, 0, 2], [0, 0, 0]), ([0x80, 0, 1], [0x7F, 0xFF, 0xFF]), ([1, 0, 5], [1, 0, 3])] {
            let mut bytes: [u8; 3] = from;
            subtract_two(&mut bytes);
            assert_eq!(bytes, expected);
        }
    }

    #[test]
    fn inverses() {
        for odd in [1_u64, 3, 0x000F_FFFF_FFFF_FFFF, 0x0008_7654_3210_FEDD] {
            assert_eq!(odd.wrapping_mul(negated_inverse(odd)).wrapping_add(1) & MASK, 0);
        }
    }
}
