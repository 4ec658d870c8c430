//! The options of `chancery passkey`.

use clap::{Args, Subcommand};

use crate::client::connection::ServerOptions;

/// `passkey`.
#[derive(Args)]
pub(crate) struct Passkey {
    #[command(subcommand)]
    pub(crate) what: PasskeyCommand,
}

/// What is done with passkeys. They are made in the console, by a browser.
#[derive(Subcommand)]
pub(crate) enum PasskeyCommand {
    /// Lists them.
    #[command(after_help = "Example:\n  chancery passkey list --identity Approver1")]
    List(PasskeyList),
    /// Confirms one as the second person, so that it signs. Whoever enrolled it reads out the digest.
    #[command(
        after_help = "Example:\n  chancery passkey confirm alice laptop --sha256 4fd0f1ee6cc7b6f2be9dcb2ee4fd1df1f0b1a33c1f5e7bdbd3c0e2f30f6b8a7d"
    )]
    Confirm(PasskeyConfirm),
    /// Renames one.
    #[command(after_help = "Example:\n  chancery passkey rename alice laptop 'old laptop'")]
    Rename(PasskeyRename),
    /// Deletes one. What it signed stays.
    #[command(after_help = "Example:\n  chancery passkey delete alice 'old laptop' --yes")]
    Delete(PasskeyDelete),
    /// Prints those that were confirmed as lines of a file for chancery verify --approver-keys. Compare their digests with
    /// the people before you trust them.
    #[command(after_help = "Example:\n  chancery passkey pins Approver1")]
    Pins(PasskeyPins),
}

/// `passkey list`.
#[derive(Args)]
pub(crate) struct PasskeyList {
    /// Whose they are: name or uuid [default: the person who is logged in].
    #[arg(long, value_name = "NAME")]
    pub(crate) identity: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// One passkey.
#[derive(Args)]
pub(crate) struct OnePasskey {
    /// Whose it is: name or uuid.
    #[arg(value_name = "IDENTITY")]
    pub(crate) identity: String,
    /// The passkey: name or uuid.
    #[arg(value_name = "PASSKEY")]
    pub(crate) passkey: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `passkey confirm`.
#[derive(Args)]
pub(crate) struct PasskeyConfirm {
    #[command(flatten)]
    pub(crate) one: OnePasskey,
    /// SHA-256 of its public key, in hexadecimal, as whoever enrolled it reads it out.
    #[arg(long, value_name = "HEX")]
    pub(crate) sha256: String,
}

/// `passkey rename`.
#[derive(Args)]
pub(crate) struct PasskeyRename {
    #[command(flatten)]
    pub(crate) one: OnePasskey,
    /// Its new name.
    #[arg(value_name = "NEW")]
    pub(crate) name: String,
}

/// `passkey delete`.
#[derive(Args)]
pub(crate) struct PasskeyDelete {
    #[command(flatten)]
    pub(crate) one: OnePasskey,
    /// Does it without asking.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `passkey pins`.
#[derive(Args)]
pub(crate) struct PasskeyPins {
    /// Whose: names or uuids.
    #[arg(value_name = "IDENTITY", required = true)]
    pub(crate) identities: Vec<String>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}
