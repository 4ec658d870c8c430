//! Standard output: what a command answers.

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
