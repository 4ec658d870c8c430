//! The log: to standard error, since standard output belongs to what a command answers.
//!
//! Lines go through a bounded queue to a thread of their own. A reader that stands still, one that is gone, or a full disk
//! costs lines and nothing else: no call waits for the log, and none fails because of it.

use std::{
    io::{self, IsTerminal as _},
    str::FromStr as _,
};

use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

use crate::{
    failure::{Failure, While as _},
    settings::{LogFormat, Settings},
};

/// Lines that wait to be written. Further ones are lost.
const LINES_MAX: usize = 10_000;

/// What is logged; it may be changed while the server runs. The last lines are written when this is dropped, for a second
/// at most.
pub(crate) struct LogLevel {
    reload: Box<dyn Fn(EnvFilter) -> Result<(), Failure> + Send + Sync>,
    _writer: WorkerGuard,
}

impl LogLevel {
    /// Logs by these settings from now on.
    pub(crate) fn change(&self, settings: &Settings) -> Result<(), Failure> {
        (self.reload)(filter(settings)?)
    }
}

fn writer() -> (NonBlocking, WorkerGuard) {
    NonBlockingBuilder::default().lossy(true).buffered_lines_limit(LINES_MAX).thread_name("log").finish(io::stderr())
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
    let (lines, writer) = writer();
    let log = tracing_subscriber::fmt().with_env_filter(filter(settings)?).with_writer(lines);
    // The library would tell of a line that it could not write on standard error, and panic where that fails too.
    let log = log.log_internal_errors(false).with_ansi(io::stderr().is_terminal());
    let reload: Box<dyn Fn(EnvFilter) -> Result<(), Failure> + Send + Sync> = match settings.log_format {
        LogFormat::Text => {
            let log = log.with_filter_reloading();
            let handle = log.reload_handle();
            log.try_init()?;
            Box::new(move |filter| Ok(handle.reload(filter)?))
        }
        LogFormat::Json => {
            let log = log.json().flatten_event(true).with_filter_reloading();
            let handle = log.reload_handle();
            log.try_init()?;
            Box::new(move |filter| Ok(handle.reload(filter)?))
        }
    };
    Ok(LogLevel { reload, _writer: writer })
}
