//! Addition modulo a power of the radix with multipliers of 52 bits, eight numbers at a time.
//!
//! Numbers on their way have 52 bits: what is above them in a lane is of no meaning, and [`clean`] takes it away.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m512i, _mm_cvtsi64_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_min_epu64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srl_epi64,
    _mm512_sub_epi64, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};

use super::broadcast;
use crate::arith::{Ifma, IfmaNarrow, Modulus};

/// A modulus M in every lane; see [`Ifma`] and [`IfmaNarrow`].
#[derive(Clone, Copy)]
pub(super) struct Modular {
    modulus: __m512i,
    /// w = 2⁴⁸ mod M
    weight: __m512i,
    weight_inverse: __m512i,
    inverse: __m512i,
    minus_weight: __m512i,
    above: __m512i,
    exact_inverse: __m512i,
    minus_modulus: __m512i,
    shift: u32,
}

/// An index that makes a shuffle give a zero.
const NONE: u8 = 0x80;

impl Modular {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn new(modulus: &Modulus) -> Self {
        let all = |number: u64| _mm512_set1_epi64(number as i64);
        let Ifma { weight, weight_inverse, inverse, narrow } = modulus.ifma;
        let IfmaNarrow { minus_weight, above, exact_inverse, shift, minus_modulus } = narrow;
        Self {
            modulus: all(modulus.value),
            weight: all(weight),
            weight_inverse: all(weight_inverse),
            inverse: all(inverse),
            minus_weight: all(minus_weight),
            above: all(above),
            exact_inverse: all(exact_inverse),
            minus_modulus: all(minus_modulus),
            shift,
        }
    }
}

/// (a ± y) mod M, where y is the first d bytes of each block of `r`.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma")]
#[inline]
pub(super) fn add<const NARROW: bool, const ENCRYPT: bool>(a: __m512i, r: [__m512i; 2], m: &Modular) -> __m512i {
    if NARROW { add64::<ENCRYPT>(a, r, m) } else { add96::<ENCRYPT>(a, r, m) }
}

/// [`add`] for d = 8 and M ≤ 2³².
///
/// y = h·2⁴⁸ + l with h < 2¹⁶, so z = a + l + h·w, or a + (the least multiple of M from 2⁴⁸ on) − l + h·(M − w), is
/// congruent to the result, not negative, and below 2⁵¹. With e = exact_inverse·M − 2^(52+shift) ≤ M ≤ 2^(shift+1),
/// z·e is below 2^(52+shift), so that q = ⌊z·exact_inverse / 2^(52+shift)⌋ is exactly ⌊z/M⌋. Then z + q·(2⁵² − M) is
/// the result modulo 2⁵².
#[target_feature(enable = "avx512f,avx512bw,avx512ifma")]
#[inline]
fn add64<const ENCRYPT: bool>(a: __m512i, [even, odd]: [__m512i; 2], m: &Modular) -> __m512i {
    let y = _mm512_unpacklo_epi64(even, odd);
    let low = broadcast(&[7, 6, 5, 4, 3, 2, NONE, NONE, 15, 14, 13, 12, 11, 10, NONE, NONE]);
    let high = broadcast(&[1, 0, NONE, NONE, NONE, NONE, NONE, NONE, 9, 8, NONE, NONE, NONE, NONE, NONE, NONE]);
    let (low, high) = (_mm512_shuffle_epi8(y, low), _mm512_shuffle_epi8(y, high));
    let z = if ENCRYPT {
        _mm512_madd52lo_epu64(_mm512_add_epi64(a, low), high, m.weight)
    } else {
        _mm512_madd52lo_epu64(_mm512_sub_epi64(_mm512_add_epi64(a, m.above), low), high, m.minus_weight)
    };
    let q = _mm512_madd52hi_epu64(_mm512_setzero_si512(), z, m.exact_inverse);
    let q = _mm512_srl_epi64(q, _mm_cvtsi64_si128(m.shift.into()));
    _mm512_madd52lo_epu64(z, q, m.minus_modulus)
}

/// [`add`] for d = 12 and M ≤ 2⁴⁸.
///
/// y = h·2⁴⁸ + l. h·w is first reduced to below 2M, with q = ⌊h·⌊w·2⁵²/M⌋ / 2⁵²⌋, which is ⌊h·w/M⌋ or one less because
/// h < 2⁵²; then z = 2M + l + a is below 2⁴⁹ + 2⁴⁸ + 2⁴⁸. For such z the estimate ⌊z·⌊2⁵²/M⌋ / 2⁵²⌋ is ⌊z/M⌋ or one less,
/// so one correction is enough.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma")]
#[inline]
fn add96<const ENCRYPT: bool>(a: __m512i, r: [__m512i; 2], m: &Modular) -> __m512i {
    let zero = _mm512_setzero_si512();
    let [high, low] = split96(r);
    let low = if ENCRYPT { _mm512_add_epi64(low, a) } else { low };
    let q = _mm512_madd52hi_epu64(zero, high, m.weight_inverse);
    let product = _mm512_madd52lo_epu64(zero, high, m.weight);
    let rest = _mm512_sub_epi64(product, _mm512_madd52lo_epu64(zero, q, m.modulus));
    let z = _mm512_add_epi64(low, clean(rest));
    let q = _mm512_madd52hi_epu64(zero, z, m.inverse);
    let rest = _mm512_sub_epi64(z, _mm512_madd52lo_epu64(zero, q, m.modulus));
    // The smaller of two numbers of which one may have wrapped is the one in range.
    let rest = _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m.modulus));
    if ENCRYPT {
        return rest;
    }
    let difference = _mm512_sub_epi64(a, rest);
    _mm512_min_epu64(difference, _mm512_add_epi64(difference, m.modulus))
}

/// The first 12 bytes of each block as numbers of 48 and 48 bits, in the order of the values.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn split96(r: [__m512i; 2]) -> [__m512i; 2] {
    let order = broadcast(&[5, 4, 3, 2, 1, 0, NONE, NONE, 11, 10, 9, 8, 7, 6, NONE, NONE]);
    let (even, odd) = (_mm512_shuffle_epi8(r[0], order), _mm512_shuffle_epi8(r[1], order));
    [_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)]
}

/// Numbers below 2³², or without anything above 52 bits, as the end of blocks: of the even and of the odd lanes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn spread<const NARROW: bool>(numbers: __m512i) -> [__m512i; 2] {
    const N: u8 = NONE;
    let (even, odd) = if NARROW {
        ([N, N, N, N, N, N, N, N, N, N, N, N, 3, 2, 1, 0], [N, N, N, N, N, N, N, N, N, N, N, N, 11, 10, 9, 8])
    } else {
        ([N, N, N, N, N, N, N, N, 7, 6, 5, 4, 3, 2, 1, 0], [N, N, N, N, N, N, N, N, 15, 14, 13, 12, 11, 10, 9, 8])
    };
    [_mm512_shuffle_epi8(numbers, broadcast(&even)), _mm512_shuffle_epi8(numbers, broadcast(&odd))]
}

/// The 52 bits that mean something.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn clean(numbers: __m512i) -> __m512i {
    _mm512_and_si512(numbers, _mm512_set1_epi64((1 << 52) - 1))
}
