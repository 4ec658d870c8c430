//! When a call is made again. Only where that cannot do a thing twice: a GET, or a call with a key of its own, that was not
//! answered, and whatever the server put off, which says so (`Retry-After`) before it has done anything.

use std::time::Duration;

use rand::RngExt as _;

/// Calls of one operation at most, the first included.
const TRIES_MAX: u32 = 4;

/// The longest wait that is made silently: whoever is put off for longer decides what to do meanwhile.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The wait before the second try, where the server did not say how long; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The tries of one operation.
pub(crate) struct Tries {
    is_repeatable: bool,
    made: u32,
}

impl Tries {
    /// Of a call that is made once however often it arrives, or of another.
    pub(crate) const fn of(is_repeatable: bool) -> Self {
        Self { is_repeatable, made: 0 }
    }

    /// How long to wait before the same call is made again; none where this outcome counts. Where there was no answer there
    /// is no status.
    pub(crate) fn wait_after(&mut self, status: Option<u16>, retry_after: Option<Duration>) -> Option<Duration> {
        self.made += 1;
        if self.made >= TRIES_MAX {
            return None;
        }
        let growing = FIRST_WAIT * 2_u32.pow(self.made - 1);
        let at_least = match status {
            Some(429 | 503) => retry_after?,
            None if self.is_repeatable => Duration::ZERO,
            Some(_) | None => return None,
        };
        // Many clients are put off at once; if all came back at once, all would be put off again.
        let jitter = growing.mul_f64(rand::rng().random_range(0.5..1.5));
        Some(at_least + jitter).filter(|wait| *wait <= WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_happen_twice_is_tried_again() {
        for (is_repeatable, status, retry_after_s, is_repeated) in [
            (false, Some(429), Some(1), true),
            (false, Some(503), Some(1), true),
            (false, Some(503), None, false),
            (true, Some(429), Some(3_600), false),
            (true, Some(500), Some(1), false),
            (true, Some(200), None, false),
            (true, None, None, true),
            (false, None, None, false),
        ] {
            let wait = Tries::of(is_repeatable).wait_after(status, retry_after_s.map(Duration::from_secs));
            assert_eq!(wait.is_some(), is_repeated, "{is_repeatable} {status:?}");
        }
    }

    #[test]
    fn waits_grow_and_end() {
        let mut tries = Tries::of(true);
        let waits: Vec<_> = std::iter::from_fn(|| tries.wait_after(None, None)).collect();
        assert_eq!(waits.len(), 3);
        for (wait, at_least) in waits.iter().zip([50, 100, 200]) {
            assert!((at_least..=3 * at_least).contains(&wait.as_millis()), "{wait:?}");
        }
        let wait = Tries::of(false).wait_after(Some(429), Some(Duration::from_secs(2))).expect("put off");
        assert!(wait > Duration::from_secs(2) && wait < Duration::from_secs(3), "{wait:?}");
    }
}
