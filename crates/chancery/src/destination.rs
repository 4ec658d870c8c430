//! Where a command writes what it was asked for: it finds out before it has asked anything of a server.

use std::{io, path::Path};

use chancery_client::Destination;
use rustix::fs::Access;

use crate::{
    client::exit::{Exit, told_with},
    ending,
    failure::Failure,
};

/// What is said of a command that ended before it asked for anything.
pub(crate) const NOT_ASKED: &str = "Nothing was asked of the server.";

/// Where that is that an option names. From now on a signal that ends the command leaves no half of a file.
pub(crate) fn find(option: &str, path: &Path) -> Result<Destination, Failure> {
    ending::mind_signals()?;
    place(option, path)
}

/// The same of what is signed, before which the server was asked how.
pub(crate) fn find_signed(path: &Path) -> Result<Destination, Failure> {
    ending::mind_signals()?;
    place_or("--out", path, "Nothing was submitted.")
}

/// A file can only be put where this user may write, on a disk that takes it.
fn writable(found: Destination) -> io::Result<Destination> {
    if let Destination::Replaced(file) = &found
        && let Some(folder) = file.parent()
    {
        rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK)?;
    }
    Ok(found)
}

/// The same for who minds signals otherwise.
pub(crate) fn place(option: &str, path: &Path) -> Result<Destination, Failure> {
    place_or(option, path, NOT_ASKED)
}

fn place_or(option: &str, path: &Path, undone: &str) -> Result<Destination, Failure> {
    Destination::find(path).and_then(writable).map_err(|error| {
        let is_missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
        let why = if is_missing { "there is no such folder".to_owned() } else { error.to_string() };
        let message = format!("{option} {}: {why}", path.display());
        let next = if is_missing { "Make it, or name another" } else { "Name another" };
        told_with(Exit::Usage, message, format!("{next}. {undone}"))
    })
}
