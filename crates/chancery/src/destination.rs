//! Where a command writes what it was asked for: it finds out before it has asked anything of a server.

use std::{io, path::Path};

use chancery_client::Destination;

use crate::{
    client::exit::{Exit, told_with},
    failure::Failure,
};

/// Where that is that an option names.
pub(crate) fn find(option: &str, path: &Path) -> Result<Destination, Failure> {
    Destination::find(path).map_err(|error| {
        let is_missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
        let why = if is_missing { "there is no such folder".to_owned() } else { error.to_string() };
        let message = format!("{option} {}: {why}", path.display());
        told_with(Exit::Usage, message, "Make it, or name another; nothing was submitted.")
    })
}
