//! Montgomery's multiplication of eight pairs of numbers at a time, in radix 2^52.
//!
//! What a multiplication takes need only have a product below R times the modulus; what it gives is below twice the modulus.
//! R is at least 2^16 times the modulus, so what it gives it takes again, and nothing has to be subtracted in between
//! ("almost Montgomery multiplication", Gueron and Krasnov, 2012).
//!
//! A column of a product is the sum of fewer than 2^9 halves of digits' products, each below 2^52, so that it has room in
//! 64 bits and carries are passed on once, at the end.

#![forbid(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmplt_epi64_mask, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_mask_mov_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_srai_epi64, _mm512_srli_epi64,
    _mm512_sub_epi64,
};

use super::{Block, Lanes};
use crate::number::{DIGITS, MASK, RADIX};

/// Eight moduli.
pub(super) struct Moduli<const B: usize> {
    pub(super) digits: Lanes<B>,
    /// -1/modulus mod 2^52.
    pub(super) n0: __m512i,
}

/// Makes x·b/R modulo the modulus of x, in its place: these numbers are long, and to return one and move it there made a
/// signature a twentieth dearer.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply<const B: usize>(wide: &mut [Lanes<B>; 2], x: &mut Lanes<B>, b: &Lanes<B>, modulus: &Moduli<B>) {
    product(wide, x, b);
    reduce(wide, modulus, x);
}

/// Makes x·x/R modulo the modulus of x, in its place.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn square<const B: usize>(wide: &mut [Lanes<B>; 2], x: &mut Lanes<B>, modulus: &Moduli<B>) {
    let sums = wide.as_flattened_mut();
    sums[0] = zeros();
    for (i, by) in x.iter().enumerate() {
        // What two blocks give is needed twice, so the rest of the row is made once, and so are pairs within the block.
        let rest = &x[i + 1..];
        if i == 0 {
            row::<true>(&mut sums[1..], rest, by);
        } else {
            row::<false>(&mut sums[2 * i + 1..], rest, by);
        }
        let (low, high) = pairs(by);
        sums[2 * i] = twice_and_squares(&sums[2 * i], &low, [by[0], by[0], by[1], by[1], by[2]], false);
        sums[2 * i + 1] = twice_and_squares(&sums[2 * i + 1], &high, [by[2], by[3], by[3], by[4], by[4]], true);
    }
    reduce(wide, modulus, x);
}

/// a·b.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn product<const B: usize>(wide: &mut [Lanes<B>; 2], a: &Lanes<B>, b: &Lanes<B>) {
    let sums = wide.as_flattened_mut();
    let [first, others @ ..] = b.as_slice() else { return };
    row::<true>(sums, a, first);
    for (i, by) in others.iter().enumerate() {
        row::<false>(&mut sums[i + 1..], a, by);
    }
}

/// Adds the product of `a` and a block to the columns from the first on. The last ones are new: nothing was there before.
/// In the `FIRST` row all are.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn row<const FIRST: bool>(sums: &mut [Block], a: &[Block], by: &Block) {
    let zeros = zeros();
    let mut before = None;
    for (sums, at) in sums.iter_mut().zip(a) {
        let sum = if FIRST { &zeros } else { &*sums };
        *sums = match before {
            None => columns::<false, true>(sum, at, at, by),
            Some(before) => columns::<true, true>(sum, before, at, by),
        };
        before = Some(at);
    }
    sums[a.len()] = match before {
        None => zeros,
        Some(before) => columns::<true, false>(&zeros, before, before, by),
    };
}

/// Adds to five columns what five digits make with those of a number that stand `at` these columns and `before` them.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn columns<const BEFORE: bool, const AT: bool>(sums: &Block, before: &Block, at: &Block, by: &Block) -> Block {
    let mut columns = *sums;
    for (c, column) in columns.iter_mut().enumerate() {
        // Two sums, so that the one does not wait for the other.
        let (mut low, mut high) = (*column, _mm512_setzero_si512());
        for (s, by) in by.iter().enumerate() {
            if AT && c >= s {
                low = _mm512_madd52lo_epu64(low, at[c - s], *by);
            }
            if BEFORE && c < s {
                low = _mm512_madd52lo_epu64(low, before[DIGITS + c - s], *by);
            }
            if AT && c > s {
                high = _mm512_madd52hi_epu64(high, at[c - s - 1], *by);
            }
            if BEFORE && c <= s {
                high = _mm512_madd52hi_epu64(high, before[DIGITS + c - s - 1], *by);
            }
        }
        *column = _mm512_add_epi64(low, high);
    }
    columns
}

/// The products of a block's digits with those after them, in ten columns.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn pairs(block: &Block) -> (Block, Block) {
    let mut sums = [_mm512_setzero_si512(); 2 * DIGITS];
    for i in 0..DIGITS {
        for j in i + 1..DIGITS {
            sums[i + j] = _mm512_madd52lo_epu64(sums[i + j], block[i], block[j]);
            sums[i + j + 1] = _mm512_madd52hi_epu64(sums[i + j + 1], block[i], block[j]);
        }
    }
    let [a, b, c, d, e, f, g, h, i, j] = sums;
    ([a, b, c, d, e], [f, g, h, i, j])
}

