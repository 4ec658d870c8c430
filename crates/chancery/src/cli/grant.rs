//! The options of `chancery grant`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::client::connection::ServerOptions;

/// `grant`.
#[derive(Args)]
pub(crate) struct Grant {
    #[command(subcommand)]
    pub(crate) what: GrantCommand,
}

/// What is done with grants.
#[derive(Subcommand)]
pub(crate) enum GrantCommand {
    /// Asks for approvals of detokenizing in full: of listed tokens, or of any of the profile.
    #[command(
        after_help = "Example:\n  chancery grant request 'demo cards' --reason 'chargeback of 12 May' --ticket PAY-1187 --max-values 20 --lifetime 8h"
    )]
    Request(GrantRequest),
    /// Lists those that you may see, and the requests for them.
    #[command(after_help = "Example:\n  chancery grant list 'demo cards' --waiting")]
    List(GrantList),
    /// Shows one, with how much of it is used.
    #[command(after_help = "Example:\n  chancery grant show 'demo cards' 01890a5d-ac96-774b-bcce-b302099a8057")]
    Show(GrantOne),
    /// Ends one at once, or the request for one.
    #[command(after_help = "Example:\n  chancery grant revoke 'demo cards' 01890a5d-ac96-774b-bcce-b302099a8057")]
    Revoke(GrantRevoke),
}

/// `grant request`.
#[derive(Args)]
pub(crate) struct GrantRequest {
    /// The token profile: name or uuid.
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    /// Why: approvers see it first.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// What it is about in another system.
    #[arg(long, value_name = "TEXT")]
    pub(crate) ticket: Option<String>,
    /// What else to tell the approvers.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// The role whose rule demands the approvals, where several of yours do: name or uuid.
    #[arg(long, value_name = "NAME")]
    pub(crate) role: Option<String>,
    /// A file with the tokens, a line each, or - for standard input [default: any token of the profile].
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// How many values may be sent.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_values: u32,
    /// For how long, from the last approval on, such as 8h or 2d.
    #[arg(long, value_name = "SPAN")]
    pub(crate) lifetime: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `grant list`.
#[derive(Args)]
pub(crate) struct GrantList {
    /// The token profile: name or uuid.
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    /// Only those that wait for approvals.
    #[arg(long)]
    pub(crate) waiting: bool,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `grant show`.
#[derive(Args)]
pub(crate) struct GrantOne {
    /// The token profile: name or uuid.
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    /// The grant, as grant request and grant list name it.
    #[arg(value_name = "UUID")]
    pub(crate) grant: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `grant revoke`.
#[derive(Args)]
pub(crate) struct GrantRevoke {
    /// What to record with it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) one: GrantOne,
}
