//! Standard output, which is what a command answers, and what it tells beside that on standard error.

use std::{
    fmt,
    io::{self, Write as _},
};

use crate::failure::{Failure, While as _};

/// Writes a line. Whoever has closed the other end has read what they wanted; that no room is left for an answer is a
/// failure.
pub(crate) fn line(text: impl fmt::Display) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.doing("standard output"),
    }
}

/// Tells something on standard error. Whoever closed it does not want to know; the command goes on.
pub(crate) fn note(text: impl fmt::Display) {
    let _told = writeln!(io::stderr(), "{text}");
}

/// Asks something at the terminal, without a line end.
pub(crate) fn question(text: &str) -> Result<(), Failure> {
    let mut terminal = io::stderr().lock();
    Ok(write!(terminal, "{text}").and_then(|()| terminal.flush())?)
}

/// The same without a line end.
pub(crate) fn part(text: &str) {
    let mut terminal = io::stderr().lock();
    let _told = write!(terminal, "{text}").and_then(|()| terminal.flush());
}
