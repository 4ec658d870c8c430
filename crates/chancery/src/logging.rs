//! The log: to standard error, since standard output belongs to what a command answers.

use std::{io::IsTerminal as _, str::FromStr as _};

use tracing_subscriber::{EnvFilter, filter::LevelFilter};

use crate::{
    failure::{Failure, While as _},
    settings::{LogFormat, Settings},
};

/// What is logged; it may be changed while the server runs.
pub(crate) struct LogLevel(Box<dyn Fn(EnvFilter) -> Result<(), Failure> + Send + Sync>);

impl LogLevel {
    /// Logs by these settings from now on.
    pub(crate) fn change(&self, settings: &Settings) -> Result<(), Failure> {
        (self.0)(filter(settings)?)
    }
}

/// The library takes a word that is no level for the name of a module, and then logs that module alone.
fn filter(settings: &Settings) -> Result<EnvFilter, Failure> {
    let words = &settings.log_level;
    let is_level = |word: &str| word.contains('=') || LevelFilter::from_str(word).is_ok();
    let filter = match words.split(',').find(|word| !is_level(word.trim())) {
        Some(word) => Err(format!("{word} is none of error, warn, info, debug, trace, off and MODULE=LEVEL").into()),
        None => EnvFilter::try_new(words).map_err(Failure::from),
    };
    filter.doing(format!("--log-level {words}"))
}

/// Starts the log of a server.
pub(crate) fn start(settings: &Settings) -> Result<LogLevel, Failure> {
    let log = tracing_subscriber::fmt().with_env_filter(filter(settings)?).with_writer(std::io::stderr);
    let log = log.with_ansi(std::io::stderr().is_terminal());
    match settings.log_format {
        LogFormat::Text => {
            let log = log.with_filter_reloading();
            let handle = log.reload_handle();
            log.try_init()?;
            Ok(LogLevel(Box::new(move |filter| Ok(handle.reload(filter)?))))
        }
        LogFormat::Json => {
            let log = log.json().flatten_event(true).with_filter_reloading();
            let handle = log.reload_handle();
            log.try_init()?;
            Ok(LogLevel(Box::new(move |filter| Ok(handle.reload(filter)?))))
        }
    }
}
