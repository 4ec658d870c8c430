//! VAES with AVX-512 and IFMA: 32 values in flight, arithmetic in vectors of 52-bit multipliers.
//!
//! Every `unsafe` here calls a function compiled for the features in [`Vaes512::detect`], or reads memory as a vector.
//! The former is sound because it needs a [`Vaes512`] to get there, and only `detect` makes one; the latter because each
//! read is of an array of exactly the vector's size, behind a reference.

use core::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm512_add_epi64, _mm512_aesenc_epi128, _mm512_aesenclast_epi128,
    _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_loadu_si512, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64,
    _mm512_min_epu64, _mm512_permutex2var_epi64, _mm512_set1_epi64, _mm512_setr_epi64, _mm512_setzero_si512,
    _mm512_shuffle_epi8, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi64, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::aesni;
use crate::Direction;
use crate::aes::{Aes, Work};
use crate::arith::Modulus;
use crate::feistel::{Lanes, Shape};
use crate::key::{RoundKeyParts, RoundKeys};

/// Evidence that the processor has what this kernel needs.
#[derive(Clone, Copy)]
pub(crate) struct Vaes512(());

/// A key schedule on such a processor.
struct Keys<'k> {
    round_keys: &'k RoundKeys,
}

/// NUM(B) and [i] must fit the last eight bytes of a block, and numbers 48 bits.
const B_MOST: usize = 6;

impl Vaes512 {
    pub(crate) fn detect() -> Option<Self> {
        let has = std::is_x86_feature_detected!("aes")
            && std::is_x86_feature_detected!("vaes")
            && std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("avx512ifma");
        has.then_some(Self(()))
    }

    pub(crate) fn run<W: Work>(self, round_keys: &RoundKeys, work: W) -> W::Output {
        #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
        fn compiled<W: Work>(round_keys: &RoundKeys, work: W) -> W::Output {
            work.run(&Keys { round_keys })
        }
        // SAFETY: `self` is evidence of the features.
        unsafe { compiled(round_keys, work) }
    }
}

impl Aes for Keys<'_> {
    #[inline(always)]
    fn encrypt<const N: usize>(&self, blocks: &mut [u128; N]) {
        // SAFETY: `Keys` is made only in `compiled`, which runs only with evidence of the features.
        unsafe { aesni::encrypt(self.round_keys, blocks) }
    }

    #[inline(always)]
    fn rounds(&self, shape: &Shape<'_>, direction: Direction, lanes: &mut [Lanes<8>]) {
        if shape.b > B_MOST {
            for eight in lanes {
                eight.crypt(self, shape, direction);
            }
            return;
        }
        let (fours, rest) = lanes.as_chunks_mut::<4>();
        let (twos, last) = rest.as_chunks_mut::<2>();
        // SAFETY: as in `encrypt`.
        unsafe {
            for [x0, x1, y0, y1] in fours {
                crypt(self.round_keys, shape, direction, [[x0, x1], [y0, y1]]);
            }
            for [x, y] in twos {
                crypt(self.round_keys, shape, direction, [[x], [y]]);
            }
            let mut none = Lanes::EMPTY;
            for x in last {
                crypt(self.round_keys, shape, direction, [[x], [&mut none]]);
            }
        }
    }
}

/// A modulus in every lane.
#[derive(Clone, Copy)]
struct Vectors {
    modulus: __m512i,
    weight: __m512i,
    weight_inverse: __m512i,
    inverse: __m512i,
}

/// Values on their way: E times eight.
///
/// A round adds to the left numbers what it makes of the right ones, then the two change roles. Encryption starts with
/// A on the left, decryption, which undoes the rounds from the last, with B.
struct Side<const E: usize> {
    left: [__m512i; E],
    right: [__m512i; E],
    macs: [[__m512i; 2]; E],
    /// Output of AES that waits to be added.
    r: [[__m512i; 2]; E],
}

