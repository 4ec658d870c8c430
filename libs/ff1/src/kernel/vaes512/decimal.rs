//! Decimal text, from reading to writing in vectors: a value is 16 bytes, a vector four values.

#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::arch::x86_64::{
    __m128i, __m512i, _mm512_add_epi8, _mm512_and_si512, _mm512_castsi128_si512, _mm512_castsi512_si128,
    _mm512_cmpgt_epu8_mask, _mm512_extracti32x4_epi32, _mm512_inserti32x4, _mm512_madd_epi16, _mm512_maddubs_epi16,
    _mm512_mul_epu32, _mm512_mulhi_epu16, _mm512_mullo_epi16, _mm512_or_si512, _mm512_packus_epi32, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_shuffle_epi8, _mm512_slli_epi16, _mm512_slli_epi32,
    _mm512_slli_epi64, _mm512_srli_epi16, _mm512_srli_epi64, _mm512_sub_epi8, _mm512_sub_epi16, _mm512_sub_epi32,
    _mm512_ternarylogic_epi64, _mm512_unpackhi_epi16, _mm512_unpacklo_epi16,
};

use super::rounds::{Rounds, Side};
use super::{broadcast, load_at_most_16, load_ends, store_ends};
use crate::Direction;
use crate::decimals::Decimals;
use crate::item::Item;
use crate::key::RoundKeys;

/// Eights of values on each side while there are enough of them. Two are too few to hide the time that an AES round
/// takes; more than three gain nothing.
const BULK: usize = 4;

/// Orders of bytes between the text and its halves, the same for all values.
struct Orders {
    read: __m512i,
    write: __m512i,
    /// From the start of a tweak to its place in the block.
    tweak: __m512i,
}

/// Encrypts or decrypts the texts of the job, and adds to `refused` which of them are no decimal digits.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
pub(super) fn crypt(round_keys: &RoundKeys, job: &Decimals<'_>, text: &mut [u8], refused: &mut Vec<usize>) {
    match (job.direction, job.tweak_length > 0) {
        (Direction::Encrypt, false) => crypt_as::<true, false>(round_keys, job, text, refused),
        (Direction::Encrypt, true) => crypt_as::<true, true>(round_keys, job, text, refused),
        (Direction::Decrypt, false) => crypt_as::<false, false>(round_keys, job, text, refused),
        (Direction::Decrypt, true) => crypt_as::<false, true>(round_keys, job, text, refused),
    }
}

#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline(never)]
fn crypt_as<const ENCRYPT: bool, const TWEAKED: bool>(
    round_keys: &RoundKeys,
    job: &Decimals<'_>,
    text: &mut [u8],
    refused: &mut Vec<usize>,
) {
    let [read, write] = job.places();
    let orders = Orders { read: broadcast(read), write: broadcast(write), tweak: broadcast(job.tweak_places()) };
    let rounds = Rounds::new::<ENCRYPT>(round_keys, job.shape, job.shared);
    let mut done = stream::<ENCRYPT, TWEAKED>(&rounds, &orders, job, text, refused);
    while done < job.items.len() {
        let items = &job.items[done..];
        let (taken, wrong) = match items.len() {
            0..=16 => (16, part::<1, ENCRYPT, TWEAKED>(&rounds, &orders, job, items, text)),
            _ => (32, part::<2, ENCRYPT, TWEAKED>(&rounds, &orders, job, items, text)),
        };
        refuse(wrong, done, refused);
        done += taken;
    }
}

/// Adds those values that the bits of `wrong` tell, counted from `first` on.
#[inline(always)]
fn refuse(wrong: u64, first: usize, refused: &mut Vec<usize>) {
    if wrong != 0 {
        refused.extend((0..16 * BULK).filter(|k| wrong >> k & 1 != 0).map(|k| first + k));
    }
}

