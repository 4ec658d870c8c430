//! Whether the installation can do its work.

use std::time::{Duration, Instant};

use chancery_store::{StoreError, tables};
use chancery_types::wire::health::{HealthStatus, Readiness};
use tokio::{sync::Mutex, time::timeout};

use crate::{
    Chancery, Error, Result, Visitor,
    context::storage::{Background, Evidence, MayRead},
};

/// How long the storage may take to answer before it counts as out of reach.
const PATIENCE: Duration = Duration::from_secs(3);

/// A node that has not seen for so long what others changed is not ready.
const LAG_MAX: Duration = Duration::from_secs(1);

/// For how long it is believed that the storage can be written, or cannot: whoever asks often shall not make it write as
/// often.
const WRITABLE_FOR: Duration = Duration::from_secs(2);
const UNWRITABLE_FOR: Duration = Duration::from_millis(500);

/// When this node last wrote for the sake of knowing whether it can, and why it could not.
#[derive(Default)]
pub(crate) struct WriteProbe(Mutex<Option<(Instant, Option<String>)>>);

/// Writes next to nothing, to find out whether anything can be written. Made only here.
pub(crate) struct Probing(());

impl Evidence for Probing {}
impl MayRead for Probing {}
impl Background for Probing {}

impl Chancery {
    /// Whether the storage answers and can be written, and this node has followed it; the root key is loaded, or there
    /// would be no open installation.
    pub async fn readiness(&self, visitor: &Visitor) -> Result<Readiness> {
        let now = Instant::now();
        let lag = self.following.lag_at(now);
        if lag > LAG_MAX {
            return Err(not_ready(format!(
                "This node has not followed the storage for {} seconds: what others changed is not in force here.",
                lag.as_secs()
            )));
        }
        if let Some(why) = self.why_unwritable().await {
            return Err(not_ready(format!("The storage cannot be written: {why}.")));
        }
        if self.counters.refuses_at(now) {
            return Err(not_ready("Earlier calls could not be written to the audit records yet.".to_owned()));
        }
        if self.audit.journal.as_ref().is_some_and(|journal| journal.refuses()) {
            return Err(not_ready(
                "The journal cannot be written: nothing is tokenized or detokenized here.".to_owned(),
            ));
        }
        let unreadable = u32::try_from(self.quarantine.count()).unwrap_or(u32::MAX);
        let (demo, refused_rows) =
            (self.settings.load().demo, u32::try_from(self.refused_rows(visitor)).unwrap_or(u32::MAX));
        Ok(Readiness { status: HealthStatus::Ok, demo, unreadable, refused_rows })
    }

    /// For how long this node may not have seen what others changed.
    pub fn store_lag(&self, _: &Visitor) -> Duration {
        self.following.lag_at(Instant::now())
    }

    /// Writes next to nothing, unless that was tried a moment ago.
    async fn why_unwritable(&self) -> Option<String> {
        let mut probed = self.write_probe.0.lock().await;
        if let Some((at, why)) = &*probed
            && at.elapsed() < if why.is_none() { WRITABLE_FOR } else { UNWRITABLE_FOR }
        {
            return why.clone();
        }
        let (node, now_ms) = (self.node, self.clock.now_ms());
        let written = self
            .storage
            .background(&Probing(()), move |tx| Box::pin(async move { tables::nodes::seen(tx, node, now_ms).await }));
        let why = match timeout(PATIENCE, written).await {
            Ok(Ok(())) => None,
            Ok(Err(failure)) => Some(StoreError::obstacle(&failure).to_owned()),
            Err(_) => Some("it does not answer".to_owned()),
        };
        *probed = Some((Instant::now(), why.clone()));
        why
    }

    /// How many objects cannot be read from the storage, so that calls to them are refused.
    pub fn unreadable(&self, _: &Visitor) -> usize {
        self.quarantine.count()
    }
}

fn not_ready(why: String) -> Error {
    Error::out_of_reach(why, 1)
}
