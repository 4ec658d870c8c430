//! VAES with AVX2: 16 values in flight, arithmetic in vectors of 32-bit multipliers.
//!
//! Every `unsafe` here calls a function compiled for the features in [`Vaes256::detect`], or reads or writes memory as a
//! vector. The former is sound because it needs a [`Vaes256`] to get there, and only `detect` makes one; the latter
//! because each access is to an array of exactly the vector's size, behind a reference.

use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_aesenc_epi128, _mm256_aesenclast_epi128, _mm256_and_si256,
    _mm256_blendv_pd, _mm256_broadcastsi128_si256, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_loadu_si256,
    _mm256_mul_epu32, _mm256_permute2x128_si256, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_srli_epi64, _mm256_storeu_si256, _mm256_sub_epi64, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
    _mm256_xor_si256,
};

use super::aesni;
use crate::Direction;
use crate::aes::{Aes, Work};
use crate::arith::Modulus;
use crate::feistel::{Lanes, Shape};
use crate::key::{RoundKeyParts, RoundKeys};

/// Evidence that the processor has what this kernel needs.
#[derive(Clone, Copy)]
pub(crate) struct Vaes256(());

/// A key schedule on such a processor.
struct Keys<'k> {
    round_keys: &'k RoundKeys,
}

impl Vaes256 {
    pub(crate) fn detect() -> Option<Self> {
        let has = std::is_x86_feature_detected!("aes")
            && std::is_x86_feature_detected!("vaes")
            && std::is_x86_feature_detected!("avx2");
        has.then_some(Self(()))
    }

    pub(crate) fn run<W: Work>(self, round_keys: &RoundKeys, work: W) -> W::Output {
        #[target_feature(enable = "aes,vaes,avx2")]
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
        // 2³² itself does not fit a multiplier.
        if !shape.is_narrow() || shape.moduli[1].value >> 32 != 0 {
            for eight in lanes {
                eight.crypt(self, shape, direction);
            }
            return;
        }
        let (pairs, rest) = lanes.as_chunks_mut::<2>();
        let crypt = match direction {
            Direction::Encrypt => crypt::<true>,
            Direction::Decrypt => crypt::<false>,
        };
        // SAFETY: as in `encrypt`.
        unsafe {
            for [x, y] in pairs {
                crypt(self.round_keys, shape, [x, y]);
            }
            let mut none = Lanes::EMPTY;
            for x in rest {
                crypt(self.round_keys, shape, [x, &mut none]);
            }
        }
    }
}

/// Vectors of four numbers: sixteen values.
type Numbers = [__m256i; 4];
/// Vectors of two blocks: for each of [`Numbers`] the values with even and with odd index.
type Blocks = [[__m256i; 2]; 4];

/// A modulus in every lane.
struct Vectors {
    modulus: __m256i,
    twice: __m256i,
    /// w = 2³² mod M
    weight: __m256i,
    /// ⌊w·2³²/M⌋
    weight_inverse: __m256i,
    /// ⌊2³²/M⌋
    inverse: __m256i,
}

/// Step 6 of Algorithm 7 or 8 over sixteen values; see [`Lanes::crypt`].
#[target_feature(enable = "aes,vaes,avx2")]
fn crypt<const ENCRYPT: bool>(round_keys: &RoundKeys, shape: &Shape<'_>, lanes: [&mut Lanes<8>; 2]) {
    let zero = _mm256_setzero_si256();
    let (mut a, mut b, mut macs) = ([zero; 4], [zero; 4], [[zero; 2]; 4]);
    for q in 0..4 {
        let (Lanes { a: from_a, b: from_b, mac }, half) = (&*lanes[q / 2], q % 2);
        (a[q], b[q]) = (load(&from_a.as_chunks::<4>().0[half]), load(&from_b.as_chunks::<4>().0[half]));
        macs[q] = interleave(&mac.as_chunks::<4>().0[half]);
    }
    let (m_a, m_b) = (vectors(shape.moduli[0]), vectors(shape.moduli[1]));
    for k in [0, 2, 4, 6, 8] {
        if ENCRYPT {
            add_all::<true>(&mut a, &encrypt(round_keys, shape.b, k, &macs, &b), &m_a);
            add_all::<true>(&mut b, &encrypt(round_keys, shape.b, k + 1, &macs, &a), &m_b);
        } else {
            add_all::<false>(&mut b, &encrypt(round_keys, shape.b, 9 - k, &macs, &a), &m_b);
            add_all::<false>(&mut a, &encrypt(round_keys, shape.b, 8 - k, &macs, &b), &m_a);
        }
    }
    for (e, Lanes { a: to_a, b: to_b, .. }) in lanes.into_iter().enumerate() {
        for half in 0..2 {
            store(&mut to_a.as_chunks_mut::<4>().0[half], a[2 * e + half]);
            store(&mut to_b.as_chunks_mut::<4>().0[half], b[2 * e + half]);
        }
    }
}

