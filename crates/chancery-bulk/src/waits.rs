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

    /// Waits before the same call is made again; the failure itself where that is of no use.
    pub(crate) fn after(&self, tries: &mut Tries, column: &str, failure: ClientError) -> Result<()> {
        let at_least = match &failure {
            ClientError::Refused { status: 429 | 503, retry_after, .. } => retry_after.unwrap_or_default(),
            // A login in the middle, which was put off as well.
            ClientError::Transport(_) | ClientError::NotLoggedIn { status: 429 | 503, .. } => Duration::ZERO,
            ClientError::Refused { .. }
            | ClientError::NotLoggedIn { .. }
            | ClientError::Unexpected { .. }
            | ClientError::Authority(_) => return Err(call(column, failure)),
        };
        let growing = WAIT_MAX.min(FIRST_WAIT * 2_u32.pow(tries.failed.min(10)));
        // Many connections are put off at once; if all came back at once, all would be put off again.
        let wait = at_least + growing.mul_f64(rand::rng().random_range(0.5..1.5));
        if tries.since.elapsed() + wait > self.patience {
            return Err(call(column, failure));
        }
        tries.failed += 1;
        self.say(&failure, wait);
        let until = Instant::now() + wait;
        while Instant::now() < until {
            if self.stop.load(Ordering::Relaxed) {
                return Err(BulkError::Stopped);
            }
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