/// Twice the sum of both, and the halves of each digit's square: low and high ones in turns.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn twice_and_squares(sums: &Block, pairs: &Block, of: Block, starts_high: bool) -> Block {
    let mut result = *sums;
    for (c, (sum, pair)) in result.iter_mut().zip(pairs).enumerate() {
        let once = _mm512_add_epi64(*sum, *pair);
        let twice = _mm512_add_epi64(once, once);
        let is_high = (c % 2 == 1) != starts_high;
        *sum = if is_high {
            _mm512_madd52hi_epu64(twice, of[c], of[c])
        } else {
            _mm512_madd52lo_epu64(twice, of[c], of[c])
        };
    }
    result
}

/// Writes `wide`/R modulo the modulus to `reduced`, for what is below R times the modulus.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn reduce<const B: usize>(wide: &mut [Lanes<B>; 2], modulus: &Moduli<B>, reduced: &mut Lanes<B>) {
    let sums = wide.as_flattened_mut();
    let Moduli { digits, n0 } = modulus;
    let mut next = clear(&mut sums[..2], &digits[0], *n0);
    for i in 0..B {
        let by = next;
        sums[i + 1] = columns::<true, true>(&sums[i + 1], &digits[0], &digits[1], &by);
        // These columns are complete: what clears them is found while the others are still made.
        if i + 1 < B {
            next = clear(&mut sums[i + 1..i + 3], &digits[0], *n0);
        }
        for j in 2..B {
            sums[i + j] = columns::<true, true>(&sums[i + j], &digits[j - 1], &digits[j], &by);
        }
        sums[i + B] = columns::<true, false>(&sums[i + B], &digits[B - 1], &digits[B - 1], &by);
    }
    let [_, high] = wide;
    pass_carries(reduced.as_flattened_mut(), high.as_flattened());
}

/// By which digits the modulus is multiplied so that adding it clears the first of two blocks; passes its carry on to the
/// second one.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn clear(sums: &mut [Block], modulus: &Block, n0: __m512i) -> Block {
    let zero = _mm512_setzero_si512();
    let (mut by, mut carry) = ([zero; DIGITS], zero);
    for c in 0..DIGITS {
        let (mut low, mut high) = (_mm512_add_epi64(sums[0][c], carry), zero);
        for s in 0..c {
            low = _mm512_madd52lo_epu64(low, modulus[c - s], by[s]);
            high = _mm512_madd52hi_epu64(high, modulus[c - s - 1], by[s]);
        }
        let sum = _mm512_add_epi64(low, high);
        by[c] = _mm512_madd52lo_epu64(zero, sum, n0);
        carry = _mm512_srli_epi64::<{ RADIX as u32 }>(_mm512_madd52lo_epu64(sum, modulus[0], by[c]));
    }
    sums[1][0] = _mm512_add_epi64(sums[1][0], carry);
    by
}

/// x below the modulus, for an x that is below twice the modulus.
#[target_feature(enable = "avx512f")]
pub(super) fn reduced_once<const B: usize>(x: &Lanes<B>, modulus: &Moduli<B>) -> Lanes<B> {
    let mut less = *x;
    let mut borrow = _mm512_setzero_si512();
    for (digit, modulus) in less.as_flattened_mut().iter_mut().zip(modulus.digits.as_flattened()) {
        let difference = _mm512_add_epi64(_mm512_sub_epi64(*digit, *modulus), borrow);
        *digit = _mm512_and_si512(difference, mask());
        borrow = _mm512_srai_epi64::<{ RADIX as u32 }>(difference);
    }
    let is_below = _mm512_cmplt_epi64_mask(borrow, _mm512_setzero_si512());
    for (less, digit) in less.as_flattened_mut().iter_mut().zip(x.as_flattened()) {
        *less = _mm512_mask_mov_epi64(*less, is_below, *digit);
    }
    less
}

/// a + b; carries are not passed on.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn add<const B: usize>(a: &Lanes<B>, b: &Lanes<B>) -> Lanes<B> {
    let mut sum = *a;
    for (a, b) in sum.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *a = _mm512_add_epi64(*a, *b);
    }
    sum
}

/// a - b, for a b that is not above a.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn subtract<const B: usize>(a: &Lanes<B>, b: &Lanes<B>) -> Lanes<B> {
    let mut difference = *a;
    for (a, b) in difference.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *a = _mm512_sub_epi64(*a, *b);
    }
    let mut carried = difference;
    pass_carries(carried.as_flattened_mut(), difference.as_flattened());
    carried
}

/// Passes all carries and borrows of `sums` on: `digits` of 52 bits.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn pass_carries(digits: &mut [__m512i], sums: &[__m512i]) {
    let mut carry = _mm512_setzero_si512();
    for (digit, sum) in digits.iter_mut().zip(sums) {
        let sum = _mm512_add_epi64(*sum, carry);
        *digit = _mm512_and_si512(sum, mask());
        carry = _mm512_srai_epi64::<{ RADIX as u32 }>(sum);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn mask() -> __m512i {
    _mm512_set1_epi64(MASK.cast_signed())
}

#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn zeros() -> Block {
    [_mm512_setzero_si512(); DIGITS]
}
