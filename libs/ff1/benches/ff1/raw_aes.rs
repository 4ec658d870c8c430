//! How fast this machine encrypts blocks when there is nothing else to do: what bounds FF1, which needs ten per value.

/// Nanoseconds per block of AES with so many rounds (10 or 14), by the best instructions of the machine; `None` if it
/// has none that this program knows.
pub(crate) fn sample(rounds: usize) -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    return x86::sample(rounds);
    #[cfg(not(target_arch = "x86_64"))]
    return None;
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "calls of functions compiled for AES instructions, after asking for them")]
mod x86 {
    use core::arch::x86_64::{
        __m128i, __m512i, _mm_aesenc_si128, _mm_set1_epi64x, _mm512_aesenc_epi128, _mm512_set1_epi64,
    };
    use std::hint::black_box;
    use std::is_x86_feature_detected;
    use std::time::Instant;

    const BLOCKS: usize = 65_536;
    /// Registers in flight: enough to hide the latency of every known processor.
    const FLIGHT: usize = 12;

    pub(super) fn sample(rounds: usize) -> Option<f64> {
        let begin = Instant::now();
        let blocks = if is_x86_feature_detected!("vaes") && is_x86_feature_detected!("avx512f") {
            // SAFETY: the features were just found.
            unsafe { wide(rounds) }
        } else if is_x86_feature_detected!("aes") {
            // SAFETY: the feature was just found.
            unsafe { narrow(rounds) }
        } else {
            return None;
        };
        Some(begin.elapsed().as_nanos() as f64 / blocks as f64)
    }

    #[target_feature(enable = "vaes,avx512f")]
    fn wide(rounds: usize) -> usize {
        let key = black_box(_mm512_set1_epi64(3));
        let mut states: [__m512i; FLIGHT] = core::array::from_fn(|k| _mm512_set1_epi64(k as i64));
        let steps = BLOCKS / (4 * FLIGHT);
        for _ in 0..steps * rounds {
            states = states.map(|state| _mm512_aesenc_epi128(state, key));
        }
        black_box(states);
        steps * 4 * FLIGHT
    }

    #[target_feature(enable = "aes")]
    fn narrow(rounds: usize) -> usize {
        let key = black_box(_mm_set1_epi64x(3));
        let mut states: [__m128i; FLIGHT] = core::array::from_fn(|k| _mm_set1_epi64x(k as i64));
        let steps = BLOCKS / FLIGHT;
        for _ in 0..steps * rounds {
            states = states.map(|state| _mm_aesenc_si128(state, key));
        }
        black_box(states);
        steps * FLIGHT
    }
}
