//! Settings that are one of a few words.

use chancery_core::SqliteFlush;
use clap::ValueEnum;
use serde::Deserialize;

/// Who flushes SQLite's log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Flush {
    /// Chancery, for all changes that wait, while the next ones are written.
    #[default]
    Own,
    /// SQLite, in each commit (`synchronous = FULL`).
    Library,
}

impl From<Flush> for SqliteFlush {
    fn from(flush: Flush) -> Self {
        match flush {
            Flush::Own => Self::Own,
            Flush::Library => Self::Library,
        }
    }
}

/// How to log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}
