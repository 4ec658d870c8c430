//! What keeps strangers from asking a directory as often as they like, and from learning what it says.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chancery_ldap::Fault;
use chancery_store::tables::identity_providers::Row;
use uuid::Uuid;

use super::super::{NoAnswer, lane::Lane};
use crate::{Limits, base::error::reason, identity::throttle::Delays};

/// The keyed hash of a user name of a directory.
pub(super) type NameHash = [u8; 32];

/// For how long a directory is not asked again that was not reached, or whose service account was refused: each further try
/// would take a place for seconds, or bring the account nearer to being locked there.
const PAUSE_MS: i64 = 10_000;

/// Refusals are told in such steps since the login began.
const STEP: Duration = Duration::from_millis(500);

/// What is known of logins by directories.
pub(in super::super) struct LdapState {
    pub(super) lane: Lane,
    delays: Mutex<Delays<NameHash>>,
    /// What a directory was that is not asked now, and until when.
    pauses: Mutex<HashMap<Uuid, (String, i64)>>,
}

impl LdapState {
    pub(in super::super) fn new(limits: &Limits) -> Self {
        Self { lane: Lane::new(limits), delays: Mutex::default(), pauses: Mutex::default() }
    }

    /// Wrong passwords of each user name and source.
    pub(super) fn delays(&self) -> MutexGuard<'_, Delays<NameHash>> {
        self.delays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pauses(&self) -> MutexGuard<'_, HashMap<Uuid, (String, i64)>> {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a directory is not asked now. One that was changed meanwhile is.
    pub(super) fn is_paused(&self, row: &Row, now_ms: i64) -> bool {
        self.pauses().get(&row.id).is_some_and(|(content, until_ms)| *content == row.content && now_ms < *until_ms)
    }

    /// Why there was no answer, in words for the log. What a user name alone may have caused pauses nothing.
    pub(super) fn at_fault(&self, row: &Row, no_answer: &NoAnswer, now_ms: i64) -> String {
        let (why, pauses) = match no_answer {
            NoAnswer::NotReached(why) => (reason(&**why), true),
            NoAnswer::Fault(fault @ Fault::ServiceAccount(_)) => (fault.to_string(), true),
            NoAnswer::Fault(
                fault @ (Fault::Io(_) | Fault::Answer(_) | Fault::Refused { .. } | Fault::EmptyPassword),
            ) => (fault.to_string(), false),
        };
        if pauses {
            self.pauses().insert(row.id, (row.content.clone(), now_ms.saturating_add(PAUSE_MS)));
        }
        why
    }
}

/// Waits until the next step since a login began, so that the time of a refusal says little of what was wrong.
pub(super) async fn wait_to_refuse(began: Instant) {
    tokio::time::sleep(rest_of_step(began.elapsed())).await;
}

fn rest_of_step(passed: Duration) -> Duration {
    let step = STEP.as_nanos();
    let rest = step - passed.as_nanos() % step;
    Duration::from_nanos(u64::try_from(rest).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use chancery_ldap::Outcome;

    use super::*;

    #[test]
    fn refusals_come_in_steps() {
        let ends = |ms| (Duration::from_millis(ms) + rest_of_step(Duration::from_millis(ms))).as_millis();
        for (ms, end) in [(0, 500), (1, 500), (499, 500), (500, 1_000), (501, 1_000), (5_200, 5_500)] {
            assert_eq!(ends(ms), end, "{ms}");
        }
    }

    #[test]
    fn a_directory_that_is_away_rests_until_it_is_changed() {
        let row = |content: &str| Row {
            id: Uuid::nil(),
            name: String::new(),
            name_key: String::new(),
            issuer: String::new(),
            is_enabled: true,
            content: content.to_owned(),
            created_at_ms: 0,
        };
        let state = LdapState::new(&Limits::default());
        let outcome = || Outcome { code: 49, text: String::new() };
        let refused = NoAnswer::Fault(Fault::Refused { what: "a search", outcome: outcome() });
        state.at_fault(&row("a"), &refused, 0);
        assert!(!state.is_paused(&row("a"), 0), "a name may have caused that");
        for away in [NoAnswer::NotReached("away".into()), NoAnswer::Fault(Fault::ServiceAccount(outcome()))] {
            let state = LdapState::new(&Limits::default());
            state.at_fault(&row("a"), &away, 0);
            assert!(state.is_paused(&row("a"), PAUSE_MS - 1) && !state.is_paused(&row("a"), PAUSE_MS));
            assert!(!state.is_paused(&row("b"), 0));
        }
    }
}
