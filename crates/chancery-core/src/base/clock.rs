//! The time, given in so that tests can fix it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Where the time comes from.
#[derive(Clone, Debug)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// A clock that stands still until a test moves it.
    Fixed(Arc<AtomicI64>),
}

/// A span in milliseconds, as times are counted.
pub(crate) fn ms(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

impl Clock {
    /// A clock that stands at this time, in milliseconds since 1970 UTC.
    #[must_use]
    pub fn fixed(now_ms: i64) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now_ms)))
    }

    /// Milliseconds since 1970 UTC.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::System => {
                let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                ms(since_epoch)
            }
            Self::Fixed(now_ms) => now_ms.load(Ordering::Relaxed),
        }
    }

    /// Moves a fixed clock; the machine's clock is nobody's to move.
    pub fn advance_ms(&self, by_ms: i64) {
        if let Self::Fixed(now_ms) = self {
            now_ms.fetch_add(by_ms, Ordering::Relaxed);
        }
    }
}
