//! The options of `chancery mailbox`.

use clap::{Args, Subcommand};

use crate::client::connection::ServerOptions;

/// `mailbox`.
#[derive(Args)]
pub(crate) struct Mailbox {
    #[command(subcommand)]
    pub(crate) what: MailboxCommand,
}

/// What is done with a mailbox.
#[derive(Subcommand)]
pub(crate) enum MailboxCommand {
    /// Shows it, with what waits to be confirmed.
    #[command(after_help = "Example:\n  chancery mailbox show")]
    Show(MailboxShow),
    /// Sets it, and what is sent there. A code is mailed to a new address, which counts once that was entered.
    #[command(
        after_help = "Example:\n  chancery mailbox set approver@example.org --kind Waiting,Failed --service 'demo releases'"
    )]
    Set(MailboxSet),
    /// Confirms a new address by the code that was mailed to it.
    #[command(after_help = "Example:\n  chancery mailbox confirm 7KDM-Q2XF")]
    Confirm(MailboxConfirm),
    /// Removes it, and what waits to be sent there.
    #[command(after_help = "Example:\n  chancery mailbox remove")]
    Remove(MailboxRemove),
}

/// Whose mailbox it is.
#[derive(Args)]
pub(crate) struct Whose {
    /// Whose it is: name or uuid [default: the person who is logged in].
    #[arg(long, value_name = "NAME")]
    pub(crate) identity: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `mailbox show`.
#[derive(Args)]
pub(crate) struct MailboxShow {
    #[command(flatten)]
    pub(crate) whose: Whose,
}

/// `mailbox set`.
#[derive(Args)]
pub(crate) struct MailboxSet {
    /// Where what concerns you is sent.
    #[arg(value_name = "ADDRESS")]
    pub(crate) address: String,
    /// Which notices, such as Waiting; several by commas, or all [default: as it is; all of a new mailbox].
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// A signing service of whose requests and proposals you want to hear: name or uuid; repeated, or all [default: as it is].
    #[arg(long, value_name = "NAME")]
    pub(crate) service: Vec<String>,
    /// Whether anything is sent: true or false [default: as it is].
    #[arg(long, value_name = "SWITCH", action = clap::ArgAction::Set)]
    pub(crate) enabled: Option<bool>,
    #[command(flatten)]
    pub(crate) whose: Whose,
}

/// `mailbox confirm`.
#[derive(Args)]
pub(crate) struct MailboxConfirm {
    /// The code, as it stands in the mail.
    #[arg(value_name = "CODE")]
    pub(crate) code: String,
    #[command(flatten)]
    pub(crate) whose: Whose,
}

/// `mailbox remove`.
#[derive(Args)]
pub(crate) struct MailboxRemove {
    #[command(flatten)]
    pub(crate) whose: Whose,
}
