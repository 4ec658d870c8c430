//! The servers that somebody has logged in to, as `chancery login` keeps them: a file each in the user's configuration
//! directory. Here they are read; who writes them is the program.

use std::{env, fs, io, path::PathBuf};

use chancery_types::wire::login::LoginState;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::Session;

/// The name of the one that is taken where there are several and none is named.
pub const DEFAULT_SERVER: &str = "default";

/// One server, and who is logged in there.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedServer<Address = String> {
    /// Its address: what else stands here is for no other.
    pub server: Address,
    /// The authorities whose certificates it may present, PEM.
    pub ca: String,
    /// Who is logged in; nobody where it was an application, by its key.
    #[serde(default = "Vec::new")]
    pub names: Vec<String>,
    /// Where an application's key is, with which a login that has ended is made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_file: Option<PathBuf>,
    /// Where the certificate is by which somebody logged in, and its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<CertificateFiles>,
    /// Where the session stands; none after a logout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<LoginState>,
    /// When the last login was made, in milliseconds since 1970.
    #[serde(default)]
    pub logged_in_at_ms: i64,
    /// What calls carry.
    #[serde(default)]
    pub session: Session,
}

/// Where a client certificate is, and its key; neither itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertificateFiles {
    /// The certificate, PEM, and what stands between it and its authority.
    pub certificate: PathBuf,
    /// Its key, PEM.
    pub key: PathBuf,
}

impl<Address> SavedServer<Address> {
    /// Whether the session may do anything.
    #[must_use]
    pub fn is_logged_in(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.fully_logged_in)
    }
}

/// Why none of them could be read.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// The environment does not say where.
    #[error("there is no configuration directory: set HOME or XDG_CONFIG_HOME to an absolute path")]
    NoFolder,
    /// No profile can be called this.
    #[error("{0}: letters, digits, dots, hyphens and underscores, at most 64")]
    Name(String),
    /// There are these, and it is not said which.
    #[error("there are several servers, and none is named or called default")]
    Several(Vec<String>),
    /// A file or folder cannot be read.
    #[error("{0}")]
    File(PathBuf, #[source] io::Error),
    /// A file is not as it was written.
    #[error("{0}: remove it and log in again")]
    Damaged(PathBuf, #[source] serde_json::Error),
}

/// The user's own folder of Chancery.
///
/// # Errors
///
/// [`SavedError::NoFolder`].
pub fn config_folder() -> Result<PathBuf, SavedError> {
    // One that is relative would be another folder from everywhere.
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = named("XDG_CONFIG_HOME");
    let base = base.or_else(|| Some(named("HOME")?.join(".config")));
    Ok(base.ok_or(SavedError::NoFolder)?.join("chancery"))
}

/// The file of a profile, there or not.
///
/// # Errors
///
/// Where there is no folder, or the name is none.
pub fn saved_server_file(name: &str) -> Result<PathBuf, SavedError> {
    // It is a file's name.
    let is_name = !name.starts_with('.')
        && (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !is_name {
        return Err(SavedError::Name(name.to_owned()));
    }
    Ok(config_folder()?.join("servers").join(format!("{name}.json")))
}

/// The profiles that there are, by name.
///
/// # Errors
///
/// Why the folder cannot be read; that there is none is no error.
pub fn saved_servers() -> Result<Vec<String>, SavedError> {
    let path = config_folder()?.join("servers");
    let unreadable = |error| SavedError::File(path.clone(), error);
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(unreadable)?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(".json")).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// What is known of a server; nothing where nobody has logged in under this name.
///
/// # Errors
///
/// Why its file cannot be read.
pub fn saved_server<Address: DeserializeOwned>(name: &str) -> Result<Option<SavedServer<Address>>, SavedError> {
    let path = saved_server_file(name)?;
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SavedError::File(path, error)),
        Ok(json) => serde_json::from_slice(&json).map(Some).map_err(|error| SavedError::Damaged(path, error)),
    }
}

/// The profile where none is named: the only one, or the one of the name "default".
///
/// # Errors
///
/// [`SavedError::Several`], or why it cannot be read.
pub fn only_saved_server<Address: DeserializeOwned>() -> Result<Option<(String, SavedServer<Address>)>, SavedError> {
    let mut names = saved_servers()?;
    let name = match names.as_slice() {
        [_] => names.remove(0),
        several if several.is_empty() || several.iter().any(|name| name == DEFAULT_SERVER) => DEFAULT_SERVER.to_owned(),
        _ => return Err(SavedError::Several(names)),
    };
    Ok(saved_server(&name)?.map(|server| (name, server)))
}