/// As many values as fill parts of twice 8·[`BULK`]; tells how many.
///
/// The order is such that what one side reads and writes always is next to AES rounds of the other, also from part to
/// part, so that the processor does them at the same time.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
fn stream<const ENCRYPT: bool, const TWEAKED: bool>(
    rounds: &Rounds<'_>,
    orders: &Orders,
    job: &Decimals<'_>,
    text: &mut [u8],
    refused: &mut Vec<usize>,
) -> usize {
    const HALF: usize = 8 * BULK;
    let mut parts = job.items.as_chunks::<HALF>().0.as_chunks::<2>().0.iter().peekable();
    let (mut x, mut y) = (Side::<BULK>::new(), Side::<BULK>::new());
    let (mut x_wrong, mut done) = (0, 0);
    let mut first = x.own;
    if let Some([x_items, _]) = parts.peek() {
        x_wrong = read::<BULK, ENCRYPT, TWEAKED>(orders, job, &mut x, x_items, text);
        first = rounds.first::<BULK, true, ENCRYPT, TWEAKED>(&x, &mut y, &x.own);
    }
    while let Some([x_items, y_items]) = parts.next() {
        let y_wrong = read::<BULK, ENCRYPT, TWEAKED>(orders, job, &mut y, y_items, text);
        let last = rounds.crypt::<BULK, true, ENCRYPT, TWEAKED>(&mut x, &mut y, &first);
        write::<BULK, ENCRYPT>(orders, job, &x, x_items, !x_wrong, text);
        refuse(x_wrong | y_wrong << HALF, done, refused);
        if let Some([x_items, _]) = parts.peek() {
            x_wrong = read::<BULK, ENCRYPT, TWEAKED>(orders, job, &mut x, x_items, text);
            first = rounds.first::<BULK, true, ENCRYPT, TWEAKED>(&x, &mut y, &last);
        } else {
            rounds.last::<BULK, true, ENCRYPT>(&mut y, &last);
        }
        write::<BULK, ENCRYPT>(orders, job, &y, y_items, !y_wrong, text);
        done += 2 * HALF;
    }
    done
}

/// The first 16·E values, or as many as there are; tells which of them are no digits.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
fn part<const E: usize, const ENCRYPT: bool, const TWEAKED: bool>(
    rounds: &Rounds<'_>,
    orders: &Orders,
    job: &Decimals<'_>,
    items: &[Item],
    text: &mut [u8],
) -> u64 {
    let padded: [Item; 32];
    let all = match items.get(..16 * E) {
        Some(all) => all,
        None => {
            padded = core::array::from_fn(|k| items[if k < items.len() { k } else { 0 }]);
            &padded[..16 * E]
        }
    };
    let (x_items, y_items) = all.split_at(8 * E);
    let (mut x, mut y) = (Side::<E>::new(), Side::<E>::new());
    // What one side reads and writes is done while the other is in the AES units.
    let mut wrong = read::<E, ENCRYPT, TWEAKED>(orders, job, &mut x, x_items, text);
    let first = rounds.first::<E, true, ENCRYPT, TWEAKED>(&x, &mut Side::new(), &y.own);
    wrong |= read::<E, ENCRYPT, TWEAKED>(orders, job, &mut y, y_items, text) << (8 * E);
    let last = rounds.crypt::<E, true, ENCRYPT, TWEAKED>(&mut x, &mut y, &first);
    // Lanes without a value have repeated the first one.
    let present = u64::MAX >> (64 - items.len().min(16 * E));
    let keep = present & !wrong;
    write::<E, ENCRYPT>(orders, job, &x, x_items, keep, text);
    rounds.last::<E, true, ENCRYPT>(&mut y, &last);
    write::<E, ENCRYPT>(orders, job, &y, y_items, keep >> (8 * E), text);
    wrong & present
}

/// Reads numbers and tweaks of 8·E texts; tells which of them are no digits.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn read<const E: usize, const ENCRYPT: bool, const TWEAKED: bool>(
    orders: &Orders,
    job: &Decimals<'_>,
    side: &mut Side<E>,
    items: &[Item],
    text: &[u8],
) -> u64 {
    let (mut wrong, length) = (0, job.shape.length());
    for (e, eight) in items.as_chunks::<8>().0.iter().enumerate().take(E) {
        let mut digits = side.own[e];
        for (h, four) in eight.as_chunks::<4>().0.iter().enumerate() {
            let bytes = vector_of(|k| load_ends(text, four[k].start, length));
            let bytes = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'0' as i8));
            let bad = _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(9));
            if bad != 0 {
                let of_value = |k: &usize| bad >> (16 * k) & 0xffff != 0;
                wrong |= (0..4).filter(of_value).fold(0, |all, k| all | 1 << (8 * e + 4 * h + k));
            }
            digits[h] = _mm512_shuffle_epi8(bytes, orders.read);
            if TWEAKED {
                let tweak = vector_of(|k| load_at_most_16(&job.tweaks[four[k].tweak_start..][..job.tweak_length]));
                side.own[e][h] = _mm512_shuffle_epi8(tweak, orders.tweak);
            }
        }
        let [a, b] = numbers(digits);
        (side.left[e], side.right[e]) = if ENCRYPT { (a, b) } else { (b, a) };
    }
    wrong
}

