//! `audit who`, `audit verify`, `audit verify-journal` and `audit archive`, which are not in the table of resources: they read files, or may.

use std::path::PathBuf;

use chancery_core::JournalHead;
use chancery_verify::log::LogKey;
use clap::Args;

use super::witnesses::WitnessOptions;
use crate::{client::connection::ServerOptions, settings::HostOptions};

/// `audit who`.
#[derive(Args)]
pub(crate) struct AuditWho {
    /// The token, as it was given out or sent, with or without characters that pass through; otherwise the first line of
    /// standard input. Arguments can be read by everybody on this machine.
    pub(crate) token: Option<String>,
    /// The token profile: its name, or its id if it was deleted.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: String,
    /// Only calls from this moment on, as 2026-11-25T08:00:00Z.
    #[arg(long, value_name = "MOMENT")]
    pub(crate) from: Option<String>,
    /// Only calls up to this moment.
    #[arg(long, value_name = "MOMENT")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) place: JournalPlace,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// Flags that say that the files on this host are meant, and flags that say that a server is.
pub(crate) const OF_HOST: [&str; 5] = ["journal_dir", "config", "data", "store", "root_key"];
pub(crate) const OF_SERVER: [&str; 4] = ["server_profile", "server", "ca", "api_key_file"];

/// `audit verify`.
#[derive(Args)]
pub(crate) struct AuditVerify {
    /// An export made with --ledger true; without one the database of this installation is read.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// An archive that was downloaded before it was removed here, so that its records are looked at too.
    #[arg(long = "archive", value_name = "FILE", requires = "file")]
    pub(crate) archives: Vec<PathBuf>,
    /// A checkpoint that a witness kept, as `audit checkpoint` prints it. Then also a ledger shows that was set back, or written
    /// anew by somebody who has its key. Several say more exactly since when.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Vec<PathBuf>,
    /// The key of the ledger, as `audit key` prints it [default: the one that the export or the database names].
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<LogKey>,
    /// Seconds by which a record may be older than the checkpoint before it: more where a server's clock was wrong.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) tolerance: u32,
    #[command(flatten)]
    pub(crate) cosigned: WitnessOptions,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// `audit archive`.
#[derive(Args)]
pub(crate) struct AuditArchive {
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// `audit verify-journal`.
#[derive(Args)]
pub(crate) struct AuditVerifyJournal {
    /// A head of the journal that you kept: SEGMENT:RECORD:HASH, as this command prints it. Then also a journal shows that was
    /// cut, set back or written anew by somebody who has its key.
    #[arg(long, value_name = "HEAD")]
    pub(crate) head: Vec<JournalHead>,
    /// A checkpoint of the audit ledger that a witness kept: it says how far each journal went.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: JournalPlace,
}

/// Which journal.
#[derive(Args)]
pub(crate) struct JournalPlace {
    /// The journal's folder; that of another server may be copied here [default: the one of this installation].
    #[arg(long, value_name = "DIR", env = "CHANCERY_JOURNAL_DIR")]
    pub(crate) journal_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}
