//! What somebody on the host does to a whole installation: copies it, and turns a demonstration into the real thing.

use std::path::Path;

use chancery_store::{BackupError, tables};
use chancery_types::Action;
use serde_json::json;
use uuid::Uuid;

use super::{
    Context, Event, Host,
    changes::{Change, ChangeKind},
    settings,
};
use crate::{Error, Result};

impl Context {
    /// Copies the store of a running SQLite installation into a new file. Keys in it stay sealed under the root key,
    /// which is not in it.
    ///
    /// InvalidState on PostgreSQL, which has tools of its own; InvalidValue where the file exists or cannot be made.
    pub async fn backup(&self, host: &Host, to: &Path) -> Result<()> {
        // Recorded first: the copy then tells of itself, and no copy goes unseen.
        let event = Event::new(Action::Backup).detail(json!({"file": to.display().to_string()}));
        self.commit(host, event, |_| Box::pin(async { Ok(()) })).await?;
        self.storage.backup(host, to).await.map_err(|failure| match failure {
            BackupError::Postgres => Error::state(failure.to_string()),
            BackupError::Exists(_) | BackupError::Running(_) | BackupError::File { .. } | BackupError::Copy { .. } => {
                Error::value("", failure.to_string())
            }
            BackupError::Store(failure) => failure.into(),
        })
    }

    /// Ends a demonstration. InvalidState while one of the identities that it began with still has the password that it
    /// began with.
    pub async fn end_demo(&self, host: &Host) -> Result<()> {
        let event = Event::new(Action::SettingsChange)
            .detail(json!({"demo": false}))
            .changes(Change::all(ChangeKind::Settings));
        let end = self.commit(host, event, |tx| {
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

#[cfg(test)]
mod tests {
    use chancery_types::IdentityId;

    use super::*;
    use crate::{Chancery, Meaning, testing::Installation};

    const HOST: Host = Host::running("test");

    async fn change_password(chancery: &Chancery, id: IdentityId) {
        let changed = chancery.storage.store().write(move |tx| {
            Box::pin(async move { tables::identities::set_password(tx, id.into(), "changed", 1, (None, None)).await })
        });
        changed.await.map_err(Error::from).unwrap();
    }

    #[tokio::test]
    async fn a_demonstration_ends_when_every_first_password_was_changed() {
        let installation = Installation::new().await;
        let chancery = &installation.chancery;
        let caller = installation.administrators().await;
        let ids: Vec<_> = caller.members().iter().map(|member| member.id).collect();
        let noted = ids.clone();
        let marked = chancery
            .storage
            .store()
            .write(move |tx| Box::pin(async move { settings::note_demo_identities(tx, &noted).await }));
        marked.await.unwrap();
        for id in ids {
            let refusal = chancery.end_demo(&HOST).await.unwrap_err();
            assert_eq!(refusal.meaning(), Meaning::State, "{refusal}");
            change_password(chancery, id).await;
        }
        chancery.end_demo(&HOST).await.unwrap();
    }

    #[tokio::test]
    async fn a_backup_tells_of_itself_and_overwrites_nothing() {
        let installation = Installation::new().await;
        let folder = chancery_testkit::temp_dir();
        let to = folder.path().join("copy.db");
        installation.chancery.backup(&HOST, &to).await.unwrap();
        let refusal = installation.chancery.backup(&HOST, &to).await.unwrap_err();
        assert_eq!(refusal.meaning(), Meaning::Value);
        let sql = "SELECT count(*) FROM audit WHERE action = 'Backup'";
        let count = chancery_testkit::Tool::new("sqlite3").arg(&to).arg(sql).run().text();
        assert_eq!(count, "1\n");
    }
}