/// Step 6 of Algorithm 7 or 8 over two times E times eight values.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
fn crypt<const E: usize>(
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

/// While one side is in the AES units, the other is added up: in this order of instructions neither waits.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
fn crypt_as<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    round_keys: &RoundKeys,
    shape: &Shape<'_>,
    [x_lanes, y_lanes]: [[&mut Lanes<8>; E]; 2],
) {
    let round = Round { round_keys, b: shape.b };
    let (a, b) = (vectors(shape.moduli[0]), vectors(shape.moduli[1]));
    let (left, right) = if ENCRYPT { (a, b) } else { (b, a) };
    let (mut x, mut y) = (Side::load::<ENCRYPT>(&x_lanes), Side::load::<ENCRYPT>(&y_lanes));
    let number = |k: u8| if ENCRYPT { k } else { 9 - k };
    for k in [0, 2, 4, 6, 8] {
        x.r = round.start(number(k), &x.right, &x.macs);
        if k > 0 {
            add_all::<E, NARROW, ENCRYPT>(&mut y.right, &y.r, &right);
        }
        y.r = round.start(number(k), &y.right, &y.macs);
        add_all::<E, NARROW, ENCRYPT>(&mut x.left, &x.r, &left);
        x.r = round.start(number(k + 1), &x.left, &x.macs);
        add_all::<E, NARROW, ENCRYPT>(&mut y.left, &y.r, &left);
        y.r = round.start(number(k + 1), &y.left, &y.macs);
        add_all::<E, NARROW, ENCRYPT>(&mut x.right, &x.r, &right);
    }
    add_all::<E, NARROW, ENCRYPT>(&mut y.right, &y.r, &right);
    x.store::<ENCRYPT>(x_lanes);
    y.store::<ENCRYPT>(y_lanes);
}

impl<const E: usize> Side<E> {
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn load<const ENCRYPT: bool>(lanes: &[&mut Lanes<8>; E]) -> Self {
        let zero = _mm512_setzero_si512();
        let mut side = Self { left: [zero; E], right: [zero; E], macs: [[zero; 2]; E], r: [[zero; 2]; E] };
        for (e, Lanes { a, b, mac }) in lanes.iter().map(|lanes| &**lanes).enumerate() {
            let (left, right) = if ENCRYPT { (a, b) } else { (b, a) };
            (side.left[e], side.right[e], side.macs[e]) = (load(left), load(right), interleave(mac));
        }
        side
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn store<const ENCRYPT: bool>(&self, lanes: [&mut Lanes<8>; E]) {
        for (e, Lanes { a, b, .. }) in lanes.into_iter().enumerate() {
            let (left, right) = if ENCRYPT { (a, b) } else { (b, a) };
            store(left, self.left[e]);
            store(right, self.right[e]);
        }
    }
}

/// What the rounds of one call have in common.
struct Round<'a> {
    round_keys: &'a RoundKeys,
    b: usize,
}

impl Round<'_> {
    /// Steps 6i and 6ii of round i.
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    fn start<const E: usize>(&self, i: u8, source: &[__m512i; E], macs: &[[__m512i; 2]; E]) -> [[__m512i; 2]; E] {
        let RoundKeyParts { first, nine, more, last } = self.round_keys.parts();
        // [i] goes in with the first round key.
        let counter = u128::from(i) << (8 * self.b);
        let first = _mm512_xor_si512(broadcast(first), broadcast(&counter.to_be_bytes()));
        let mut r = *macs;
        for e in 0..E {
            let numbers = spread(source[e]);
            for h in 0..2 {
                r[e][h] = _mm512_xor_si512(_mm512_xor_si512(r[e][h], first), numbers[h]);
            }
        }
        for key in nine {
            aes_round(&mut r, key);
        }
        for [key, next] in more {
            aes_round(&mut r, key);
            aes_round(&mut r, next);
        }
        let last = broadcast(last);
        for state in r.as_flattened_mut() {
            *state = _mm512_aesenclast_epi128(*state, last);
        }
        r
    }
}

#[target_feature(enable = "vaes,avx512f")]
#[inline]
fn aes_round<const E: usize>(states: &mut [[__m512i; 2]; E], key: &[u8; 16]) {
    let key = broadcast(key);
    for state in states.as_flattened_mut() {
        *state = _mm512_aesenc_epi128(*state, key);
    }
}

/// Steps 6iii to 6vi.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
fn add_all<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    target: &mut [__m512i; E],
    r: &[[__m512i; 2]; E],
    m: &Vectors,
) {
    for e in 0..E {
        target[e] = add::<NARROW, ENCRYPT>(target[e], r[e], m);
    }
}

