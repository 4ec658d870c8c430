//! The servers that somebody has logged in to: a file each in the user's configuration directory, for nobody else to read.

use std::{
    env, fs, io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::PathBuf,
};

use chancery_client::Session;
use chancery_types::wire::login::LoginState;
use serde::{Deserialize, Serialize};

use super::{
    address::Address,
    exit::{Exit, told_with, usage},
};
use crate::{
    failure::{Failure, While as _},
    private_file,
};

/// The name of the profile that is taken where there are several and none is named.
pub(crate) const DEFAULT: &str = "default";

/// One server, and who is logged in there.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedServer {
    /// Its address: what else stands here is for no other.
    pub(crate) server: Address,
    /// The authorities whose certificates it may present, PEM.
    pub(crate) ca: String,
    /// Who is logged in; nobody where it was an application, by its key.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// Where an application's key is, with which a login that has ended is made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// Where the session stands; none after a logout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<LoginState>,
    /// When the last login was made, in milliseconds since 1970.
    #[serde(default)]
    pub(crate) logged_in_at_ms: i64,
    /// What calls carry.
    #[serde(default)]
    pub(crate) session: Session,
}

impl SavedServer {
    /// Whether the session may do anything.
    pub(crate) fn is_logged_in(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.fully_logged_in)
    }
}

/// The user's own folder of Chancery.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = named("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let base = base.or_else(|| Some(named("HOME")?.join(".config")));
    let none = || usage("there is no configuration directory: set HOME or XDG_CONFIG_HOME");
    Ok(base.ok_or_else(none)?.join("chancery"))
}

/// A folder below it, made where it is not there, for its owner alone.
pub(crate) fn subfolder(name: &str) -> Result<PathBuf, Failure> {
    let path = folder()?.join(name);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).doing(path.display().to_string())?;
    Ok(path)
}

/// A profile's name is a file's name.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let is_name = !name.starts_with('.')
        && (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if is_name {
        return Ok(());
    }
    Err(usage(format!("--server-profile {name}: letters, digits, dots, hyphens and underscores, at most 64")))
}

fn path_of(name: &str) -> Result<PathBuf, Failure> {
    check_name(name)?;
    Ok(folder()?.join("servers").join(format!("{name}.json")))
}

/// The profiles that there are, by name.
pub(crate) fn all() -> Result<Vec<String>, Failure> {
    let path = folder()?.join("servers");
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.doing(path.display().to_string())?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.doing(path.display().to_string())?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(".json")).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// The profile where none is named: the only one, or the one of the name "default".
pub(crate) fn only_or_default() -> Result<Option<(String, SavedServer)>, Failure> {
    let name = match all()?.as_slice() {
        [only] => only.clone(),
        several if several.is_empty() || several.iter().any(|name| name == DEFAULT) => DEFAULT.to_owned(),
        several => return Err(which("there are several servers, and none is named or called default", several)),
    };
    Ok(load(&name)?.map(|server| (name, server)))
}

/// The profile of an address: the only one, or the one of the name "default".
pub(crate) fn at(address: &Address) -> Result<Option<(String, SavedServer)>, Failure> {
    let mut found = Vec::new();
    for name in all()? {
        found.extend(load(&name)?.filter(|server| server.server == *address).map(|server| (name, server)));
    }
    if found.len() > 1 {
        let names: Vec<_> = found.iter().map(|(name, _)| name.clone()).collect();
        found.retain(|(name, _)| name == DEFAULT);
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
        check_name(name)?;
        return Ok(name.to_owned());
    }
    let known = all()?;
    if known.is_empty() {
        return Ok(DEFAULT.to_owned());
    }
    let name = address.file_name();
    if check_name(&name).is_err() || known.contains(&name) {
        return Err(usage(format!("--server {address}: add --server-profile NAME, which names the new profile")));
    }
    Ok(name)
}

/// What is known of a server; nothing where nobody has logged in under this name.
pub(crate) fn load(name: &str) -> Result<Option<SavedServer>, Failure> {
    let path = path_of(name)?;
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => {
            let json = read.doing(path.display().to_string())?;
            let parsed = serde_json::from_slice(&json);
            parsed.map(Some).doing(format!("{}: remove it and log in again", path.display()))
        }
    }
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
            (left.api_key_file, left.state) = (None, None);
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
