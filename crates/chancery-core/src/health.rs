//! Whether the installation can do its work.

use std::time::Duration;

use chancery_store::tables;
use chancery_types::wire::health::{HealthStatus, Readiness};
use tokio::time;

use crate::{Chancery, Error, Result, Visitor};

/// How long the storage may take to answer before it counts as out of reach.
const PATIENCE: Duration = Duration::from_secs(3);

/// A node that has not seen for so long what others changed is not ready.
const LAG_MAX: Duration = Duration::from_secs(1);

impl Chancery {
    /// Whether the storage answers and this node has followed it; the root key is loaded, or there would be no open
    /// installation.
    pub async fn readiness(&self, _: &Visitor) -> Result<Readiness> {
        let looked =
            self.store.read(|tx| Box::pin(async move { Ok::<_, Error>(tables::changes::position(tx).await?) }));
        time::timeout(PATIENCE, looked).await.map_err(Error::unavailable)??;
        let lag = self.following.lag();
        if lag > LAG_MAX {
            let message = format!(
                "This node has not followed the storage for {} seconds: what others changed is not in force here.",
                lag.as_secs()
            );
            return Err(Error::out_of_reach(message, 1));
        }
        let unreadable = u32::try_from(self.quarantine.count()).unwrap_or(u32::MAX);
        Ok(Readiness { status: HealthStatus::Ok, demo: self.settings.load().demo, unreadable })
    }

    /// How many objects cannot be read from the storage, so that calls to them are refused.
    pub fn unreadable(&self, _: &Visitor) -> usize {
        self.quarantine.count()
    }
}
