//! One value: the same arithmetic as for many, in the low lane of a vector, so that nothing crosses to the general
//! registers and back in the chain from round to round.
//!
//! In a call each instruction of that chain waits for the one before it, so its length is what counts; and how few
//! instructions there are besides, because the processor looks only so far ahead for the next call.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si32,
    _mm_madd52hi_epu64, _mm_madd52lo_epu64, _mm_min_epu32, _mm_set1_epi8, _mm_setzero_si128, _mm_shuffle_epi8,
    _mm_srlv_epi64, _mm_sub_epi64, _mm_ternarylogic_epi64, _mm_xor_si128,
};

use super::load_block;
use super::modular::NONE;
use crate::Direction;
use crate::arith::Modulus;
use crate::feistel::{Lanes, Shape};
use crate::key::RoundKeys;

/// [i] for all rounds, where it is in a block before NUM(B) of so many bytes.
static COUNTERS: [[[[u8; 16]; 2]; 5]; 5] = {
    let mut all = [[[[0; 16]; 2]; 5]; 5];
    let mut b = 0;
    while b < all.len() {
        let mut i = 0;
        while i < 10 {
            all[b][i / 2][i % 2][15 - b] = i as u8;
            i += 1;
        }
        b += 1;
    }
    all
};

/// Calls `$function::<ENCRYPT, SHORT, KEYS>`: the direction; whether both moduli have what [`add_short`] needs; how many
/// round keys there are between the first and the last. All are fixed in the code that runs, for the reason above.
macro_rules! for_this {
    ($direction:expr, $shape:expr, $round_keys:expr, $function:ident $arguments:tt) => {
        match ($direction, super::one::is_short($shape), $round_keys.middle_count()) {
            (crate::Direction::Encrypt, true, 9) => $function::<true, true, 9> $arguments,
            (crate::Direction::Encrypt, true, 11) => $function::<true, true, 11> $arguments,
            (crate::Direction::Encrypt, true, _) => $function::<true, true, 13> $arguments,
            (crate::Direction::Encrypt, false, 9) => $function::<true, false, 9> $arguments,
            (crate::Direction::Encrypt, false, 11) => $function::<true, false, 11> $arguments,
            (crate::Direction::Encrypt, false, _) => $function::<true, false, 13> $arguments,
            (crate::Direction::Decrypt, true, 9) => $function::<false, true, 9> $arguments,
            (crate::Direction::Decrypt, true, 11) => $function::<false, true, 11> $arguments,
            (crate::Direction::Decrypt, true, _) => $function::<false, true, 13> $arguments,
            (crate::Direction::Decrypt, false, 9) => $function::<false, false, 9> $arguments,
            (crate::Direction::Decrypt, false, 11) => $function::<false, false, 11> $arguments,
            (crate::Direction::Decrypt, false, _) => $function::<false, false, 13> $arguments,
        }
    };
}
pub(super) use for_this;

/// Whether both moduli have what [`add_short`] needs.
pub(super) fn is_short(shape: &Shape<'_>) -> bool {
    shape.moduli.iter().all(|m| m.ifma.narrow.top_inverse != 0)
}

