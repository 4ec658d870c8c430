//! The options of `chancery identity api-key`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand};

use crate::client::{connection::ServerOptions, inputs::duration};

/// What is done with the API keys of an identity.
#[derive(Subcommand)]
pub(crate) enum ApiKeyCommand {
    /// Lists the API keys of an identity, with their ends and last uses
    #[command(after_help = "Example:\n  chancery identity api-key list ci")]
    List(ApiKeyList),
    /// Makes an API key; its secret is shown this once
    #[command(
        after_help = "Example:\n  chancery identity api-key create ci --name laptop --expires-in 90d --network 10.0.0.0/8"
    )]
    Create(ApiKeyCreate),
    /// Changes an API key's name, end, networks or scope
    #[command(after_help = "Example:\n  chancery identity api-key change ci laptop --expires-in 30d")]
    Change(ApiKeyChange),
    /// Gives an API key a new secret, beside which the one of before goes on for a while
    #[command(after_help = "Example:\n  chancery identity api-key rotate ci laptop --overlap 2h")]
    Rotate(ApiKeyRotate),
    /// Deletes an API key, which ends what it began
    #[command(after_help = "Example:\n  chancery identity api-key delete ci laptop --yes")]
    Delete(ApiKeyDelete),
}

/// `identity api-key list`.
#[derive(Args)]
pub(crate) struct ApiKeyList {
    /// Whose they are: name or uuid.
    #[arg(value_name = "IDENTITY")]
    pub(crate) identity: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// Whose key it is, and which.
#[derive(Args)]
pub(crate) struct OneKey {
    /// Whose it is: name or uuid.
    #[arg(value_name = "IDENTITY")]
    pub(crate) identity: String,
    /// The API key: name or uuid.
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// When a key ends, from where it may be used, and for what.
#[derive(Args)]
pub(crate) struct Terms {
    /// How long it lasts from now on, such as 90d.
    #[arg(long, value_name = "SPAN", value_parser = duration, conflicts_with = "expires_at")]
    pub(crate) expires_in: Option<Duration>,
    /// When it ends, such as 2027-01-31T00:00:00Z.
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<String>,
    /// A network from which it may be used, such as 10.0.0.0/8; repeated.
    #[arg(long, value_name = "NETWORK")]
    pub(crate) network: Vec<String>,
    /// A token profile that it is restricted to: name or uuid; repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Vec<String>,
    /// A signing policy that it is restricted to: name or uuid; repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Vec<String>,
    /// A signing service, with all its policies, that it is restricted to: name or uuid; repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) service: Vec<String>,
}

/// `identity api-key create`.
#[derive(Args)]
pub(crate) struct ApiKeyCreate {
    /// Whose it shall be: name or uuid.
    #[arg(value_name = "IDENTITY")]
    pub(crate) identity: String,
    /// What it is called among the keys of this identity.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) terms: Terms,
    /// Where its secret is written, for its owner alone [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `identity api-key change`.
#[derive(Args)]
pub(crate) struct ApiKeyChange {
    #[command(flatten)]
    pub(crate) one: OneKey,
    /// Its new name.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) terms: Terms,
    /// Lets it go on without an end.
    #[arg(long, conflicts_with_all = ["expires_in", "expires_at"])]
    pub(crate) no_end: bool,
    /// Lets it be used from everywhere.
    #[arg(long, conflicts_with = "network")]
    pub(crate) any_network: bool,
    /// Lets it give all that its identity has.
    #[arg(long, conflicts_with_all = ["profile", "policy", "service"])]
    pub(crate) no_scope: bool,
}

/// `identity api-key rotate`.
#[derive(Args)]
pub(crate) struct ApiKeyRotate {
    #[command(flatten)]
    pub(crate) one: OneKey,
    /// How long the secret of before goes on, such as 2h; 0s for not at all [default: 1d].
    #[arg(long, value_name = "SPAN", value_parser = duration)]
    pub(crate) overlap: Option<Duration>,
    /// Where the new secret is written, for its owner alone [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Does not ask where the secret of before the last rotation still goes on, which this ends.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `identity api-key delete`.
#[derive(Args)]
pub(crate) struct ApiKeyDelete {
    #[command(flatten)]
    pub(crate) one: OneKey,
    /// Does not ask; where nobody is there to ask, it is needed.
    #[arg(long)]
    pub(crate) yes: bool,
}
