//! What somebody on the host does to a whole installation: copies it, and turns a demonstration into the real thing.

use std::path::Path;

use chancery_store::{BackupError, tables};
use chancery_types::Action;
use serde_json::json;
use uuid::Uuid;

use crate::{
    Chancery, Error, Event, Host, Result,
    changes::{Change, ChangeKind},
    settings,
};

impl Chancery {
    /// Copies the store of a running SQLite installation into a new file. Keys in it stay sealed under the root key,
    /// which is not in it.
    ///
    /// InvalidState on PostgreSQL, which has tools of its own; InvalidValue where the file exists or cannot be made.
    pub async fn backup(&self, host: &Host, to: &Path) -> Result<()> {
        // Recorded first: the copy then tells of itself, and no copy goes unseen.
        let event = Event::new(Action::Backup).detail(json!({"file": to.display().to_string()}));
        self.commit_as(host.actor(), event, |_| Box::pin(async { Ok(()) })).await?;
        self.store.backup(to).await.map_err(|failure| match failure {
            BackupError::Postgres => Error::state(failure.to_string()),
            BackupError::Exists(_) | BackupError::File { .. } => Error::value("", failure.to_string()),
            BackupError::Store(failure) => failure.into(),
        })
    }

    /// Ends a demonstration. InvalidState while one of the identities that it began with still has the password that it
    /// began with.
    pub async fn end_demo(&self, host: &Host) -> Result<()> {
        let event = Event::new(Action::SettingsChange)
            .detail(json!({"demo": false}))
            .changes(Change::all(ChangeKind::Settings));
        let end = self.commit_as(host.actor(), event, |tx| {
            Box::pin(async move {
                for id in settings::demo_identities(tx).await? {
                    let identity = tables::identities::by_id(tx, Uuid::from(id)).await?;
                    if let Some(identity) = identity.filter(|identity| identity.password_changed_at_ms.is_none()) {
                        let message = format!("The password of {} must be changed first.", identity.name);
                        return Err(Error::state(message));
                    }
                }
                settings::end_demo(tx).await
            })
        });
        end.await
    }
}
