//! Whether the installation can do its work.

use std::time::Duration;

use chancery_store::tables;
use chancery_types::wire::health::{HealthStatus, Readiness};
use tokio::time;

use crate::{Chancery, Error, Result, Visitor};

/// How long the storage may take to answer before it counts as out of reach.
const PATIENCE: Duration = Duration::from_secs(3);

impl Chancery {
    /// Whether the storage answers; the root key is loaded, or there would be no open installation.
    pub async fn readiness(&self, _: &Visitor) -> Result<Readiness> {
        let looked = self.store.read(|tx| Box::pin(async move { Ok::<_, Error>(tables::changes::latest(tx).await?) }));
        time::timeout(PATIENCE, looked).await.map_err(Error::unavailable)??;
        Ok(Readiness { status: HealthStatus::Ok, demo: self.settings.load().demo })
    }
}
