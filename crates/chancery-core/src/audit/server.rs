//! Start and stop of a server, for the audit records. A start without a stop before the next one of the same host is a
//! server that was killed.

use std::sync::atomic::Ordering;

use chancery_types::Action;
use serde_json::{Value, json};

use crate::{
    Audit, Event, Host, Result,
    context::storage::{MayCommit, host_name},
};

impl Audit {
    /// Records that a server begins to serve: which release on which host, with what of its settings matters to an
    /// auditor. There is no secret among them.
    pub async fn serving_begins(&self, host: &Host, version: &str, settings: Value) -> Result<()> {
        let detail = json!({"version": version, "host": host_name(), "settings": settings});
        let begins = Event::new(Action::ServerStart).detail(detail);
        self.context.commit(host, begins, |_| Box::pin(async { Ok(()) })).await?;
        self.serves.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Records that a server which told of its start has stopped.
    pub(crate) async fn tell_of_stop(&self, by: &impl MayCommit) -> Result<()> {
        if !self.serves.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        self.context.commit(by, Event::new(Action::ServerStop), |_| Box::pin(async { Ok(()) })).await
    }
}
