//! AES-NI: eight blocks in flight, arithmetic in general registers.
//!
//! Every `unsafe` here calls a function compiled for AES-NI and SSE4.1. That is sound because it needs an [`AesNi`] to
//! get there, and only [`AesNi::detect`] makes one. Memory is reached through references only.

use core::arch::x86_64::{
    __m128i, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_cvtsi128_si64, _mm_extract_epi64, _mm_set_epi64x,
    _mm_xor_si128,
};

use crate::Direction;
use crate::aes::{Aes, Work};
use crate::feistel::{Lanes, Shape};
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

    #[inline(always)]
    fn rounds(&self, shape: &Shape<'_>, direction: Direction, lanes: &mut [Lanes<8>]) {
        for eight in lanes {
            match (shape.is_narrow(), direction) {
                (false, _) => eight.crypt(self, shape, direction),
                // SAFETY: as in `encrypt`.
                (true, Direction::Encrypt) => unsafe { crypt::<true>(self.round_keys, shape, eight) },
                // SAFETY: as in `encrypt`.
                (true, Direction::Decrypt) => unsafe { crypt::<false>(self.round_keys, shape, eight) },
            }
        }
    }
}

/// Step 6 of Algorithm 7 or 8 for d = 8; see [`Lanes::crypt`]. Only that half of a block goes through general registers
/// which changes, and comes back from there which counts.
#[target_feature(enable = "aes,sse4.1")]
fn crypt<const ENCRYPT: bool>(round_keys: &RoundKeys, shape: &Shape<'_>, Lanes { a, b, mac }: &mut Lanes<8>) {
    let RoundKeyParts { first, nine, more, last } = round_keys.parts();
    let macs: [__m128i; 8] = core::array::from_fn(|k| {
        // SAFETY: every x86-64 has SSE2.
        unsafe { _mm_xor_si128(load(mac[k].to_be_bytes()), load(*first)) }
    });
    let [m_a, m_b] = shape.moduli;
    for k in 0..10 {
        let i = if ENCRYPT { k } else { 9 - k };
        // Steps 6i and 6ii: [i] and NUM(B) are within the last eight bytes.
        let counter = (i as u64) << (8 * shape.b);
        let (target, m, source) = if i % 2 == 0 { (&mut *a, m_a, &*b) } else { (&mut *b, m_b, &*a) };
        let mut states = macs;
        // SAFETY: this function is compiled for AES-NI and SSE4.1.
        unsafe {
            for (state, source) in states.iter_mut().zip(source) {
                *state = _mm_xor_si128(*state, _mm_set_epi64x((source ^ counter).swap_bytes() as i64, 0));
            }
            for key in nine {
                round(&mut states, key);
            }
            for [key, next] in more {
                round(&mut states, key);
                round(&mut states, next);
            }
            let last = load(*last);
            for (a, state) in target.iter_mut().zip(states) {
                let y = (_mm_cvtsi128_si64(_mm_aesenclast_si128(state, last)) as u64).swap_bytes();
                *a = m.add64::<ENCRYPT>(*a, y);
            }
        }
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
