//! AES-NI: eight blocks in flight, arithmetic in general registers.
//!
//! Every `unsafe` here calls a function compiled for AES-NI and SSE4.1. That is sound because it needs an [`AesNi`] to
//! get there, and only [`AesNi::detect`] makes one. Memory is reached through references only.

use core::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_set_epi64x,
    _mm_xor_si128,
};

use crate::aes::{Aes, Work};
use crate::key::{RoundKeyParts, RoundKeys};

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
///
/// Not compiled for the features itself but always inlined into what is: a call for each block would cost a quarter of
/// the time of the block.
///
/// # Safety
/// The processor must have AES-NI and SSE4.1.
#[inline(always)]
pub(super) unsafe fn encrypt<const N: usize>(round_keys: &RoundKeys, blocks: &mut [u128; N]) {
    let RoundKeyParts { first, nine, more, last } = round_keys.parts();
    // SAFETY: the caller has seen to the features; the intrinsics ask for nothing else.
    unsafe {
        let mut states = [_mm_set_epi64x(0, 0); N];
        for k in 0..N {
            states[k] = _mm_xor_si128(load(blocks[k].to_be_bytes()), load(*first));
        }
        for key in nine {
            round(&mut states, key);
        }
        for [key, next] in more {
            round(&mut states, key);
            round(&mut states, next);
        }
        let last = load(*last);
        for k in 0..N {
            let state = _mm_aesenclast_si128(states[k], last);
            let high = (_mm_cvtsi128_si64(state) as u64).swap_bytes();
            let low = (_mm_extract_epi64::<1>(state) as u64).swap_bytes();
            blocks[k] = u128::from(high) << 64 | u128::from(low);
        }
    }
}

/// # Safety
/// The processor must have AES-NI.
#[inline(always)]
unsafe fn round<const N: usize>(states: &mut [__m128i; N], key: &[u8; 16]) {
    // SAFETY: as above.
    unsafe {
        let key = load(*key);
        for state in states {
            *state = _mm_aesenc_si128(*state, key);
        }
    }
}

/// # Safety
/// The processor must have SSE2, which every x86-64 has.
#[inline(always)]
unsafe fn load(block: [u8; 16]) -> __m128i {
    let number = u128::from_le_bytes(block);
    // SAFETY: as above.
    unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
}
