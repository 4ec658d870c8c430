//! Jumps of the host's clock, for the audit records: whoever sets it back makes records look older than they are, and
//! whoever sets it ahead ends what is valid. It is compared with the time that passes, which nobody can set.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use chancery_store::tables;
use chancery_types::Action;
use serde_json::json;

use super::{
    Context, Event, Visitor,
    background::Recurring as _,
    storage::{Background, Evidence, MayRead, Recording, Storage},
};
use crate::{Clock, Error, Result, base::clock::ms};

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a clock that is only slowed down or hastened does not reach between two looks. That of tests stands still, however
/// long they take.
const JUMP_MIN_MS: u64 = if cfg!(test) { 60_000 } else { 1_000 };

/// A record from before a start that is newer than now by more than this was made by another clock than now's, unless another
/// node's clock was a little ahead. `audit verify` allows for as much.
const BEHIND_MAX_MS: i64 = 60_000;

/// Nothing that is sent elsewhere waits for longer, neither for another try nor for whoever took it on: what does was told the time by
/// a clock that was ahead.
const LONGEST_WAIT_MS: i64 = 10 * 60_000;

/// Nothing is removed because its time is over before the clock has gone on for so long without a jump: what is removed is gone, and
/// a clock is soon wrong, above all at a start.
pub(crate) const STEADY: Duration = Duration::from_hours(6);

/// What is known of the clock.
#[derive(Default)]
pub(crate) struct ClockWatch {
    /// When the newest record was made that was there at the start.
    newest_record_ms: Option<i64>,
    /// What it said at the last look.
    last: Mutex<Option<(i64, Instant)>>,
    /// Since when it has gone on without a jump. None as long as there was no look, and of a clock that tests move and that did not
    /// jump.
    steady_since: Mutex<Option<Instant>>,
    jumps: AtomicU64,
}

/// Tells of jumps of the clock. Made only here.
pub(crate) struct WatchingClock(());

impl Evidence for WatchingClock {}
impl MayRead for WatchingClock {}
impl Background for WatchingClock {}
impl Recording for WatchingClock {
    const NAME: &'static str = "server";
    const ACTIONS: &'static [Action] = &[Action::ClockJump];
}

impl ClockWatch {
    /// To be called before anything is recorded by the clock of now.
    pub(crate) async fn load(storage: &Storage, by: &impl MayRead) -> Result<Self> {
        let newest =
            storage.read(by, |tx| Box::pin(async move { Ok::<_, Error>(tables::audit::newest_at_ms(tx).await?) }));
        Ok(Self { newest_record_ms: newest.await?, ..Self::default() })
    }

    /// By how much the clock was set back since the newest record was made, before this server started. Set ahead it cannot be told
    /// from time that passed.
    fn behind_the_records(&self, now_ms: i64) -> Option<i64> {
        let by_ms = now_ms.saturating_sub(self.newest_record_ms?);
        (by_ms < -BEHIND_MAX_MS).then_some(by_ms)
    }
}

impl Context {
    /// Looks each second, until the last user of this Chancery is gone. A clock that tests move does not jump.
    pub(crate) fn watch_clock(self: &Arc<Self>) {
        if matches!(self.clock, Clock::System) {
            self.every(LOOK_EVERY, "watching the clock", |context| Box::pin(context.look_at_clock()));
        }
    }

    pub(crate) async fn look_at_clock(&self) -> Result<()> {
        let now = (self.clock.now_ms(), Instant::now());
        let last = self.last_look();
        let jumped = match last {
            Some(before) => jump(before, now),
            None => self.clock_watch.behind_the_records(now.0),
        };
        // Also where this server was not there when it was set back.
        if last.is_none() || jumped.is_some_and(|by_ms| by_ms < 0) {
            let (now_ms, last_ms) = (now.0, now.0.saturating_add(LONGEST_WAIT_MS));
            let due = self.storage.background(&WatchingClock(()), move |tx| {
                Box::pin(async move { Ok::<_, Error>(tables::waits::none_beyond(tx, now_ms, last_ms).await?) })
            });
            due.await?;
        }
        if let Some(by_ms) = jumped {
            let while_stopped = last.is_none();
            tracing::warn!(by_ms, while_stopped, "the host's clock jumped");
            *self.steady_since() = Some(now.1);
            // While it cannot be recorded the last look stays the one before the jump.
            let mut detail = json!({"byMs": by_ms});
            if while_stopped {
                detail["whileStopped"] = true.into();
            }
            let event = Event::new(Action::ClockJump).detail(detail);
            self.commit(&WatchingClock(()), event, |_| Box::pin(async { Ok(()) })).await?;
            self.clock_watch.jumps.fetch_add(1, Ordering::Relaxed);
        }
        if matches!(self.clock, Clock::System) {
            self.steady_since().get_or_insert(now.1);
        }
        *self.clock_watch.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(())
    }

