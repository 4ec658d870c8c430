//! `chancery approve` and `chancery deny`.

use std::path::PathBuf;

use clap::Args;

use crate::client::{connection::ServerOptions, inputs::digest_digits};

/// `approve`.
#[derive(Args)]
pub(crate) struct Approve {
    #[command(flatten)]
    pub(crate) decide: Decide,
    /// Decides nothing and asks no server: prints the statement that a passkey is to sign, and its challenge, from a file that the
    /// page of the approval has saved. With --file it is compared with the file that would be signed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["requests", "all", "policy", "digest", "note", "yes"])]
    pub(crate) show: Option<PathBuf>,
}

/// `approve` and `deny`.
#[derive(Args)]
pub(crate) struct Decide {
    /// The requests and proposals: names or uuids. Without any, what waits is shown.
    #[arg(value_name = "REQUEST")]
    pub(crate) requests: Vec<String>,
    /// All requests that wait under a policy, by one decision: all of them as they are shown, or none.
    #[arg(long, requires = "policy", conflicts_with_all = ["requests", "file"])]
    pub(crate) all: bool,
    /// For --all: the policy, by name or uuid.
    #[arg(long, value_name = "NAME", requires = "all")]
    pub(crate) policy: Option<String>,
    /// The digest of what is decided, in hexadecimal digits, as it was shown before: of one request or proposal, or with --all the
    /// SHA-256 of the decision. Does not ask; nothing is decided that has another one.
    #[arg(long, value_name = "HEX", value_parser = digest_digits)]
    pub(crate) digest: Option<String>,
    /// What to record with the decision.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// The file, if you have it: nothing is approved that is not of it, or of a manifest that has it.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Does not ask. Where another one of the name has ended, it is named by its uuid, or by --digest.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}