/// Writes those texts that are to be kept.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn write<const E: usize, const ENCRYPT: bool>(
    orders: &Orders,
    job: &Decimals<'_>,
    side: &Side<E>,
    items: &[Item],
    keep: u64,
    text: &mut [u8],
) {
    let length = job.shape.length();
    for (e, eight) in items.as_chunks::<8>().0.iter().enumerate().take(E) {
        let (a, b) = if ENCRYPT { (side.left[e], side.right[e]) } else { (side.right[e], side.left[e]) };
        let vectors = digits_of(a, b);
        for (h, four) in eight.as_chunks::<4>().0.iter().enumerate() {
            let bytes = _mm512_add_epi8(vectors[h], _mm512_set1_epi8(b'0' as i8));
            for (k, value) in values_of(_mm512_shuffle_epi8(bytes, orders.write)).into_iter().enumerate() {
                if keep >> (8 * e + 4 * h + k) & 1 != 0 {
                    store_ends(text, four[k].start, length, value);
                }
            }
        }
    }
}

/// The inverse of [`vector_of`].
#[target_feature(enable = "avx512f")]
#[inline]
fn values_of(vector: __m512i) -> [__m128i; 4] {
    [
        _mm512_castsi512_si128(vector),
        _mm512_extracti32x4_epi32::<1>(vector),
        _mm512_extracti32x4_epi32::<2>(vector),
        _mm512_extracti32x4_epi32::<3>(vector),
    ]
}

/// Four values in one vector.
#[target_feature(enable = "avx512f")]
#[inline]
fn vector_of(lane: impl Fn(usize) -> __m128i) -> __m512i {
    let vector = _mm512_castsi128_si512(lane(0));
    let vector = _mm512_inserti32x4::<1>(vector, lane(1));
    let vector = _mm512_inserti32x4::<2>(vector, lane(2));
    _mm512_inserti32x4::<3>(vector, lane(3))
}

/// NUM(A) and NUM(B) of eight values with eight digits in each half, the first four values in the even lanes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn numbers(digits: [__m512i; 2]) -> [__m512i; 2] {
    // Each step takes neighbours together: the first times a power of ten, plus the second.
    let (tens, hundreds, ten_thousands) = (0x01_0a, 0x0001_0064, 0x0001_2710);
    let quads = |digits| {
        let pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(tens));
        _mm512_madd_epi16(pairs, _mm512_set1_epi32(hundreds))
    };
    let quads = _mm512_packus_epi32(quads(digits[0]), quads(digits[1]));
    let halves = _mm512_madd_epi16(quads, _mm512_set1_epi32(ten_thousands));
    [_mm512_and_si512(halves, _mm512_set1_epi64(0xffff_ffff)), _mm512_srli_epi64::<32>(halves)]
}

/// The inverse of [`numbers`], of numbers in the low 32 bits of each lane.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn digits_of(a: __m512i, b: __m512i) -> [__m512i; 2] {
    // Within the upper 32 bits the first, else the second.
    const CHOOSE: i32 = 0xca;
    let upper = _mm512_set1_epi64(u32::MAX as i64 ^ -1);
    // ⌊x/10000⌋ = ⌊x·3518437209 / 2⁴⁵⌋ for x < 2³²; then the remainder, below 2¹⁶ as the quotient is.
    let high = |x| _mm512_mul_epu32(x, _mm512_set1_epi64(3_518_437_209));
    let (a_high, b_high) = (_mm512_srli_epi64::<45>(high(a)), _mm512_srli_epi64::<13>(high(b)));
    let high = _mm512_ternarylogic_epi64::<CHOOSE>(upper, b_high, a_high);
    let halves = _mm512_ternarylogic_epi64::<CHOOSE>(upper, _mm512_slli_epi64::<32>(b), a);
    let low = _mm512_sub_epi32(halves, _mm512_madd_epi16(high, _mm512_set1_epi32(10_000)));
    let quads = _mm512_or_si512(high, _mm512_slli_epi32::<16>(low));
    // ⌊x/100⌋ = ⌊x·5243 / 2¹⁹⌋ for x < 10⁴.
    let high = _mm512_srli_epi16::<3>(_mm512_mulhi_epu16(quads, _mm512_set1_epi16(5243)));
    let low = _mm512_sub_epi16(quads, _mm512_mullo_epi16(high, _mm512_set1_epi16(100)));
    [ones_and_tens(_mm512_unpacklo_epi16(high, low)), ones_and_tens(_mm512_unpackhi_epi16(high, low))]
}

/// Numbers below 100 in words as two digits in bytes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn ones_and_tens(pairs: __m512i) -> __m512i {
    // ⌊x/10⌋ = ⌊x·6554 / 2¹⁶⌋ for x < 100; then tens + 256·(x − 10·tens).
    let tens = _mm512_mulhi_epu16(pairs, _mm512_set1_epi16(6554));
    _mm512_sub_epi16(_mm512_slli_epi16::<8>(pairs), _mm512_mullo_epi16(tens, _mm512_set1_epi16(2559)))
}