/// Steps 6i and 6ii of round i.
#[target_feature(enable = "aes,vaes,avx2")]
#[inline]
fn encrypt(round_keys: &RoundKeys, b: usize, i: u8, macs: &Blocks, source: &Numbers) -> Blocks {
    let RoundKeyParts { first, nine, more, last } = round_keys.parts();
    // [i] goes in with the first round key.
    let counter = u128::from(i) << (8 * b);
    let first = _mm256_xor_si256(broadcast(first), broadcast(&counter.to_be_bytes()));
    let zero = _mm256_setzero_si256();
    let mut r = *macs;
    for q in 0..4 {
        let numbers = swap_bytes(source[q]);
        let numbers = [_mm256_unpacklo_epi64(zero, numbers), _mm256_unpackhi_epi64(zero, numbers)];
        for h in 0..2 {
            r[q][h] = _mm256_xor_si256(_mm256_xor_si256(r[q][h], first), numbers[h]);
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
        *state = _mm256_aesenclast_epi128(*state, last);
    }
    r
}

#[target_feature(enable = "vaes,avx2")]
#[inline]
fn aes_round(states: &mut Blocks, key: &[u8; 16]) {
    let key = broadcast(key);
    for state in states.as_flattened_mut() {
        *state = _mm256_aesenc_epi128(*state, key);
    }
}

/// Steps 6iii to 6vi.
#[target_feature(enable = "avx2")]
#[inline]
fn add_all<const ENCRYPT: bool>(target: &mut Numbers, r: &Blocks, m: &Vectors) {
    for q in 0..4 {
        target[q] = add::<ENCRYPT>(target[q], r[q], m);
    }
}

/// (a ± y) mod M for M < 2³², where y is the first 8 bytes of each block of `r`.
///
/// y = h·2³² + l, and w = 2³² mod M. With q = ⌊h·⌊w·2³²/M⌋ / 2³²⌋, which is ⌊h·w/M⌋ or one less because h < 2³²,
/// h·w − q·M is below 2M, and so is in the same way l − ⌊l·⌊2³²/M⌋ / 2³²⌋·M. With a (and 4M where both are taken away)
/// the sum is below 5M, which two corrections by 2M and one by M bring below M.
#[target_feature(enable = "avx2")]
#[inline]
fn add<const ENCRYPT: bool>(a: __m256i, [even, odd]: [__m256i; 2], m: &Vectors) -> __m256i {
    // A multiplication takes the lower 32 bits of each lane.
    let y = swap_bytes(_mm256_unpacklo_epi64(even, odd));
    let high = _mm256_srli_epi64::<32>(y);
    let low = _mm256_and_si256(y, _mm256_set1_epi64x(u32::MAX.into()));
    let q = _mm256_srli_epi64::<32>(_mm256_mul_epu32(high, m.weight_inverse));
    let high = _mm256_sub_epi64(_mm256_mul_epu32(high, m.weight), _mm256_mul_epu32(q, m.modulus));
    let q = _mm256_srli_epi64::<32>(_mm256_mul_epu32(low, m.inverse));
    let low = _mm256_sub_epi64(low, _mm256_mul_epu32(q, m.modulus));
    let y = _mm256_add_epi64(high, low);
    let sum = if ENCRYPT {
        _mm256_add_epi64(a, y)
    } else {
        _mm256_sub_epi64(_mm256_add_epi64(a, _mm256_add_epi64(m.twice, m.twice)), y)
    };
    subtract_once(subtract_once(subtract_once(sum, m.twice), m.twice), m.modulus)
}

/// `x − m` where that is not negative, else `x`.
#[target_feature(enable = "avx2")]
#[inline]
fn subtract_once(x: __m256i, m: __m256i) -> __m256i {
    let difference = _mm256_sub_epi64(x, m);
    // Selects by the top bit of each lane; nothing is computed in floating point.
    let select = _mm256_castsi256_pd;
    _mm256_castpd_si256(_mm256_blendv_pd(select(difference), select(x), select(difference)))
}

/// Blocks of the values with even and with odd index.
#[target_feature(enable = "avx2")]
#[inline]
fn interleave(blocks: &[u128; 4]) -> [__m256i; 2] {
    let order = broadcast(&[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    let (halves, _) = blocks.as_chunks::<2>();
    let (low, high) = (_mm256_shuffle_epi8(load(&halves[0]), order), _mm256_shuffle_epi8(load(&halves[1]), order));
    [_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn swap_bytes(numbers: __m256i) -> __m256i {
    _mm256_shuffle_epi8(numbers, broadcast(&[7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]))
}

#[target_feature(enable = "avx2")]
#[inline]
fn vectors(modulus: &Modulus) -> Vectors {
    let all = |number: u64| _mm256_set1_epi64x(number as i64);
    let (m, weight) = (modulus.value, (1 << 32) % modulus.value);
    Vectors {
        modulus: all(m),
        twice: all(2 * m),
        weight: all(weight),
        weight_inverse: all((weight << 32) / m),
        inverse: all((1 << 32) / m),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn broadcast(block: &[u8; 16]) -> __m256i {
    // SAFETY: reads the 16 bytes of the array; no alignment is asked for.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(block.as_ptr().cast()) })
}

/// Reads an array of exactly 32 bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn load<T>(array: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) };
    // SAFETY: reads the 32 bytes of the array; no alignment is asked for, and callers pass arrays of integers.
    unsafe { _mm256_loadu_si256(core::ptr::from_ref(array).cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(numbers: &mut [u64; 4], vector: __m256i) {
    // SAFETY: writes the 32 bytes of the array; no alignment is asked for.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector) }
}
