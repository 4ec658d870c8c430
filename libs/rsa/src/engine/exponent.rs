//! Powers with secret exponents, by fixed windows of four bits: the same instructions for all of them.

#![forbid(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi64_mask, _mm512_mask_mov_epi64, _mm512_set1_epi64, _mm512_srli_epi64,
};

use super::{
    Lanes,
    montgomery::{Moduli, multiply, square},
};
use crate::number;

/// Bits of a window.
const WINDOW: usize = 4;

/// How many powers a window chooses from.
pub(super) const POWERS: usize = 1 << WINDOW;

/// The powers 0 to 15 of eight bases.
pub(super) type Table<const B: usize> = [Lanes<B>; POWERS];

/// Raises `x`, in Montgomery's form; `byte` gives a byte of each lane's exponent, the most significant one first.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn raise<const B: usize>(
    wide: &mut [Lanes<B>; 2],
    table: &mut Table<B>,
    x: &mut Lanes<B>,
    one: &Lanes<B>,
    modulus: &Moduli<B>,
    byte: impl Fn(usize) -> __m512i,
) {
    (table[0], table[1]) = (*one, *x);
    for power in 2..POWERS {
        if power % 2 == 0 {
            table[power] = table[power / 2];
            square(wide, &mut table[power], modulus);
        } else {
            table[power] = table[power - 1];
            multiply(wide, &mut table[power], x, modulus);
        }
    }
    *x = *one;
    for i in 0..number::byte_len(B) {
        let byte = byte(i);
        for window in [_mm512_srli_epi64::<{ WINDOW as u32 }>(byte), byte] {
            for _ in 0..WINDOW {
                square(wide, x, modulus);
            }
            multiply(wide, x, &look_up(table, window), modulus);
        }
    }
}

/// Each lane's own power, by the lowest bits of its window. All of the table is read.
#[target_feature(enable = "avx512f,avx512ifma")]
fn look_up<const B: usize>(table: &Table<B>, window: __m512i) -> Lanes<B> {
    let window = _mm512_and_si512(window, _mm512_set1_epi64(POWERS as i64 - 1));
    let mut found = table[0];
    for (power, numbers) in (1..).zip(&table[1..]) {
        let is_it = _mm512_cmpeq_epi64_mask(window, _mm512_set1_epi64(power));
        for (found, number) in found.as_flattened_mut().iter_mut().zip(numbers.as_flattened()) {
            *found = _mm512_mask_mov_epi64(*found, is_it, *number);
        }
    }
    found
}
