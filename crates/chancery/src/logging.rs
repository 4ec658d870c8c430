//! The log: to standard error, since standard output belongs to what a command answers.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::{
    failure::{Failure, While as _},
    settings::{LogFormat, Settings},
};

/// Starts the log of a server.
pub(crate) fn start(settings: &Settings) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(&settings.log_level).doing(format!("--log-level {}", settings.log_level))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let log = log.with_ansi(std::io::stderr().is_terminal());
    match settings.log_format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    }
}
