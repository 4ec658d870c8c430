//! How long to go on with a server that puts off, or that cannot be reached for a while.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_client::ClientError;
use rand::RngExt as _;

use crate::{
    error::{BulkError, Result},
    job::Watch,
};

/// The wait after the first failure, where the server does not say how long; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Beyond which it does not grow.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// How often somebody who waits looks whether all is over.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// All connections are put off at the same time: one of them says so, this often at most.
const SAY_EVERY: Duration = Duration::from_secs(5);

/// What all connections of a job share.
pub(crate) struct Waits<'a> {
    patience: Duration,
    stop: &'a AtomicBool,
    watch: &'a dyn Watch,
    said: Mutex<Option<Instant>>,
}

/// The tries of one call.
pub(crate) struct Tries {
    since: Instant,
    failed: u32,
}

impl<'a> Waits<'a> {
    pub(crate) fn new(patience: Duration, stop: &'a AtomicBool, watch: &'a dyn Watch) -> Self {
        Self { patience, stop, watch, said: Mutex::default() }
    }

    pub(crate) fn begin(&self) -> Tries {
        Tries { since: Instant::now(), failed: 0 }
    }

    /// Whether the job still needs what is asked for.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(BulkError::Stopped) } else { Ok(()) }
    }

    /// Waits before the same call is made again; the failure itself where that is of no use.
    pub(crate) fn after(&self, tries: &mut Tries, column: &str, failure: ClientError) -> Result<()> {
        if !failure.passes() {
            return Err(call(column, failure));
        }
        let at_least = match &failure {
            ClientError::Refused { retry_after, .. } => retry_after.unwrap_or_default(),
            ClientError::Transport(_)
            | ClientError::NotLoggedIn { .. }
            | ClientError::Unexpected { .. }
            | ClientError::Authority(_)
            | ClientError::Certificate(_)
            | ClientError::NotSent(_) => Duration::ZERO,
        };
        let growing = WAIT_MAX.min(FIRST_WAIT * 2_u32.pow(tries.failed.min(10)));
        // Many connections are put off at once; if all came back at once, all would be put off again.
        let wait = at_least.saturating_add(growing.mul_f64(rand::rng().random_range(0.5..1.5)));
        if tries.since.elapsed().saturating_add(wait) > self.patience {
            return Err(call(column, failure));
        }
        tries.failed += 1;
        self.say(&failure, wait);
        let until = Instant::now() + wait;
        while Instant::now() < until {
            self.go_on()?;
            sleep(LOOK_EVERY.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    fn say(&self, failure: &ClientError, wait: Duration) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() >= SAY_EVERY) {
            *said = Some(Instant::now());
            self.watch.note(&format!("{failure}; going on in {:.1} seconds", wait.as_secs_f64()));
        }
    }
}

fn call(column: &str, source: ClientError) -> BulkError {
    BulkError::Call { column: column.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Watch for Notes {
        fn note(&self, note: &str) {
            self.0.lock().unwrap().push(note.to_owned());
        }
    }

    fn refused(status: u16, retry_after_ms: u64) -> ClientError {
        let code = if status == 429 { "RateLimited" } else { "NotAuthorized" };
        ClientError::Refused {
            status,
            error_code: serde_json::from_value(code.into()).unwrap(),
            response: serde_json::from_value(json!({"message": "Later.", "requestId": "7"})).unwrap(),
            retry_after: Some(Duration::from_millis(retry_after_ms)),
        }
    }

    #[test]
    fn a_call_that_is_put_off_is_made_again_until_patience_ends() {
        let (stop, notes) = (AtomicBool::new(false), Notes::default());
        let waits = Waits::new(Duration::from_millis(600), &stop, &notes);
        let (mut tries, started) = (waits.begin(), Instant::now());
        waits.after(&mut tries, "pan", refused(429, 50)).unwrap();
        // As long as the server says, and a time of its own.
        assert!(started.elapsed() >= Duration::from_millis(100), "{:?}", started.elapsed());
        let mut again = 1;
        while waits.after(&mut tries, "pan", refused(429, 50)).is_ok() {
            again += 1;
        }
        assert!((1..=3).contains(&again) && started.elapsed() <= Duration::from_secs(20), "{again} times");
        let notes = notes.0.into_inner().unwrap();
        assert!(notes.len() == 1 && notes[0].contains("RateLimited") && notes[0].contains("going on in"), "{notes:?}");
    }

    #[test]
    fn what_will_not_be_better_later_and_what_is_over_are_not_waited_for() {
        let stop = AtomicBool::new(false);
        let waits = Waits::new(Duration::from_secs(60), &stop, &crate::Quiet);
        let refusal = waits.after(&mut waits.begin(), "pan", refused(403, 1)).unwrap_err();
        assert!(matches!(refusal, BulkError::Call { column, .. } if column == "pan"));
        // What a balancer says in HTML, of a server that begins anew; and of one that is broken.
        let unexpected = |status| ClientError::Unexpected { status, why: "it is no JSON".to_owned() };
        for status in [502, 503, 504] {
            assert!(waits.after(&mut waits.begin(), "pan", unexpected(status)).is_ok(), "{status}");
        }
        assert!(waits.after(&mut waits.begin(), "pan", unexpected(500)).is_err());
        // A server may name any time.
        assert!(waits.after(&mut waits.begin(), "pan", refused(429, u64::MAX)).is_err());
        let ClientError::Refused { status, error_code, response, .. } = refused(429, 1) else { unreachable!() };
        let for_ever = ClientError::Refused { status, error_code, response, retry_after: Some(Duration::MAX) };
        assert!(waits.after(&mut waits.begin(), "pan", for_ever).is_err());
        stop.store(true, Ordering::Relaxed);
        assert!(matches!(waits.after(&mut waits.begin(), "pan", refused(429, 1)), Err(BulkError::Stopped)));
    }
}
