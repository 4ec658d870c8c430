//! A copy of a running database, and its own check of itself.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::sqlite::DatabaseFile;
use crate::store::on_a_thread;
use crate::{Store, StoreError, sql};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The copy must be a new file.
    #[error("{0} exists already; a backup goes to a new file")]
    Exists(PathBuf),
    /// PostgreSQL has tools of its own.
    #[error("only an SQLite file is copied this way; use pg_dump for PostgreSQL")]
    Postgres,
    /// The file cannot be made.
    #[error("{path}: {cause}")]
    File {
        /// The file or its folder.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Copies a running SQLite database as it is at one moment into a new file that only its owner can read. When it
    /// answers Ok, the copy is on the disk. Writes go on meanwhile.
    pub async fn backup(&self, to: &Path) -> Result<(), BackupError> {
        let database = self.file().ok_or(BackupError::Postgres)?.clone();
        let to = to.to_owned();
        on_a_thread(move || {
            let file = create(&to)?;
            let outcome = copy(&database, &to, &file);
            if outcome.is_err() {
                // Half a copy must not be taken for one. If it cannot be removed either, the error says what is wrong
                // with the disk.
                let _ = fs::remove_file(&to);
            }
            outcome
        })
        .await
    }

    /// What SQLite finds wrong with its own file: nothing, if all is well. It reads everything, which takes time.
    /// PostgreSQL has no such check for a client; it watches its pages itself (`data_checksums`), and the answer is
    /// always nothing.
    pub async fn integrity_check(&self) -> Result<Vec<String>, StoreError> {
        let Some(database) = self.file().cloned() else { return Ok(Vec::new()) };
        on_a_thread(move || {
            let mut connection = database.connect_reader()?;
            let mut faults = connection.texts("PRAGMA integrity_check")?;
            faults.retain(|fault| fault != "ok");
            let orphans = connection.texts("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check")?;
            faults.extend(orphans.into_iter().map(|table| format!("{table} refers to rows that do not exist")));
            Ok(faults)
        })
        .await
    }
}

/// The file is made first: this fails when it exists, and SQLite keeps its mode.
fn create(path: &Path) -> Result<File, BackupError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|cause| {
        let path = path.to_owned();
        if cause.kind() == io::ErrorKind::AlreadyExists {
            BackupError::Exists(path)
        } else {
            BackupError::File { path, cause }
        }
    })
}

fn copy(database: &DatabaseFile, to: &Path, file: &File) -> Result<(), BackupError> {
    let at = |cause| BackupError::File { path: to.to_owned(), cause };
    let path = to.to_str().ok_or_else(|| at(io::Error::new(io::ErrorKind::InvalidInput, "not UTF-8")))?;
    // A connection that only reads may not do this either, SQLite finds.
    database.connect()?.execute(&sql("VACUUM INTO $1").bind(path))?;
    // The file's bytes, then its name in the folder.
    let folder = match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    file.sync_all().and_then(|()| File::open(folder)?.sync_all()).map_err(at)
}
