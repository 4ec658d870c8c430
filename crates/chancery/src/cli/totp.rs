//! The options of `chancery totp` and `chancery password`: what a person does to its own ways in.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::client::connection::ServerOptions;

/// `totp`.
#[derive(Args)]
pub(crate) struct Totp {
    #[command(subcommand)]
    pub(crate) what: TotpCommand,
}

/// What is done with one's own second factor.
#[derive(Subcommand)]
pub(crate) enum TotpCommand {
    /// Makes a new secret and prints it, this once, as a URI that authenticators scan or take. It counts once a code of it
    /// has confirmed it. Whoever has a confirmed passkey does this in the console, or gives a present code
    #[command(after_help = "Example:\n  chancery totp enrol carol --password-file new-password")]
    Enrol(Person),
    /// Confirms the new secret by a code of it: from now on a login takes codes
    #[command(after_help = "Example:\n  chancery totp confirm carol --password-file new-password --totp 287082")]
    Confirm(Person),
    /// Takes the second factor away, by a code of it, and ends one's sessions
    #[command(after_help = "Example:\n  chancery totp remove carol --password-file new-password --totp 287082")]
    Remove(Person),
}

/// Whose it is, and the proof.
#[derive(Args)]
pub(crate) struct Person {
    /// Whose it is.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// File with the password; otherwise it is asked for.
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// The one-time code; otherwise it is asked for.
    #[arg(long, value_name = "CODE")]
    pub(crate) totp: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `password`.
#[derive(Args)]
pub(crate) struct OwnPassword {
    #[command(flatten)]
    pub(crate) person: Person,
    /// File with the new password; otherwise it is asked for.
    #[arg(long, value_name = "FILE")]
    pub(crate) new_password_file: Option<PathBuf>,
}
