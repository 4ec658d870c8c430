//! Whether the installation can do its work.

use std::time::Duration;

use chancery_store::tables;
use chancery_types::wire::health::{HealthStatus, Readiness};
use tokio::time;

use crate::{Chancery, Error, Result, Visitor};

/// How long the storage may take to answer before it counts as out of reach.
const PATIENCE: Duration = Duration::from_secs(3);

/// The setting that marks a demonstration.
pub(crate) const DEMO: &str = "demo";

impl Chancery {
    /// Whether the storage answers; the root key is loaded, or there would be no open installation.
    pub async fn readiness(&self, _: &Visitor) -> Result<Readiness> {
        let demo =
            self.store.read(|tx| Box::pin(async move { Ok::<_, Error>(tables::settings::value(tx, DEMO).await?) }));
        let demo = time::timeout(PATIENCE, demo).await.map_err(Error::unavailable)??;
        Ok(Readiness { status: HealthStatus::Ok, demo: demo.as_deref() == Some("true") })
    }
}
