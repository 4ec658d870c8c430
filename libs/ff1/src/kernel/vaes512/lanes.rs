//! Values of any shape, given as numbers.

#![forbid(unsafe_code)]

use core::arch::x86_64::{__m512i, _mm512_permutex2var_epi64, _mm512_setr_epi64, _mm512_shuffle_epi8};

use super::modular::clean;
use super::rounds::{Rounds, Side};
use super::{broadcast, load, store};
use crate::Direction;
use crate::feistel::{Lanes, Shape};
use crate::key::RoundKeys;

/// Step 6 of Algorithm 7 or 8 over two times E times eight values.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
pub(super) fn crypt<const E: usize>(
    round_keys: &RoundKeys,
    shape: &Shape<'_>,
    direction: Direction,
    lanes: [[&mut Lanes<8>; E]; 2],
) {
    match (shape.is_narrow(), direction) {
        (true, Direction::Encrypt) => crypt_as::<E, true, true>(round_keys, shape, lanes),
        (true, Direction::Decrypt) => crypt_as::<E, true, false>(round_keys, shape, lanes),
        (false, Direction::Encrypt) => crypt_as::<E, false, true>(round_keys, shape, lanes),
        (false, Direction::Decrypt) => crypt_as::<E, false, false>(round_keys, shape, lanes),
    }
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
fn crypt_as<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    round_keys: &RoundKeys,
    shape: &Shape<'_>,
    [x_lanes, y_lanes]: [[&mut Lanes<8>; E]; 2],
) {
    let rounds = Rounds::new::<ENCRYPT>(round_keys, shape, 0);
    let (mut x, mut y) = (read::<E, ENCRYPT>(&x_lanes), read::<E, ENCRYPT>(&y_lanes));
    let first = rounds.first::<E, NARROW, ENCRYPT, true>(&x, &mut Side::new(), &y.own);
    let last = rounds.crypt::<E, NARROW, ENCRYPT, true>(&mut x, &mut y, &first);
    rounds.last::<E, NARROW, ENCRYPT>(&mut y, &last);
    write::<E, ENCRYPT>(&x, x_lanes);
    write::<E, ENCRYPT>(&y, y_lanes);
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn read<const E: usize, const ENCRYPT: bool>(lanes: &[&mut Lanes<8>; E]) -> Side<E> {
    let mut side = Side::new();
    for (e, Lanes { a, b, mac }) in lanes.iter().map(|lanes| &**lanes).enumerate() {
        let (left, right) = if ENCRYPT { (a, b) } else { (b, a) };
        (side.left[e], side.right[e], side.own[e]) = (load(left), load(right), interleave(mac));
    }
    side
}

#[target_feature(enable = "avx512f")]
#[inline]
fn write<const E: usize, const ENCRYPT: bool>(side: &Side<E>, lanes: [&mut Lanes<8>; E]) {
    for (e, Lanes { a, b, .. }) in lanes.into_iter().enumerate() {
        let (left, right) = if ENCRYPT { (a, b) } else { (b, a) };
        store(left, clean(side.left[e]));
        store(right, clean(side.right[e]));
    }
}

/// Blocks of the values with even and with odd index.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn interleave(blocks: &[u128; 8]) -> [__m512i; 2] {
    let order = broadcast(&[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    let (halves, _) = blocks.as_chunks::<4>();
    let (low, high) = (load(&halves[0]), load(&halves[1]));
    let (low, high) = (_mm512_shuffle_epi8(low, order), _mm512_shuffle_epi8(high, order));
    let even = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13), high);
    let odd = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15), high);
    [even, odd]
}
