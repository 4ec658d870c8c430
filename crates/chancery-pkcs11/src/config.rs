//! Which server, and as whom: a file, or what `chancery login` left.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use chancery_client::{
    SavedError, SavedServer, Session, only_saved_server, read_bounded, saved_server, system_authorities,
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::failure::{Result, debug, with_causes, wrong};

/// The file, where there is one.
const FILE: &str = "CHANCERY_PKCS11_CONFIG";

/// The variable that names one of the servers of `chancery login` for the commands, and for this module too.
const NAMED: &str = "CHANCERY_SERVER_PROFILE";

pub(crate) struct Config {
    /// What the token is called.
    pub(crate) label: String,
    pub(crate) server: String,
    /// The authorities whose certificates the server may present, PEM.
    pub(crate) authorities: Vec<u8>,
    pub(crate) credential: Credential,
    /// The services whose objects are shown; all where none is named.
    pub(crate) services: Vec<String>,
    /// What approvers and the log see as the name of a request.
    pub(crate) request_name: String,
}

/// By what one is logged in.
pub(crate) enum Credential {
    /// An API key that programs give as the PIN.
    Pin,
    /// An API key in a file.
    KeyFile(PathBuf),
    /// The session of `chancery login`.
    Session(Session),
}

/// The file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    server: String,
    ca: Option<PathBuf>,
    api_key_file: Option<PathBuf>,
    label: Option<String>,
    #[serde(default)]
    services: Vec<String>,
    request_name: Option<String>,
}

/// Bytes of a file that the configuration is or names, at most: far above any.
const FILE_MAX: u64 = 16 << 20;

/// A file, up to a bound: whatever else is there, a program that loads this module would wait for it, or be filled by it.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    read_bounded(fs::File::open(path)?, FILE_MAX)
}

/// The same of a text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::Error::other("it is no text"))
}

impl Config {
    /// What is configured; `None` where nothing is.
    pub(crate) fn load() -> Result<Option<Self>> {
        match env::var_os(FILE).filter(|path| !path.is_empty()) {
            Some(path) => Self::from_file(Path::new(&path)).map(Some),
            None => Ok(saved()?.map(Self::from)),
        }
    }

    fn from_file(path: &Path) -> Result<Self> {
        let wrong = |error: &dyn std::fmt::Display| wrong(format!("{FILE}={}: {error}", path.display()));
        let text = read_text(path).map_err(|error| wrong(&error))?;
        // The library shows the line, in which a secret may stand that does not belong there.
        let place = |error: &toml::de::Error| error.to_string().lines().next().unwrap_or_default().to_owned();
        let told = |error: toml::de::Error| wrong(&format!("{}: {}", place(&error), error.message()));
        let file: File = toml::from_str(&text).map_err(told)?;
        // Paths in it are below its own folder: programs run anywhere.
        let folder = path.parent().unwrap_or(Path::new(""));
        let authorities = match &file.ca {
            Some(ca) => read(&folder.join(ca)).map_err(|error| wrong(&format!("ca = {}: {error}", ca.display())))?,
            None => system_authorities()
                .map(String::into_bytes)
                .ok_or_else(|| wrong(&"ca is needed: the system names no authorities"))?,
        };
        Ok(Self {
            label: file.label.unwrap_or_else(|| "chancery".to_owned()),
            server: file.server,
            authorities,
            credential: file.api_key_file.map_or(Credential::Pin, |key| Credential::KeyFile(folder.join(key))),
            services: file.services,
            request_name: file.request_name.unwrap_or_else(request_name),
        })
    }

    /// As long as a token's, and the same for a server always.
    pub(crate) fn serial_number(&self) -> String {
        Sha256::digest(&self.server)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The one that the commands would take: the named one, the only one, or the one called default. Where they would ask which,
/// there is none: programs load modules that nobody has set up.
fn saved() -> Result<Option<(String, SavedServer)>> {
    if let Some(name) = env::var_os(NAMED).filter(|name| !name.is_empty()) {
        // What is no text is the name of no profile, and is told as that.
        let name = name.to_string_lossy().into_owned();
        let wrong = |error: &dyn std::fmt::Display| wrong(format!("{NAMED}={name}: {error}"));
        let server = saved_server(&name).map_err(|error| wrong(&with_causes(&error)))?;
        return server.map(|server| Some((name.clone(), server))).ok_or_else(|| wrong(&"there is no such profile"));
    }
    match only_saved_server() {
        Ok(saved) => Ok(saved),
        Err(error @ (SavedError::Several(_) | SavedError::NoFolder)) => {
            debug(format!("{error}; or set {NAMED}"));
            Ok(None)
        }
        Err(error) => Err(wrong(with_causes(&error))),
    }
}

impl From<(String, SavedServer)> for Config {
    fn from((name, saved): (String, SavedServer)) -> Self {
        let credential = match saved.api_key_file {
            Some(file) => Credential::KeyFile(file),
            None if saved.state.is_some_and(|state| state.fully_logged_in) => Credential::Session(saved.session),
            None => Credential::Pin,
        };
        Self {
            label: name,
            server: saved.server,
            authorities: saved.ca.into_bytes(),
            credential,
            services: Vec::new(),
            request_name: request_name(),
        }
    }
}

/// The program, since nobody says what it signs.
fn request_name() -> String {
    let program = env::current_exe().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let program: String = program.unwrap_or_default().chars().filter(|one| !one.is_control()).take(200).collect();
    format!("PKCS#11 {program}").trim_end().to_owned()
}