    /// Whether the clock may be believed that this span is over: it has not jumped for as long, or for six hours.
    pub(crate) fn is_steady(&self, span: Duration) -> bool {
        match *self.steady_since() {
            Some(since) => since.elapsed() >= span.min(STEADY),
            // A clock that tests move does not jump.
            None => matches!(self.clock, Clock::Fixed(_)),
        }
    }

    /// Jumps of the clock since this server started.
    #[must_use]
    pub fn clock_jumps(&self, _visitor: &Visitor) -> u64 {
        self.clock_watch.jumps.load(Ordering::Relaxed)
    }

    fn steady_since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.clock_watch.steady_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_look(&self) -> Option<(i64, Instant)> {
        *self.clock_watch.last.lock().unwrap_or_else(PoisonError::into_inner)
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
    use crate::testing::Installation;

    #[test]
    fn only_what_time_does_not_explain_is_a_jump() {
        let start = Instant::now();
        let after = |s| start + Duration::from_secs(s);
        assert_eq!(jump((0, start), (60_000, after(60))), None, "a minute has passed");
        let least_ms = i64::try_from(JUMP_MIN_MS).unwrap();
        assert_eq!(jump((0, start), (1_000 + least_ms - 1, after(1))), None, "a little fast");
        assert_eq!(jump((0, start), (1_000 + least_ms, after(1))), Some(least_ms));
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

    #[tokio::test]
    async fn a_start_before_the_newest_record_is_a_jump() {
        let installation = Installation::new().await;
        installation.administrators().await;
        installation.clock.advance_ms(-7_200_000);
        let chancery = installation.opened_again().await.unwrap();
        chancery.look_at_clock().await.unwrap();
        chancery.look_at_clock().await.unwrap();
        let told = chancery.storage.store().read(|tx| {
            Box::pin(async move {
                Ok::<Vec<String>, Error>(sql("SELECT detail FROM audit WHERE action = 'ClockJump'").all(tx).await?)
            })
        });
        assert_eq!(told.await.unwrap(), [r#"{"byMs":-7200000,"whileStopped":true}"#]);
    }

    #[tokio::test]
    async fn a_clock_that_jumped_is_not_believed_for_a_while() {
        let installation = Installation::new().await;
        let chancery = &installation.chancery;
        assert!(chancery.is_steady(STEADY), "tests move it");
        chancery.look_at_clock().await.unwrap();
        installation.clock.advance_ms(7_200_000);
        chancery.look_at_clock().await.unwrap();
        assert!(!chancery.is_steady(STEADY) && !chancery.is_steady(Duration::from_mins(1)));
        assert!(chancery.is_steady(Duration::ZERO));
        assert_eq!(chancery.clock_jumps(&crate::testing::visitor()), 1);
    }

    #[tokio::test]
    async fn nothing_waits_for_a_time_that_a_wrong_clock_told() {
        let installation = Installation::new().await;
        let chancery = &installation.chancery;
        chancery.look_at_clock().await.unwrap();
        let now_ms = chancery.clock.now_ms();
        let [soon, far] = [now_ms + 60_000, now_ms + 500 * 86_400_000];
        let statement = |target: u8, due: i64| {
            format!(
                "INSERT INTO audit_target_states (target, leased_until_ms, first_leaf, next_leaf, shipped, failures, \
                 due_at_ms, is_failing) VALUES ('{target}', {due}, 0, 0, 0, 3, {due}, 1)"
            )
        };
        let statements = ["PRAGMA foreign_keys = OFF".to_owned(), statement(1, soon), statement(2, far)];
        let write = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                for statement in statements {
                    chancery_store::generated_sql(statement).execute(tx).await?;
                }
                Ok::<_, Error>(())
            })
        });
        write.await.unwrap();
        installation.clock.advance_ms(-120_000);
        chancery.look_at_clock().await.unwrap();
        for column in ["due_at_ms", "leased_until_ms"] {
            let text = format!("SELECT {column} FROM audit_target_states ORDER BY target");
            let read = chancery.storage.store().read(move |tx| {
                Box::pin(async move { Ok::<Vec<i64>, Error>(chancery_store::generated_sql(text).all(tx).await?) })
            });
            let now_ms = chancery.clock.now_ms();
            let [first, second] = read.await.unwrap()[..] else { panic!("two targets") };
            assert_eq!(first, soon, "{column}");
            assert!((now_ms - 60_000..=now_ms).contains(&second), "{column}: {second}");
        }
    }
}
