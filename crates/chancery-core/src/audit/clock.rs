//! Jumps of the host's clock, for the audit records: whoever sets it back makes records look older than they are, and
//! whoever sets it ahead ends what is valid. It is compared with the time that passes, which nobody can set.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use chancery_types::Action;
use serde_json::json;

use crate::{Chancery, Clock, Event, Result, clock::ms};

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a clock that is only slowed down or hastened does not reach between two looks.
const JUMP_MIN_MS: u64 = 1_000;

/// What the clock said at the last look.
#[derive(Default)]
pub(crate) struct ClockWatch(Mutex<Option<(i64, Instant)>>);

/// Tells of jumps of the clock. Made only here.
pub(crate) struct WatchingClock(());

impl Chancery {
    /// Looks each second, until the last user of this Chancery is gone. A clock that tests move does not jump.
    pub(crate) fn watch_clock(self: &Arc<Self>) {
        if matches!(self.clock, Clock::System) {
            self.every(LOOK_EVERY, "watching the clock", |chancery| Box::pin(chancery.look_at_clock()));
        }
    }

    async fn look_at_clock(&self) -> Result<()> {
        let now = (self.clock.now_ms(), Instant::now());
        let before = self.last_look().unwrap_or(now);
        if let Some(by_ms) = jump(before, now) {
            // While it cannot be recorded the last look stays the one before the jump.
            let event = Event::new(Action::ClockJump).detail(json!({"byMs": by_ms}));
            self.commit(&WatchingClock(()), event, |_| Box::pin(async { Ok(()) })).await?;
        }
        *self.clock_watch.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(())
    }

    fn last_look(&self) -> Option<(i64, Instant)> {
        *self.clock_watch.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// By how many milliseconds the clock was set ahead, or back where it is negative.
fn jump((before_ms, before): (i64, Instant), (now_ms, now): (i64, Instant)) -> Option<i64> {
    let passed_ms = ms(now.saturating_duration_since(before));
    let by_ms = now_ms.saturating_sub(before_ms).saturating_sub(passed_ms);
    (by_ms.unsigned_abs() >= JUMP_MIN_MS).then_some(by_ms)
}

#[cfg(test)]
mod tests {
    use chancery_store::sql;

    use super::*;
    use crate::{Error, testing::Installation};

    #[test]
    fn only_what_time_does_not_explain_is_a_jump() {
        let start = Instant::now();
        let after = |s| start + Duration::from_secs(s);
        assert_eq!(jump((0, start), (60_000, after(60))), None, "a minute has passed");
        assert_eq!(jump((0, start), (1_999, after(1))), None, "a little fast");
        assert_eq!(jump((0, start), (3_601_000, after(1))), Some(3_600_000));
        assert_eq!(jump((3_600_000, start), (1_000, after(1))), Some(-3_600_000));
        assert_eq!(jump((0, start), (i64::MIN, after(1))), Some(i64::MIN));
    }

    #[tokio::test]
    async fn a_jump_is_recorded_once() {
        let installation = Installation::new().await;
        let chancery = &installation.chancery;
        chancery.look_at_clock().await.unwrap();
        installation.clock.advance_ms(-86_400_000);
        chancery.look_at_clock().await.unwrap();
        chancery.look_at_clock().await.unwrap();
        let told = chancery.storage.store().read(|tx| {
            Box::pin(async move {
                Ok::<Vec<String>, Error>(sql("SELECT detail FROM audit WHERE action = 'ClockJump'").all(tx).await?)
            })
        });
        let told = told.await.unwrap();
        let [told] = &told[..] else { panic!("one jump: {told:?}") };
        let by_ms = serde_json::from_str::<serde_json::Value>(told).unwrap()["byMs"].as_i64().unwrap();
        assert!((-86_460_000..=-86_400_000).contains(&by_ms), "{by_ms}");
    }
}
