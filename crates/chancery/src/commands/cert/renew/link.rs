//! Names that lead into the folder of a renewal, as other commands find them.

use std::{fs, path::Path};

use super::files::CURRENT;
use crate::{
    client::exit::{Exit, told_with},
    failure::Failure,
};

/// What is written through such a link changes half of a pair: the key beside it stays what it was.
pub(in crate::commands::cert) fn refuse_link_of_renewal(option: &str, path: &Path) -> Result<(), Failure> {
    let Ok(target) = fs::read_link(path) else { return Ok(()) };
    let folder = target.parent().filter(|current| current.ends_with(CURRENT)).and_then(Path::parent);
    let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    match name.filter(|name| name.ends_with(".renewal")) {
        None => Ok(()),
        Some(name) => {
            let message = format!("{option} {}: it leads into {name}, which chancery cert renew keeps", path.display());
            let next = format!("Name another file, or remove {name} and the names that lead into it.");
            Err(told_with(Exit::Usage, message, next))
        }
    }
}