/// Step 6 of Algorithm 7 or 8 for d = 8.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512vl,avx512ifma")]
pub(super) fn crypt(round_keys: &RoundKeys, shape: &Shape<'_>, direction: Direction, lane: &mut Lanes<1>) {
    for_this!(direction, shape, round_keys, crypt_as(round_keys, shape, lane))
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512vl,avx512ifma")]
fn crypt_as<const ENCRYPT: bool, const SHORT: bool, const KEYS: usize>(
    round_keys: &RoundKeys,
    shape: &Shape<'_>,
    lane: &mut Lanes<1>,
) {
    let last_block = load_block(&lane.mac[0].to_be_bytes());
    let numbers = [number(lane.a[0]), number(lane.b[0])];
    let [a, b] = rounds::<ENCRYPT, SHORT, KEYS>(round_keys, shape, last_block, numbers);
    let low = |number| u64::from(_mm_cvtsi128_si32(number) as u32);
    (lane.a[0], lane.b[0]) = (low(a), low(b));
}

/// The same for NUM(A) and NUM(B) in low lanes; the last block of Q without [i] and NUM(B). Only the low 32 bits of the
/// results mean something.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512vl,avx512ifma")]
#[inline]
pub(super) fn rounds<const ENCRYPT: bool, const SHORT: bool, const KEYS: usize>(
    round_keys: &RoundKeys,
    shape: &Shape<'_>,
    last_block: __m128i,
    [mut a, mut b]: [__m128i; 2],
) -> [__m128i; 2] {
    const N: u8 = NONE;
    const XOR3: i32 = 0x96;
    let (first, middle, last) = round_keys.all::<KEYS>();
    let first = _mm_xor_si128(load_block(first), last_block);
    // For `add_short`, which needs −1 − y to subtract y.
    let inverted = _mm_set1_epi8(if SHORT && !ENCRYPT { -1 } else { 0 });
    let last = _mm_xor_si128(load_block(last), inverted);
    let counters = &COUNTERS[shape.b];
    // Steps 6i and 6ii.
    let aes = |counter: &[u8; 16], source: __m128i| {
        let order = load_block(&[N, N, N, N, N, N, N, N, N, N, N, N, 3, 2, 1, 0]);
        let source = _mm_shuffle_epi8(source, order);
        let mut state = _mm_ternarylogic_epi64::<XOR3>(source, first, load_block(counter));
        for key in middle {
            state = _mm_aesenc_si128(state, load_block(key));
        }
        _mm_aesenclast_si128(state, last)
    };
    let add = |a, r, m| if SHORT { add_short::<ENCRYPT>(a, r, m) } else { add::<ENCRYPT>(a, r, m) };
    let [m_a, m_b] = shape.moduli;
    for k in 0..5 {
        if ENCRYPT {
            let [even, odd] = &counters[k];
            a = add(a, aes(even, b), m_a);
            b = add(b, aes(odd, a), m_b);
        } else {
            let [even, odd] = &counters[4 - k];
            b = add(b, aes(odd, a), m_b);
            a = add(a, aes(even, b), m_a);
        }
    }
    [a, b]
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

/// The same in three steps less, for moduli M of which `top_inverse` is not zero; only the low 32 bits of what goes in
/// and of the result mean something, and `r` has −1 − y in the place of y if y is to be taken away.
///
/// z = a + y is 2¹⁶·t + e with e < 2¹⁷ for t = ⌊a/2¹⁶⌋ + ⌊y/2¹⁶⌋ < 2⁴⁹. So q = ⌊t·⌊2⁶⁸/M⌋ / 2⁵²⌋ is at most z/M, and
/// z/M − q is below e/M + t/2⁵² + 1 < 2 because M ≥ 2¹⁸. The result is therefore z − q·M or M less, of which the second
/// wraps, and is the larger then, if it is negative: M ≤ 2³¹. For M = 2³² the two are the same in their 32 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma")]
#[inline]
pub(super) fn add_short<const ENCRYPT: bool>(a: __m128i, r: __m128i, m: &Modulus) -> __m128i {
    const N: u8 = NONE;
    let constants = &m.ifma.narrow;
    let minus_modulus = number(constants.minus_modulus);
    let a = if ENCRYPT {
        a
    } else {
        let a = _mm_add_epi64(a, number(constants.more));
        _mm_min_epu32(a, _mm_add_epi64(a, minus_modulus))
    };
    let t = _mm_shuffle_epi8(a, load_block(&[2, 3, N, N, N, N, N, N, N, N, N, N, N, N, N, N]));
    let t = _mm_add_epi64(t, _mm_shuffle_epi8(r, load_block(&[5, 4, 3, 2, 1, 0, N, N, N, N, N, N, N, N, N, N])));
    let z = _mm_add_epi64(a, _mm_shuffle_epi8(r, load_block(&[7, 6, 5, 4, N, N, N, N, N, N, N, N, N, N, N, N])));
    let q = _mm_madd52hi_epu64(_mm_setzero_si128(), t, number(constants.top_inverse));
    let once_more = _mm_add_epi64(z, minus_modulus);
    _mm_min_epu32(_mm_madd52lo_epu64(z, q, minus_modulus), _mm_madd52lo_epu64(once_more, q, minus_modulus))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn number(number: u64) -> __m128i {
    _mm_cvtsi64_si128(number as i64)
}
