//! What can go wrong, by what the caller can do about it.

use std::path::Path;

use rusqlite::ffi;
use sqlx::error::DatabaseError;

use crate::{RowKeyError, Unauthentic, postgres, sqlite};

/// A failed read or write. The texts name tables and constraints, never values; they are for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The database is out of reach, or it did not answer in time. Whether a write took place is not known; trying
    /// again later may work.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// Too many writes are waiting already. Nothing was done.
    #[error("the store is busy: too many writes are waiting")]
    Busy,
    /// A unique constraint refused the row; on PostgreSQL this is the constraint's name, on SQLite its columns.
    #[error("a unique constraint refused the row: {0}")]
    Conflict(String),
    /// A foreign key refused the change: what the row refers to does not exist, or the row is still referred to.
    #[error("a foreign key refused the change: {0}")]
    Reference(String),
    /// A text with a NUL character, which PostgreSQL cannot store; so neither backend takes it.
    #[error("a text with a NUL character cannot be stored")]
    Text,
    /// A row that carries authority is not what Chancery wrote. Nothing was done with it.
    #[error("the row {} of the table {} is not what Chancery wrote, or lacks rows that belong to it", .0.id, .0.table)]
    Unauthentic(Unauthentic),
    /// A fault in the program: bad SQL, a row that does not decode, a work that panicked.
    #[error("the store failed: {0}")]
    Internal(String),
}

impl OpenError {
    /// What went wrong with the database in this file, with what to do about it where it is the file.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        if let Self::Store(cause) = &self
            && cause.is_damage()
        {
            return Self::Damaged { path: path.display().to_string(), cause: cause.clone() };
        }
        self
    }
}

impl StoreError {
    /// Whether SQLite cannot make sense of its file.
    fn is_damage(&self) -> bool {
        let says = |text: &str| text.contains("malformed") || text.contains("not a database");
        matches!(self, Self::Internal(text) if says(text))
    }

    /// What stands in the way, in words for whoever may ask: none of the database's own.
    #[must_use]
    pub fn obstacle(&self) -> &'static str {
        let text = match self {
            Self::Unavailable(text) | Self::Internal(text) => text.to_lowercase(),
            Self::Busy => return "too many changes wait",
            Self::Conflict(_) | Self::Reference(_) | Self::Unauthentic(_) | Self::Text => {
                return "the server's log tells why";
            }
        };
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if says(&["full", "no space"]) {
            "the disk is full"
        } else if says(&["read-only", "readonly", "recovery"]) {
            "the database is read-only, as a standby is"
        } else {
            "the database is out of reach"
        }
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Not a path and not an address of a PostgreSQL database.
    #[error("the store is given as {0}; expected the path of an SQLite file or postgres://USER@HOST/DATABASE")]
    Url(String),
    /// The database cannot do what is needed.
    #[error("the database cannot be used: {0}")]
    Unsuitable(String),
    /// The database was changed by a newer release.
    #[error("the database has the migration {0}, which this release does not know: use the newer release that made it")]
    Newer(String),
    /// The database is of an older release, and is not to be changed.
    #[error(
        "{0} is of an older release: read it with that one, or start this one on it first, which brings it up to date"
    )]
    Older(String),
    /// A migration that ran is not the one that this release holds.
    #[error("the migration {0} is not the one that made this database")]
    Changed(String),
    /// Somebody made a trigger, or changed one of ours.
    #[error(
        "the database has a trigger or rule that Chancery did not make so: {0}. It could keep changes and audit records out. \
         Find out who made it; drop it, or restore a backup"
    )]
    Trigger(String),
    /// Somebody removed one.
    #[error("the database lacks the trigger {0}, which keeps what belongs to the audit records: restore a backup")]
    NoTrigger(String),
    /// Nothing is in the database yet, and nothing was to be made.
    #[error("there is no installation in {0}; `chancery init` makes one")]
    Absent(String),
    /// The file cannot be made, or not be looked at.
    #[error("{path}: {cause}")]
    File {
        /// The file or folder.
        path: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A backup was put in the place of a database whose log was left.
    #[error(
        "{0}-wal is the log of another file than {0}, which is a restored backup, it seems: stop whatever uses it, remove \
        {0}-wal and {0}-shm, and start again. If the two do belong together, remove {0}-stamp instead"
    )]
    OtherLog(String),
    /// SQLite cannot read the file.
    #[error(
        "{path} is damaged ({cause}). If it is a restored backup, and a {path}-wal was left beside it: stop whatever uses \
        it, put the backup there again, remove {path}-wal and {path}-shm, and start again. If not, restore a backup"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What SQLite said.
        cause: StoreError,
    },
    /// Its rows cannot be authenticated.
    #[error(transparent)]
    RowKey(#[from] RowKeyError),
    /// The database did not answer, or a migration failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

// Only messages are kept: PostgreSQL puts values into its detail, which `Debug` would show.
impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if let sqlx::Error::Database(cause) = &error {
            return from_database(cause.as_ref());
        }
        if is_out_of_reach(&error) {
            return StoreError::Unavailable(error.to_string());
        }
        StoreError::Internal(error.to_string())
    }
}

fn is_out_of_reach(error: &sqlx::Error) -> bool {
    use sqlx::Error::{BeginFailed, Io, PoolClosed, PoolTimedOut, Protocol, Tls, WorkerCrashed};
    matches!(error, Io(_) | Tls(_) | Protocol(_) | PoolTimedOut | PoolClosed | WorkerCrashed | BeginFailed)
}

fn from_database(cause: &dyn DatabaseError) -> StoreError {
    let message = cause.message().to_owned();
    if cause.is_unique_violation() {
        return StoreError::Conflict(cause.constraint().map_or(message, str::to_owned));
    }
    if cause.is_foreign_key_violation() {
        return StoreError::Reference(cause.constraint().map_or(message, str::to_owned));
    }
    if cause.code().is_some_and(|code| postgres::is_passing(&code)) {
        return StoreError::Unavailable(message);
    }
    StoreError::Internal(message)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(cause, message) = &error else {
            return StoreError::Internal(error.to_string());
        };
        let message = message.clone().unwrap_or_else(|| cause.to_string());
        match cause.extended_code {
            ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
                StoreError::Conflict(message)
            }
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => StoreError::Reference(message),
            _ if sqlite::is_passing(cause.code) => StoreError::Unavailable(message),
            _ => StoreError::Internal(message),
        }
    }
}
