//! AES-NI: eight blocks in flight, arithmetic in general registers.
//!
//! Every `unsafe` here calls a function compiled for AES-NI and SSE4.1. That is sound because it needs an [`AesNi`] to
//! get there, and only [`AesNi::detect`] makes one. Memory is reached through references only.

use core::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_set_epi64x,
    _mm_xor_si128,
};

use crate::aes::{Aes, Work};
use crate::key::RoundKeys;

/// Evidence that the processor has AES-NI and SSE4.1.
#[derive(Clone, Copy)]
pub(crate) struct AesNi(());

/// A key schedule on a processor with AES-NI.
struct Keys<'k> {
    round_keys: &'k RoundKeys,
}

impl AesNi {
    pub(crate) fn detect() -> Option<Self> {
        let has = std::is_x86_feature_detected!("aes") && std::is_x86_feature_detected!("sse4.1");
        has.then_some(Self(()))
    }

    pub(crate) fn run<W: Work>(self, round_keys: &RoundKeys, work: W) -> W::Output {
        #[target_feature(enable = "aes,sse4.1")]
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
        unsafe { encrypt(self.round_keys, blocks) }
    }
}

/// FIPS 197 Cipher over N blocks.
#[target_feature(enable = "aes,sse4.1")]
#[inline]
pub(super) fn encrypt<const N: usize>(round_keys: &RoundKeys, blocks: &mut [u128; N]) {
    let (first, middle, last) = round_keys.parts();
    let mut states: [__m128i; N] = core::array::from_fn(|k| _mm_xor_si128(load(blocks[k].to_be_bytes()), load(*first)));
    for key in middle {
        let key = load(*key);
        states = states.map(|state| _mm_aesenc_si128(state, key));
    }
    let last = load(*last);
    for (block, state) in blocks.iter_mut().zip(states) {
        let state = _mm_aesenclast_si128(state, last);
        let halves = [_mm_cvtsi128_si64(state), _mm_extract_epi64::<1>(state)];
        *block = u128::from((halves[0] as u64).swap_bytes()) << 64 | u128::from((halves[1] as u64).swap_bytes());
    }
}

#[target_feature(enable = "aes,sse4.1")]
#[inline]
fn load(block: [u8; 16]) -> __m128i {
    let number = u128::from_le_bytes(block);
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}
