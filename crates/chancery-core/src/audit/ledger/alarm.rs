//! Tells where the ledger cannot be extended: until it can, nothing proves what is recorded.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chancery_types::Action;
use serde_json::json;

use super::SequencingLedger;
use crate::{Audit, Error, Event, Meaning, Result, Visitor};

/// What is told has lasted for so long.
const TOLD_AFTER: Duration = Duration::from_secs(10);

/// Since when it cannot be extended, and whether that was told.
#[derive(Default)]
pub(crate) struct Failing(Mutex<Option<(Instant, bool)>>);

impl Failing {
    fn state(&self) -> MutexGuard<'_, Option<(Instant, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Audit {
    /// Records once that the ledger cannot be extended, and once that it can be again. A store that is away is told otherwise, and
    /// nothing can be recorded there.
    pub(super) async fn tell_of_ledger(&self, failure: Option<&Error>) -> Result<()> {
        let fails = failure.is_some_and(|failure| failure.meaning() != Meaning::Unavailable);
        let state = *self.ledger.1.state();
        let (next, action) = match (fails, state) {
            (true, None) => (Some((Instant::now(), false)), None),
            (true, Some((since, false))) if since.elapsed() >= TOLD_AFTER => {
                (Some((since, true)), Some(Action::LedgerFail))
            }
            (true, Some(_)) => (state, None),
            (false, Some((_, true))) if failure.is_none() => (None, Some(Action::LedgerResume)),
            (false, Some((_, true))) => (state, None),
            (false, _) => (None, None),
        };
        if let Some(action) = action {
            let seconds = state.map_or(0, |(since, _)| since.elapsed().as_secs());
            let event = Event::new(action).detail(json!({"seconds": seconds}));
            self.context.commit(&SequencingLedger(()), event, |_| Box::pin(async { Ok(()) })).await?;
        }
        *self.ledger.1.state() = next;
        Ok(())
    }

    /// Whether the ledger cannot be extended just now.
    #[must_use]
    pub fn is_ledger_failing(&self, _visitor: &Visitor) -> bool {
        self.ledger.1.state().is_some_and(|(since, is_told)| is_told || since.elapsed() >= TOLD_AFTER)
    }
}
