//! The servers that somebody has logged in to: a file each in the user's configuration directory, for nobody else to read.

use std::{env, fs, io, os::unix::fs::DirBuilderExt as _, path::PathBuf};

use chancery_client::Session;
use chancery_types::wire::login::LoginState;
use serde::{Deserialize, Serialize};

use super::exit::{Exit, told_with, usage};
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
    /// Its address.
    pub(crate) server: String,
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

/// The profile that is meant: the named one, the only one, or the one of the name "default".
pub(crate) fn chosen(named: Option<&str>) -> Result<String, Failure> {
    if let Some(name) = named {
        check_name(name)?;
        return Ok(name.to_owned());
    }
    match all()?.as_slice() {
        [only] => Ok(only.clone()),
        several if several.is_empty() || several.iter().any(|name| name == DEFAULT) => Ok(DEFAULT.to_owned()),
        several => Err(told_with(
            Exit::Usage,
            "there are several servers, and none is named or called default",
            format!("Add --server-profile NAME, or set CHANCERY_SERVER_PROFILE: {}", several.join(", ")),
        )),
    }
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

/// Keeps what is known, whole or not at all.
pub(crate) fn save(name: &str, server: &SavedServer) -> Result<(), Failure> {
    let _there = subfolder("servers")?;
    let path = path_of(name)?;
    private_file::replace_beside_others(&path, &serde_json::to_vec(server)?).doing(path.display().to_string())
}

/// Forgets a server.
pub(crate) fn remove(name: &str) -> Result<(), Failure> {
    let path = path_of(name)?;
    fs::remove_file(&path).doing(path.display().to_string())
}
