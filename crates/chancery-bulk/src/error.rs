//! Why a file was not done.

use std::{io, path::Path};

use chancery_client::ClientError;

/// Why a file was not done. What was made until then is kept beside the output, and the same job goes on there.
#[derive(Debug, thiserror::Error)]
pub enum BulkError {
    /// The job cannot be meant so, or does not fit the file.
    #[error("{0}")]
    Job(String),
    /// A file could not be read or written.
    #[error("{file}")]
    File {
        /// Which.
        file: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The input as a whole is not what it is said to be.
    #[error("{0}")]
    Damaged(String),
    /// What an earlier run left beside the output is not of this job.
    #[error("{0}")]
    Journal(String),
    /// The profile goes on with another version of its key: one output would have tokens of two versions.
    #[error("column {column}: since this run began its profile makes tokens with another version of its key")]
    KeyVersion {
        /// Of which column.
        column: String,
    },
    /// The input is not any more what it was when the run began.
    #[error("{0}: it was changed while it was read")]
    Changed(String),
    /// A row was refused, and there is no file for such rows.
    #[error("line {line}, {column}: {reason}")]
    Row {
        /// Of the input, from 1.
        line: u64,
        /// Its column.
        column: String,
        /// Why, as the server says.
        reason: String,
    },
    /// The server did not answer as was needed.
    #[error("column {column}")]
    Call {
        /// Of which column.
        column: String,
        /// Why.
        #[source]
        source: ClientError,
    },
    /// Another part of the work failed; that failure is the one to tell.
    #[error("stopped")]
    Stopped,
}

pub(crate) type Result<T, E = BulkError> = std::result::Result<T, E>;

/// Says of which file an error is.
pub(crate) trait OfFile<T> {
    fn of(self, file: &Path) -> Result<T>;
}

impl<T> OfFile<T> for io::Result<T> {
    fn of(self, file: &Path) -> Result<T> {
        self.map_err(|source| BulkError::File { file: file.display().to_string(), source })
    }
}
