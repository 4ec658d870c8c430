//! One value: the same arithmetic as for many, in the low lane of a vector, so that nothing crosses to the general
//! registers and back in the chain from round to round.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
    _mm_madd52hi_epu64, _mm_madd52lo_epu64, _mm_set_epi64x, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srlv_epi64,
    _mm_sub_epi64, _mm_xor_si128,
};

use super::load_block;
use super::modular::NONE;
use crate::Direction;
use crate::arith::Modulus;
use crate::feistel::{Lanes, Shape};
use crate::key::{RoundKeyParts, RoundKeys};

/// Step 6 of Algorithm 7 or 8 for d = 8.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512vl,avx512ifma")]
pub(super) fn crypt(round_keys: &RoundKeys, shape: &Shape<'_>, direction: Direction, lane: &mut Lanes<1>) {
    let last_block = load_block(&lane.mac[0].to_be_bytes());
    let numbers = [number(lane.a[0]), number(lane.b[0])];
    let [a, b] = match direction {
        Direction::Encrypt => crypt_one::<true>(round_keys, shape, last_block, numbers),
        Direction::Decrypt => crypt_one::<false>(round_keys, shape, last_block, numbers),
    };
    let clean = |number| _mm_cvtsi128_si64(number) as u64 & ((1 << 52) - 1);
    (lane.a[0], lane.b[0]) = (clean(a), clean(b));
}

/// The same for NUM(A) and NUM(B) in low lanes; the last block of Q without [i] and NUM(B).
#[target_feature(enable = "aes,avx512f,avx512bw,avx512vl,avx512ifma")]
#[inline]
pub(super) fn crypt_one<const ENCRYPT: bool>(
    round_keys: &RoundKeys,
    shape: &Shape<'_>,
    last_block: __m128i,
    [mut a, mut b]: [__m128i; 2],
) -> [__m128i; 2] {
    let first = _mm_xor_si128(load_block(round_keys.parts().first), last_block);
    // [i] is within the last eight bytes of the block, since NUM(B) has at most four.
    let first = |i: u8| {
        let counter = u64::from(i) << (8 * shape.b);
        _mm_xor_si128(first, _mm_set_epi64x(counter.swap_bytes() as i64, 0))
    };
    let [m_a, m_b] = shape.moduli;
    for k in [0, 2, 4, 6, 8] {
        if ENCRYPT {
            a = add::<true>(a, aes(round_keys, first(k), b), m_a);
            b = add::<true>(b, aes(round_keys, first(k + 1), a), m_b);
        } else {
            b = add::<false>(b, aes(round_keys, first(9 - k), a), m_b);
            a = add::<false>(a, aes(round_keys, first(8 - k), b), m_a);
        }
    }
    [a, b]
}

/// Steps 6i and 6ii.
#[target_feature(enable = "aes,avx512f,avx512bw,avx512vl")]
#[inline]
fn aes(round_keys: &RoundKeys, first: __m128i, source: __m128i) -> __m128i {
    const N: u8 = NONE;
    let RoundKeyParts { nine, more, last, .. } = round_keys.parts();
    let order = load_block(&[N, N, N, N, N, N, N, N, N, N, N, N, 3, 2, 1, 0]);
    let mut state = _mm_xor_si128(first, _mm_shuffle_epi8(source, order));
    for key in nine {
        state = _mm_aesenc_si128(state, load_block(key));
    }
    for pair in 0..2 {
        if let Some([key, next]) = more.get(pair) {
            state = _mm_aesenc_si128(state, load_block(key));
            state = _mm_aesenc_si128(state, load_block(next));
        }
    }
    _mm_aesenclast_si128(state, load_block(last))
}

/// Steps 6iii to 6vi; see [`add`](super::modular::add) for why it is right.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma")]
#[inline]
fn add<const ENCRYPT: bool>(a: __m128i, r: __m128i, m: &Modulus) -> __m128i {
    const N: u8 = NONE;
    let constants = &m.ifma.narrow;
    let low = _mm_shuffle_epi8(r, load_block(&[7, 6, 5, 4, 3, 2, N, N, N, N, N, N, N, N, N, N]));
    let high = _mm_shuffle_epi8(r, load_block(&[1, 0, N, N, N, N, N, N, N, N, N, N, N, N, N, N]));
    let z = if ENCRYPT {
        _mm_madd52lo_epu64(_mm_add_epi64(a, low), high, number(m.ifma.weight))
    } else {
        let low = _mm_sub_epi64(_mm_add_epi64(a, number(constants.above)), low);
        _mm_madd52lo_epu64(low, high, number(constants.minus_weight))
    };
    let q = _mm_madd52hi_epu64(_mm_setzero_si128(), z, number(constants.exact_inverse));
    let q = _mm_srlv_epi64(q, number(constants.shift.into()));
    _mm_madd52lo_epu64(z, q, number(constants.minus_modulus))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn number(number: u64) -> __m128i {
    _mm_cvtsi64_si128(number as i64)
}
