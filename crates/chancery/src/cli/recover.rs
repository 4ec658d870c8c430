//! The options of `chancery recover`.

use std::path::PathBuf;

use clap::Args;

use crate::settings::HostOptions;

/// `recover`.
#[derive(Args)]
pub(crate) struct Recover {
    /// Who has lost every way in: the name, in any letter case.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Who answers for it: a person with Identity:Manage; two of them. A password, and a one-time code where there is a second
    /// factor, is asked for.
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Vec<String>,
    /// File with the password of the first of them, repeated for the second.
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Vec<PathBuf>,
    /// One-time code of the first of them, repeated for the second; empty for somebody without.
    #[arg(long, value_name = "CODE")]
    pub(crate) totp: Vec<String>,
    /// With fewer than two, or with nobody: why. It stands in the audit records and in the alarm.
    #[arg(long, value_name = "REASON")]
    pub(crate) emergency: Option<String>,
    /// Leaves the password as it is: only the second factors are lost.
    #[arg(long)]
    pub(crate) keep_password: bool,
    /// A new file for the password; otherwise it is printed.
    #[arg(long, value_name = "FILE", conflicts_with = "keep_password")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}
