//! How long an attempt waits after those before it have failed.

/// Between two attempts, at least and at most.
const DELAY_MIN_MS: i64 = 1_000;
const DELAY_MAX_MS: i64 = 60_000;

/// How long to wait after so many failures: twice as long each time, up to a minute, and up to a half less by chance, so
/// that targets that failed together are not tried together.
pub(crate) fn delay_ms(failures: i64, chance: u16) -> i64 {
    let doublings = u32::try_from(failures.saturating_sub(1).clamp(0, 20)).unwrap_or(20);
    shortened(DELAY_MIN_MS.saturating_mul(1 << doublings), chance)
}

/// The same where it is known how long the last wait was, in place of how many failures there were: nothing, or less, before
/// the first one in a row.
pub(crate) fn next_delay_ms(last_ms: i64, chance: u16) -> i64 {
    shortened(last_ms.saturating_mul(2).max(DELAY_MIN_MS), chance)
}

fn shortened(longest_ms: i64, chance: u16) -> i64 {
    let delay_ms = longest_ms.min(DELAY_MAX_MS);
    delay_ms - delay_ms / 2 * i64::from(chance) / i64::from(u16::MAX)
}

pub(crate) fn jitter() -> u16 {
    u16::from_be_bytes(chancery_keys::random())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_minute_and_differ_by_chance() {
        let longest: Vec<_> = (1..=9).map(|failures| delay_ms(failures, 0)).collect();
        assert_eq!(longest, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
        assert_eq!((delay_ms(1, u16::MAX), delay_ms(i64::MAX, u16::MAX)), (500, 30_000));
        let next = [i64::MIN, 0, 700, 1_000, 30_000, i64::MAX].map(|last_ms| next_delay_ms(last_ms, 0));
        assert_eq!(next, [1_000, 1_000, 1_400, 2_000, 60_000, 60_000]);
    }
}
