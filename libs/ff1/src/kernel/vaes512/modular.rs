//! Addition modulo a power of the radix with multipliers of 52 bits, eight numbers at a time.
//!
//! Numbers on their way have 52 bits: what is above them in a lane is of no meaning, and [`clean`] takes it away.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_min_epu64,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srlv_epi64, _mm512_sub_epi64,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
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
    shift: __m512i,
}

/// An index that makes a shuffle give a zero.
pub(super) const NONE: u8 = 0x80;

impl Modular {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn new(modulus: &Modulus) -> Self {
        let all = |number: u64| _mm512_set1_epi64(number as i64);
        let Ifma { weight, weight_inverse, inverse, narrow } = modulus.ifma;
        let IfmaNarrow { minus_weight, above, exact_inverse, shift, minus_modulus, .. } = narrow;
        Self {
            modulus: all(modulus.value),
            weight: all(weight),
            weight_inverse: all(weight_inverse),
            inverse: all(inverse),
            minus_weight: all(minus_weight),
            above: all(above),
            exact_inverse: all(exact_inverse),
            minus_modulus: all(minus_modulus),
            shift: all(shift.into()),
        }
    }
}

/// Blocks of E times eight values: of each eight, those with even and with odd place in vectors of numbers.
pub(super) type Blocks<const E: usize> = [[__m512i; 2]; E];

/// (a ± y) mod M, where y is the first d bytes of each block of `r`: the four steps below at once.
///
/// For d = 8 and M ≤ 2³² (`NARROW`): y = h·2⁴⁸ + l with h < 2¹⁶, so z = a + l + h·w, or a + (the least multiple of M
/// from 2⁴⁸ on) − l + h·(M − w), is congruent to the result, not negative, and below 2⁵¹. With
/// e = exact_inverse·M − 2^(52+shift) ≤ M ≤ 2^(shift+1), z·e is below 2^(52+shift), so that
/// q = ⌊z·exact_inverse / 2^(52+shift)⌋ is exactly ⌊z/M⌋. Then z + q·(2⁵² − M) is the result modulo 2⁵².
///
/// For d = 12 and M ≤ 2⁴⁸: y = h·2⁴⁸ + l. h·w is first reduced to below 2M, with q = ⌊h·⌊w·2⁵²/M⌋ / 2⁵²⌋, which is
/// ⌊h·w/M⌋ or one less because h < 2⁵²; then z = 2M + l + a is below 2⁴⁹ + 2⁴⁸ + 2⁴⁸. For such z the estimate
/// ⌊z·⌊2⁵²/M⌋ / 2⁵²⌋ is ⌊z/M⌋ or one less, so one correction is enough.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma")]
#[inline]
pub(super) fn add<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    a: &[__m512i; E],
    r: &Blocks<E>,
    m: &Modular,
) -> [__m512i; E] {
    let z = sum::<E, NARROW, ENCRYPT>(a, &split::<E, NARROW>(r), m);
    result::<E, NARROW, ENCRYPT>(a, &z, &quotient::<E, NARROW>(&z, m), m)
}

/// h and l of each value.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(super) fn split<const E: usize, const NARROW: bool>(r: &Blocks<E>) -> [[__m512i; 2]; E] {
    each(|e| if NARROW { split64(r[e]) } else { split96(r[e]) })
}

/// z
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn sum<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    a: &[__m512i; E],
    numbers: &[[__m512i; 2]; E],
    m: &Modular,
) -> [__m512i; E] {
    let zero = _mm512_setzero_si512();
    each(|e| {
        let (a, [high, low]) = (a[e], numbers[e]);
        match (NARROW, ENCRYPT) {
            (true, true) => _mm512_madd52lo_epu64(_mm512_add_epi64(a, low), high, m.weight),
            (true, false) => {
                let low = _mm512_sub_epi64(_mm512_add_epi64(a, m.above), low);
                _mm512_madd52lo_epu64(low, high, m.minus_weight)
            }
            (false, _) => {
                let low = if ENCRYPT { _mm512_add_epi64(low, a) } else { low };
                let q = _mm512_madd52hi_epu64(zero, high, m.weight_inverse);
                let product = _mm512_madd52lo_epu64(zero, high, m.weight);
                let rest = _mm512_sub_epi64(product, _mm512_madd52lo_epu64(zero, q, m.modulus));
                _mm512_add_epi64(low, clean(rest))
            }
        }
    })
}

/// q of z
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn quotient<const E: usize, const NARROW: bool>(z: &[__m512i; E], m: &Modular) -> [__m512i; E] {
    let zero = _mm512_setzero_si512();
    each(|e| {
        if NARROW {
            let q = _mm512_madd52hi_epu64(zero, z[e], m.exact_inverse);
            _mm512_srlv_epi64(q, m.shift)
        } else {
            _mm512_madd52hi_epu64(zero, z[e], m.inverse)
        }
    })
}

/// The result, of a, z and q.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
pub(super) fn result<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    a: &[__m512i; E],
    z: &[__m512i; E],
    q: &[__m512i; E],
    m: &Modular,
) -> [__m512i; E] {
    let zero = _mm512_setzero_si512();
    each(|e| {
        if NARROW {
            return _mm512_madd52lo_epu64(z[e], q[e], m.minus_modulus);
        }
        let rest = _mm512_sub_epi64(z[e], _mm512_madd52lo_epu64(zero, q[e], m.modulus));
        // The smaller of two numbers of which one may have wrapped is the one in range.
        let rest = _mm512_min_epu64(rest, _mm512_sub_epi64(rest, m.modulus));
        if ENCRYPT {
            return rest;
        }
        let difference = _mm512_sub_epi64(a[e], rest);
        _mm512_min_epu64(difference, _mm512_add_epi64(difference, m.modulus))
    })
}

/// The first 8 bytes of each block as numbers of 16 and 48 bits, in the order of the values.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn split64([even, odd]: [__m512i; 2]) -> [__m512i; 2] {
    let y = _mm512_unpacklo_epi64(even, odd);
    let high = broadcast(&[1, 0, NONE, NONE, NONE, NONE, NONE, NONE, 9, 8, NONE, NONE, NONE, NONE, NONE, NONE]);
    let low = broadcast(&[7, 6, 5, 4, 3, 2, NONE, NONE, 15, 14, 13, 12, 11, 10, NONE, NONE]);
    [_mm512_shuffle_epi8(y, high), _mm512_shuffle_epi8(y, low)]
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

/// `core::array::from_fn`, but compiled for this kernel.
#[target_feature(enable = "avx512f")]
#[inline]
fn each<T: Copy, const E: usize>(of: impl Fn(usize) -> T) -> [T; E] {
    let mut all = [of(0); E];
    for (e, place) in all.iter_mut().enumerate().skip(1) {
        *place = of(e);
    }
    all
}
