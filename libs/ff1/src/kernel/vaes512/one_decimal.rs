//! One decimal text: what `decimal` does, in vectors of sixteen bytes.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_cmpgt_epu8_mask, _mm_madd_epi16, _mm_maddubs_epi16, _mm_mul_epu32, _mm_mulhi_epu16,
    _mm_mullo_epi16, _mm_or_si128, _mm_packus_epi32, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_set1_epi64x,
    _mm_shuffle_epi8, _mm_slli_epi16, _mm_slli_epi32, _mm_slli_epi64, _mm_srli_epi16, _mm_srli_epi64, _mm_sub_epi8,
    _mm_sub_epi16, _mm_sub_epi32, _mm_unpacklo_epi64, _mm_xor_si128,
};

use super::one::{for_this, rounds};
use super::{load_at_most_16, load_block, load_ends, store_ends};
use crate::decimals::Decimals;
use crate::key::RoundKeys;

/// Encrypts or decrypts the text; false if it is no digits.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512vl,avx512ifma")]
#[inline]
pub(super) fn crypt(round_keys: &RoundKeys, job: &Decimals<'_>, text: &mut [u8]) -> bool {
    for_this!(job.direction, job.shape, round_keys, crypt_as(round_keys, job, text))
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512vl,avx512ifma")]
fn crypt_as<const ENCRYPT: bool, const SHORT: bool, const KEYS: usize>(
    round_keys: &RoundKeys,
    job: &Decimals<'_>,
    text: &mut [u8],
) -> bool {
    let (length, [read, write]) = (job.shape.length(), job.places());
    let digits = _mm_sub_epi8(load_ends(text, 0, length), _mm_set1_epi8(b'0' as i8));
    if _mm_cmpgt_epu8_mask(digits, _mm_set1_epi8(9)) != 0 {
        return false;
    }
    let mut last_block = load_block(&job.shared.to_be_bytes());
    if !job.tweaks.is_empty() {
        let tweak = _mm_shuffle_epi8(load_at_most_16(job.tweaks), load_block(job.tweak_places()));
        last_block = _mm_xor_si128(last_block, tweak);
    }
    let numbers = numbers(_mm_shuffle_epi8(digits, load_block(read)));
    let numbers = rounds::<ENCRYPT, SHORT, KEYS>(round_keys, job.shape, last_block, numbers);
    let bytes = _mm_add_epi8(digits_of(numbers), _mm_set1_epi8(b'0' as i8));
    store_ends(text, 0, length, _mm_shuffle_epi8(bytes, load_block(write)));
    true
}

/// NUM(A) and NUM(B) of eight digits each.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn numbers(digits: __m128i) -> [__m128i; 2] {
    // Each step takes neighbours together: the first times a power of ten, plus the second.
    let pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x01_0a));
    let quads = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
    let halves = _mm_madd_epi16(_mm_packus_epi32(quads, quads), _mm_set1_epi32(0x0001_2710));
    [_mm_srli_epi64::<32>(_mm_slli_epi64::<32>(halves)), _mm_srli_epi64::<32>(halves)]
}

/// The inverse of [`numbers`], of numbers in the low 32 bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn digits_of([a, b]: [__m128i; 2]) -> __m128i {
    let halves = _mm_unpacklo_epi64(a, b);
    // The same quotients as in `decimal`, for the same bounds.
    let high = _mm_srli_epi64::<45>(_mm_mul_epu32(halves, _mm_set1_epi64x(3_518_437_209)));
    let low = _mm_sub_epi32(halves, _mm_mul_epu32(high, _mm_set1_epi64x(10_000)));
    let quads = _mm_or_si128(high, _mm_slli_epi64::<32>(low));
    let high = _mm_srli_epi16::<3>(_mm_mulhi_epu16(quads, _mm_set1_epi16(5243)));
    let low = _mm_sub_epi16(quads, _mm_mullo_epi16(high, _mm_set1_epi16(100)));
    let pairs = _mm_or_si128(high, _mm_slli_epi32::<16>(low));
    let tens = _mm_mulhi_epu16(pairs, _mm_set1_epi16(6554));
    _mm_sub_epi16(_mm_slli_epi16::<8>(pairs), _mm_mullo_epi16(tens, _mm_set1_epi16(2559)))
}
