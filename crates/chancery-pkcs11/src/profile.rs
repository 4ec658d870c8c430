//! The servers that `chancery login` knows: the same files, read only.

use std::{env, fs, path::PathBuf};

use chancery_client::Session;
use chancery_types::wire::login::LoginState;
use serde::Deserialize;

use crate::failure::{Result, wrong};

/// The variable that names one for the commands, and for this module too.
const NAMED: &str = "CHANCERY_SERVER_PROFILE";

/// A server, and who is logged in there.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    /// What it is called: the file's name.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) server: String,
    pub(crate) ca: String,
    pub(crate) api_key_file: Option<PathBuf>,
    pub(crate) state: Option<LoginState>,
    #[serde(default)]
    pub(crate) session: Session,
}

impl Profile {
    /// The one that the commands would take: the named one, the only one, or the one called default.
    pub(crate) fn load() -> Result<Option<Self>> {
        let Some(folder) = folder() else { return Ok(None) };
        let named = env::var(NAMED).ok().filter(|name| !name.is_empty());
        let is_named = named.is_some();
        let name = named.unwrap_or_else(|| only_one(&folder).unwrap_or_else(|| "default".to_owned()));
        let path = folder.join(format!("{name}.json"));
        let json = match fs::read(&path) {
            Err(error) if is_named => return Err(wrong(format!("{NAMED}={name}: {}: {error}", path.display()))),
            Err(_absent) => return Ok(None),
            Ok(json) => json,
        };
        let read = serde_json::from_slice(&json);
        let profile: Self = read.map_err(|error| wrong(format!("{}: {error}", path.display())))?;
        Ok(Some(Self { name, ..profile }))
    }
}

fn folder() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = named("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    Some(base.or_else(|| Some(named("HOME")?.join(".config")))?.join("chancery/servers"))
}

fn only_one(folder: &PathBuf) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    let mut names = entries.filter_map(|name| Some(name.to_str()?.strip_suffix(".json")?.to_owned()));
    names.next().filter(|_| names.next().is_none())
}
