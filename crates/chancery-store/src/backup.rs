//! A copy of a running database, and its own check of itself.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::sqlite::DatabaseFile;
use crate::store::on_a_thread;
use crate::{Store, StoreError, sql, stamp};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The copy must be a new file.
    #[error("{0} exists already; a backup goes to a new file")]
    Exists(PathBuf),
    /// Two copies at once would be mixed.
    #[error("another backup is being written to {0}")]
    Running(PathBuf),
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
    /// The database was not copied. A disk that is full is the copy's: nothing else is written.
    #[error("{path}: {cause}")]
    Copy {
        /// The copy.
        path: PathBuf,
        /// What the database said.
        cause: StoreError,
    },
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Copies a running SQLite database as it is at one moment into a new file that only its owner can read. When it
    /// answers Ok, the copy is on the disk; until then there is no file of this name, but one with `.partial` behind it. Writes
    /// go on meanwhile.
    pub async fn backup(&self, to: &Path) -> Result<(), BackupError> {
        let database = self.file().ok_or(BackupError::Postgres)?.clone();
        let to = to.to_owned();
        on_a_thread(move || {
            let partial = Partial::create(&to)?;
            partial.fill(&database)?;
            partial.finish(&to)
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

/// A copy under another name, until it is whole. What a process that was killed left is written anew by the next one.
struct Partial {
    path: PathBuf,
    /// Locked: two copies to one name at once would be mixed.
    file: File,
}

impl Partial {
    fn create(to: &Path) -> Result<Self, BackupError> {
        if fs::symlink_metadata(to).is_ok() {
            return Err(BackupError::Exists(to.to_owned()));
        }
        let path = beside(to, ".partial");
        let at = |cause| BackupError::File { path: path.clone(), cause };
        if let Ok(left) = File::open(&path) {
            left.try_lock().map_err(|_| BackupError::Running(path.clone()))?;
            fs::remove_file(&path).map_err(at)?;
        }
        // The file is made first: SQLite keeps its mode.
        let made = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        let file = made.map_err(|cause| {
            let is_there = cause.kind() == io::ErrorKind::AlreadyExists;
            if is_there { BackupError::Running(path.clone()) } else { at(cause) }
        })?;
        file.try_lock().map_err(|_| BackupError::Running(path.clone()))?;
        Ok(Self { path, file })
    }

    /// Copies the database into it.
    fn fill(&self, database: &DatabaseFile) -> Result<(), BackupError> {
        let at = |cause| BackupError::File { path: self.path.clone(), cause };
        let path = self.path.to_str().ok_or_else(|| at(io::Error::new(io::ErrorKind::InvalidInput, "not UTF-8")))?;
        // A connection that only reads may not do this either, SQLite finds.
        let copied = database.connect()?.execute(&sql("VACUUM INTO $1").bind(path));
        copied.map_err(|cause| BackupError::Copy { path: self.path.clone(), cause })?;
        stamp::give_another(&self.file).and_then(|()| self.file.sync_all()).map_err(at)
    }

    /// Gives it its name, which is free still, or it stays what it is.
    fn finish(&self, to: &Path) -> Result<(), BackupError> {
        let at = |cause| BackupError::File { path: to.to_owned(), cause };
        match fs::hard_link(&self.path, to) {
            Ok(()) => fs::remove_file(&self.path).map_err(at)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(BackupError::Exists(to.to_owned()));
            }
            // A file system without links.
            Err(_) if fs::symlink_metadata(to).is_err() => fs::rename(&self.path, to).map_err(at)?,
            Err(_) => return Err(BackupError::Exists(to.to_owned())),
        }
        // The name in the folder.
        let folder = match to.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(at)
    }
}

impl Drop for Partial {
    /// Half a copy is of no use. If it cannot be removed either, its name says what it is.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(beside(&self.path, "-journal"));
    }
}

fn beside(path: &Path, what: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(what);
    beside.into()
}
