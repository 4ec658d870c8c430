//! The servers that somebody has logged in to: a file each in the user's configuration directory, for nobody else to read.

use std::{
    fs,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::PathBuf,
};

use chancery_client::{
    DEFAULT_SERVER, SavedError, Session, config_folder, only_saved_server, saved_server, saved_server_file,
    saved_servers,
};

use super::{
    address::Address,
    exit::{Exit, exit_of, told_with, usage},
};
use crate::{
    failure::{Failure, While as _, describe},
    private_file,
};

/// Bytes for which there has to be room, about as many as a login takes.
const SAVED_LEN: usize = 16 << 10;

/// One server, and who is logged in there.
pub(crate) type SavedServer = chancery_client::SavedServer<Address>;

/// A folder below the user's own, made where it is not there, for its owner alone.
pub(crate) fn subfolder(name: &str) -> Result<PathBuf, Failure> {
    let path = config_folder().map_err(unreadable)?.join(name);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).doing(path.display().to_string())?;
    Ok(path)
}

/// The profiles that there are, by name.
pub(crate) fn all() -> Result<Vec<String>, Failure> {
    saved_servers().map_err(unreadable)
}

/// The profile where none is named: the only one, or the one of the name "default".
pub(crate) fn only_or_default() -> Result<Option<(String, SavedServer)>, Failure> {
    only_saved_server().map_err(unreadable)
}

/// The profile of an address: the only one, or the one of the name "default".
pub(crate) fn at(address: &Address) -> Result<Option<(String, SavedServer)>, Failure> {
    let mut found = Vec::new();
    for name in all()? {
        // One that is damaged is of no address; it is told of where it is named, and by `status`.
        let known = readable(&name)?.unwrap_or_default();
        found.extend(known.filter(|server| server.server == *address).map(|server| (name, server)));
    }
    if found.len() > 1 {
        let names: Vec<_> = found.iter().map(|(name, _)| name.clone()).collect();
        found.retain(|(name, _)| name == DEFAULT_SERVER);
        if found.is_empty() {
            return Err(which(&format!("there are several profiles of {address}, and none is called default"), &names));
        }
    }
    Ok(found.pop())
}

fn which(message: &str, names: &[String]) -> Failure {
    let next = format!("Add --server-profile NAME, or set CHANCERY_SERVER_PROFILE: {}", names.join(", "));
    told_with(Exit::Usage, message, next)
}

/// What a profile is called that is made for an address: as it is named; `default` where it is the first one; else by host
/// and port.
pub(crate) fn new_name(named: Option<&str>, address: &Address) -> Result<String, Failure> {
    if let Some(name) = named {
        let _is_a_name = path_of(name)?;
        return Ok(name.to_owned());
    }
    let known = all()?;
    if known.is_empty() {
        return Ok(DEFAULT_SERVER.to_owned());
    }
    let name = address.file_name();
    if path_of(&name).is_err() || known.contains(&name) {
        return Err(usage(format!("--server {address}: add --server-profile NAME, which names the new profile")));
    }
    Ok(name)
}

/// What is known of a server; nothing where nobody has logged in under this name.
pub(crate) fn load(name: &str) -> Result<Option<SavedServer>, Failure> {
    saved_server(name).map_err(unreadable)
}

/// The same; why not, where its file is damaged.
pub(crate) fn readable(name: &str) -> Result<Result<Option<SavedServer>, String>, Failure> {
    match saved_server(name) {
        Err(error @ SavedError::Damaged(..)) => Ok(Err(describe(&error))),
        found => found.map(Ok).map_err(unreadable),
    }
}

fn path_of(name: &str) -> Result<PathBuf, Failure> {
    saved_server_file(name).map_err(unreadable)
}

/// Why a profile could not be read, with what to do.
fn unreadable(error: SavedError) -> Failure {
    match error {
        SavedError::Several(names) => which(&SavedError::Several(Vec::new()).to_string(), &names),
        SavedError::Name(_) => usage(format!("--server-profile {error}")),
        SavedError::NoFolder => usage(error.to_string()),
        SavedError::File(..) | SavedError::Damaged(..) => error.into(),
    }
}

/// Refuses where nothing can be kept: the folder may not be written, or its disk is full.
pub(crate) fn refuse_unwritable() -> Result<(), Failure> {
    alone(|| {
        let path = subfolder("servers")?.join(".tried");
        let tried = private_file::replace(&path, &[b'\n'; SAVED_LEN]).and_then(|()| fs::remove_file(&path));
        tried.doing(path.display().to_string())
    })
    .map_err(|failure| {
        let next = "Nobody was logged in: the login could not be kept. HOME or XDG_CONFIG_HOME says where that is.";
        told_with(exit_of(&failure), describe(failure.as_ref()), next)
    })
}

/// Keeps what a login made.
pub(crate) fn save(name: &str, server: &SavedServer) -> Result<(), Failure> {
    alone(|| write(name, server))
}

/// Keeps a session that a command renewed, where the one that it took is still there: whoever logged in or out meanwhile has
/// the last word.
pub(crate) fn renew(name: &str, taken: &Session, renewed: Session) -> Result<(), Failure> {
    if *taken == renewed {
        return Ok(());
    }
    alone(|| match load(name)? {
        Some(server) if server.session == *taken => write(name, &SavedServer { session: renewed, ..server }),
        Some(_) | None => Ok(()),
    })
}

/// Takes the login out of a profile, or forgets the profile. What was in it is answered.
pub(crate) fn end(name: &str, is_forgotten: bool) -> Result<Option<SavedServer>, Failure> {
    alone(|| {
        let Some(server) = load(name)? else { return Ok(None) };
        if is_forgotten {
            let path = path_of(name)?;
            fs::remove_file(&path).doing(path.display().to_string())?;
        } else {
            let mut left = SavedServer { names: Vec::new(), session: Session::default(), ..server.clone() };
            (left.api_key_file, left.client_certificate, left.state) = (None, None, None);
            write(name, &left)?;
        }
        Ok(Some(server))
    })
}

/// Whole or not at all.
fn write(name: &str, server: &SavedServer) -> Result<(), Failure> {
    let path = path_of(name)?;
    private_file::replace_beside_others(&path, &serde_json::to_vec(server)?).doing(path.display().to_string())
}

/// While no other process does the same: what is written may depend on what is there.
fn alone<T>(act: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let path = subfolder("servers")?.join("lock");
    let file = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = file.doing(path.display().to_string())?;
    file.lock().doing(path.display().to_string())?;
    // The lock ends with the file.
    act()
}
