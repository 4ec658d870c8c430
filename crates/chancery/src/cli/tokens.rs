//! The commands that do something with tokens beside making and reading them.

use clap::{Args, Subcommand};

use crate::client::connection::ServerOptions;

/// Values of a token profile.
#[derive(Args)]
pub(crate) struct Values {
    /// The values; otherwise the lines of standard input. Arguments can be read by everybody on this machine.
    #[arg(value_name = "VALUE")]
    pub(crate) values: Vec<String>,
    /// The token profile: name or uuid.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// Tokens that were made with a version of the key.
#[derive(Args)]
pub(crate) struct VersionedTokens {
    /// The version of the key that made the tokens, where they do not tell it and the profile reads several.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) key_version: Option<u32>,
    #[command(flatten)]
    pub(crate) values: Values,
}

/// `token`.
#[derive(Args)]
pub(crate) struct Token {
    #[command(subcommand)]
    pub(crate) what: TokenCommand,
}

/// What to do with the tokens of a vault.
#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Shows what is kept beside their messages: when they were made, until when they live, their metadata.
    #[command(after_help = "Example:\n  chancery token show --profile 'tax numbers' < tax-tokens.txt")]
    Show(Values),
    /// Says of each message whether it has a token: true or false, a line each. None is made.
    #[command(after_help = "Example:\n  chancery token exists --profile 'tax numbers' < tax-numbers.txt")]
    Exists(Values),
    /// Removes tokens and their messages, for good.
    #[command(after_help = "Example:\n  chancery token delete --profile 'tax numbers' --yes < tax-tokens.txt")]
    Delete(TokenDelete),
}

/// `token delete`.
#[derive(Args)]
pub(crate) struct TokenDelete {
    /// Does not ask; where nobody is there to ask, it is needed.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) values: Values,
}

/// `track`.
#[derive(Args)]
pub(crate) struct Track {
    #[command(subcommand)]
    pub(crate) what: TrackCommand,
}

/// What to do with the data of cards' tracks.
#[derive(Subcommand)]
pub(crate) enum TrackCommand {
    /// Tokenizes the account number in it, and nothing else.
    #[command(after_help = "Example:\n  chancery track tokenize --profile 'demo cards' < tracks.txt > tracks.tokens")]
    Tokenize(Values),
    /// Puts the account number back. A line may have a tab and the initialization vector behind it.
    #[command(after_help = "Example:\n  chancery track detokenize --profile 'demo cards' < tracks.tokens")]
    Detokenize(GrantedTokens),
}

/// `track detokenize`.
#[derive(Args)]
pub(crate) struct GrantedTokens {
    /// The grant under which values are shown, where a Control Rule demands approvals.
    #[arg(long, value_name = "UUID")]
    pub(crate) grant: Option<String>,
    #[command(flatten)]
    pub(crate) tokens: VersionedTokens,
}