/// (a ± y) mod M, where y is the first d bytes of each block of `r`.
///
/// y = h·2⁴⁸ + l, and w = 2⁴⁸ mod M. Nothing below exceeds 52 bits:
/// - d = 8 (M ≤ 2³²): h has 16 bits, so h·w + l + a is below 2⁴⁸ + 2⁴⁸ + 2³².
/// - d = 12 (M ≤ 2⁴⁸): h·w is first reduced to below 2M, with q = ⌊h·⌊w·2⁵²/M⌋ / 2⁵²⌋, which is ⌊h·w/M⌋ or one less
///   because h < 2⁵²; then 2M + l + a is below 2⁴⁹ + 2⁴⁸ + 2⁴⁸.
///
/// For z below 2⁵² the estimate ⌊z·⌊2⁵²/M⌋ / 2⁵²⌋ is ⌊z/M⌋ or one less, so one correction is enough.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
fn add<const NARROW: bool, const ENCRYPT: bool>(a: __m512i, r: [__m512i; 2], m: &Vectors) -> __m512i {
    let zero = _mm512_setzero_si512();
    let [high, low] = if NARROW { split64(r) } else { split96(r) };
    let low = if ENCRYPT { _mm512_add_epi64(low, a) } else { low };
    let z = if NARROW {
        _mm512_madd52lo_epu64(low, high, m.weight)
    } else {
        let q = _mm512_madd52hi_epu64(zero, high, m.weight_inverse);
        let product = _mm512_madd52lo_epu64(zero, high, m.weight);
        let rest = _mm512_sub_epi64(product, _mm512_madd52lo_epu64(zero, q, m.modulus));
        _mm512_add_epi64(low, _mm512_and_si512(rest, _mm512_set1_epi64((1 << 52) - 1)))
    };
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

/// The first 8 bytes of each block as numbers of 16 and 48 bits, in the order of the values.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn split64([even, odd]: [__m512i; 2]) -> [__m512i; 2] {
    let y = swap_bytes(_mm512_unpacklo_epi64(even, odd));
    [_mm512_srli_epi64::<48>(y), _mm512_and_si512(y, _mm512_set1_epi64((1 << 48) - 1))]
}

/// The first 12 bytes of each block as numbers of 48 and 48 bits, in the order of the values.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn split96(r: [__m512i; 2]) -> [__m512i; 2] {
    // Bytes 5 to 0 and 11 to 6; an index with the top bit gives a zero.
    let order = broadcast(&[5, 4, 3, 2, 1, 0, 0x80, 0x80, 11, 10, 9, 8, 7, 6, 0x80, 0x80]);
    let (even, odd) = (_mm512_shuffle_epi8(r[0], order), _mm512_shuffle_epi8(r[1], order));
    [_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)]
}

/// Numbers as the last eight bytes of blocks: of the values with even and with odd index.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn spread(numbers: __m512i) -> [__m512i; 2] {
    let (zero, numbers) = (_mm512_setzero_si512(), swap_bytes(numbers));
    [_mm512_unpacklo_epi64(zero, numbers), _mm512_unpackhi_epi64(zero, numbers)]
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

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn swap_bytes(numbers: __m512i) -> __m512i {
    _mm512_shuffle_epi8(numbers, broadcast(&[7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn vectors(modulus: &Modulus) -> Vectors {
    let all = |number: u64| _mm512_set1_epi64(number as i64);
    let ifma = &modulus.ifma;
    Vectors {
        modulus: all(modulus.value),
        weight: all(ifma.weight),
        weight_inverse: all(ifma.weight_inverse),
        inverse: all(ifma.inverse),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn broadcast(block: &[u8; 16]) -> __m512i {
    // SAFETY: reads the 16 bytes of the array; no alignment is asked for.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(block.as_ptr().cast::<__m128i>()) })
}

/// Reads an array of exactly 64 bytes.
#[target_feature(enable = "avx512f")]
#[inline]
fn load<T>(array: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) };
    // SAFETY: reads the 64 bytes of the array; no alignment is asked for, and callers pass arrays of integers.
    unsafe { _mm512_loadu_si512(core::ptr::from_ref(array).cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(numbers: &mut [u64; 8], vector: __m512i) {
    // SAFETY: writes the 64 bytes of the array; no alignment is asked for.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), vector) }
}
