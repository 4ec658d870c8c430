//! Keys of journals, and why a journal cannot be opened.

use std::{io, path::PathBuf};

use chancery_keys::JournalKey;
use uuid::Uuid;

/// Why a journal cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file.
    #[error(
        "the journal of calls cannot be kept in {0}: make room or rights there, or name another folder with --journal-dir"
    )]
    File(PathBuf, #[source] io::Error),
    /// Another process writes it.
    #[error("{0}: another process writes this journal")]
    InUse(PathBuf),
    /// What is there is no journal of this installation.
    #[error("{0}: {1}; move the folder's files elsewhere, and a new journal begins")]
    Foreign(PathBuf, String),
    /// Its key.
    #[error("the journal's key: {0}")]
    Key(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A journal's key as it is kept in each of its segments.
pub struct NewKey {
    /// The journal's id.
    pub id: Uuid,
    /// The key, sealed.
    pub sealed: Vec<u8>,
    /// The key.
    pub key: JournalKey,
}

/// Custody of keys of journals.
pub trait Keys {
    /// For a new journal.
    fn make(&self) -> Result<NewKey, Box<dyn std::error::Error + Send + Sync>>;

    /// That of a journal.
    fn open(&self, id: Uuid, sealed: &[u8]) -> Result<JournalKey, Box<dyn std::error::Error + Send + Sync>>;
}
