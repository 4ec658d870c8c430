//! VAES with AVX-512 and IFMA: 32 values in flight, arithmetic in vectors of 52-bit multipliers.
//!
//! Every `unsafe` here calls a function compiled for the features in [`Vaes512::detect`], or reads memory as a vector.
//! The former is sound because it needs a [`Vaes512`] to get there, and only `detect` makes one; the latter because each
//! read is of an array of exactly the vector's size, behind a reference.

mod decimal;
mod lanes;
mod modular;
mod one;
mod one_decimal;
mod rounds;

use alloc::vec::Vec;
use core::arch::x86_64::{
    __m128i, __m512i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_loadu_si128, _mm_maskz_loadu_epi8, _mm_set_epi64x,
    _mm_setzero_si128, _mm_storeu_si128, _mm512_broadcast_i32x4, _mm512_loadu_si512, _mm512_storeu_si512,
};

use super::aesni;
use crate::Direction;
use crate::aes::{Aes, Work};
use crate::bytes::{put_word, word};
use crate::decimals::Decimals;
use crate::feistel::{Lanes, Shape};
use crate::key::RoundKeys;

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
                lanes::crypt(self.round_keys, shape, direction, [[x0, x1], [y0, y1]]);
            }
            for [x, y] in twos {
                lanes::crypt(self.round_keys, shape, direction, [[x], [y]]);
            }
            let mut none = Lanes::EMPTY;
            for x in last {
                lanes::crypt(self.round_keys, shape, direction, [[x], [&mut none]]);
            }
        }
    }

    #[inline(always)]
    fn one(&self, shape: &Shape<'_>, direction: Direction, lane: &mut Lanes<1>) {
        if !shape.is_narrow() {
            return lane.crypt(self, shape, direction);
        }
        // SAFETY: as in `encrypt`.
        unsafe { one::crypt(self.round_keys, shape, direction, lane) };
    }

    #[inline(always)]
    fn decimal(&self, job: &Decimals<'_>, text: &mut [u8]) -> Option<bool> {
        // SAFETY: as in `encrypt`.
        Some(unsafe { one_decimal::crypt(self.round_keys, job, text) })
    }

    #[inline(always)]
    fn decimals(&self, job: &Decimals<'_>, text: &mut [u8], refused: &mut Vec<usize>) -> bool {
        // SAFETY: as in `encrypt`.
        unsafe { decimal::crypt(self.round_keys, job, text, refused) };
        true
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn broadcast(block: &[u8; 16]) -> __m512i {
    _mm512_broadcast_i32x4(load_block(block))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_block(block: &[u8; 16]) -> __m128i {
    // SAFETY: reads the 16 bytes of the array; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
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

/// Tells the compiler that the two are needed at the same time, which is here.
#[target_feature(enable = "avx512f")]
#[inline]
fn keep_together(a: &mut __m512i, b: &mut __m512i) {
    // SAFETY: a comment, no instruction.
    unsafe {
        core::arch::asm!(
            "/* {0} {1} */",
            inout(zmm_reg) * a,
            inout(zmm_reg) * b,
            options(nomem, nostack, preserves_flags)
        )
    }
}

/// The first eight and the last eight of `length` bytes from `start` on, which may overlap: the length is 8 to 16.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_ends(bytes: &[u8], start: usize, length: usize) -> __m128i {
    if length == 16 {
        let whole = bytes[start..].first_chunk::<16>().expect("items are within bounds");
        // SAFETY: reads the 16 bytes of the array; no alignment is asked for.
        return unsafe { _mm_loadu_si128(whole.as_ptr().cast()) };
    }
    let bytes = &bytes[start..][..length];
    _mm_set_epi64x(word(&bytes[length - 8..]) as i64, word(&bytes[..8]) as i64)
}

/// The inverse of [`load_ends`].
#[target_feature(enable = "avx512f")]
#[inline]
fn store_ends(bytes: &mut [u8], start: usize, length: usize, ends: __m128i) {
    if length == 16 {
        let whole = bytes[start..].first_chunk_mut::<16>().expect("items are within bounds");
        // SAFETY: writes the 16 bytes of the array; no alignment is asked for.
        return unsafe { _mm_storeu_si128(whole.as_mut_ptr().cast(), ends) };
    }
    let bytes = &mut bytes[start..][..length];
    put_word(&mut bytes[..8], _mm_cvtsi128_si64(ends) as u64);
    put_word(&mut bytes[length - 8..], _mm_extract_epi64::<1>(ends) as u64);
}

/// At most 16 bytes, and zeros after them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn load_at_most_16(bytes: &[u8]) -> __m128i {
    if bytes.is_empty() {
        // A masked load of nothing from where nothing is mapped takes 50 ns.
        return _mm_setzero_si128();
    }
    let mask = 0xffff_u32 >> (16 - bytes.len().min(16));
    // SAFETY: reads only what the mask names: bytes of the slice, as many as it has.
    unsafe { _mm_maskz_loadu_epi8(mask as u16, bytes.as_ptr().cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Modulus;
    use proptest::prelude::*;

    /// (a + y) mod M and (a − y) mod M.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma")]
    fn short_sums(a: u64, y: u64, m: &Modulus) -> [u64; 2] {
        let number = |number: u64| _mm_set_epi64x(0, number as i64);
        let sums = [
            one::add_short::<true>(number(a), number(y.swap_bytes()), m),
            one::add_short::<false>(number(a), number((!y).swap_bytes()), m),
        ];
        sums.map(|sum| _mm_cvtsi128_si64(sum) as u64 & 0xffff_ffff)
    }

    fn modulus() -> impl Strategy<Value = u64> {
        prop_oneof![1u64 << 18..=1 << 31, Just(1 << 18), Just((1 << 18) + 1), Just(1 << 31), Just(1 << 32)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Above all where an estimate could be wrong: next to multiples of M and at the ends.
        #[test]
        fn short_sums_are_exact(a: u64, y: u64, near in -2i64..=2, place in 0..4, m in modulus()) {
            prop_assume!(Vaes512::detect().is_some());
            let a = if near > 0 { m - 1 } else { a % m };
            let y = match place {
                0 => y,
                1 => (y - y % m).wrapping_add_signed(near),
                2 => (y - y % m).wrapping_sub(a).wrapping_add_signed(near),
                _ => u64::MAX.wrapping_add_signed(near),
            };
            let wide = |x: u64| u128::from(x);
            let expected = [wide(a) + wide(y), wide(a) + wide(m) - wide(y % m)].map(|sum| (sum % wide(m)) as u64);
            // SAFETY: `detect` found the features.
            let sums = unsafe { short_sums(a, y, &Modulus::new(m)) };
            prop_assert_eq!(sums, expected);
        }
    }
}
