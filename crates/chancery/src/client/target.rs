//! Which server a command is for, and which credential goes there. Nothing else decides either.

use std::{env, fs, io, path::Path};

use chancery_client::{Client, Session, system_authorities};
use chancery_types::wire::login::LoginState;

use super::{
    address::Address,
    connection::ServerOptions,
    exit::{Exit, told_with, usage},
    inputs::read_text,
    servers::{self, SavedServer},
};
use crate::{failure::Failure, password_input::without_line_end, shown::names};

/// The server that a command is for.
pub(crate) struct Target {
    pub(crate) address: Address,
    /// The authorities whose certificates it may present, PEM.
    pub(crate) ca: String,
    /// The profile of this address, where there is one. It is never one of another address, so that what it keeps can be
    /// sent there.
    pub(crate) saved: Option<(String, SavedServer)>,
}

/// By what a command is logged in.
pub(crate) enum Credential {
    Key(String),
    Session(Session),
}

impl Target {
    /// The server of a call. An address together with a key, as programs have it, is nobody's profile.
    pub(crate) fn of_call(options: &ServerOptions) -> Result<Self, Failure> {
        if options.server.is_some() && options.server_profile.is_none() && has_api_key(options) {
            return Self::of(options, None);
        }
        Self::of_profile(options)
    }

    /// The server of what is about profiles: logging in and out, and what needs no login.
    pub(crate) fn of_profile(options: &ServerOptions) -> Result<Self, Failure> {
        let saved = match (&options.server_profile, &options.server) {
            (Some(name), address) => named(name, address.as_ref())?,
            (None, Some(address)) => servers::at(address)?,
            (None, None) => servers::only_or_default()?,
        };
        Self::of(options, saved)
    }

    fn of(options: &ServerOptions, saved: Option<(String, SavedServer)>) -> Result<Self, Failure> {
        let address = options.server.clone().or_else(|| Some(saved.as_ref()?.1.server.clone()));
        let how = "Log in first: chancery login --server URL --ca FILE; or set CHANCERY_SERVER and CHANCERY_API_KEY.";
        let address = address.ok_or_else(|| told_with(Exit::NotLoggedIn, "no server is known", how))?;
        let ca = authorities(options, saved.as_ref().map(|(_, server)| server.ca.as_str()))?;
        Ok(Self { address, ca, saved })
    }

    /// A client of it, in no session.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        Ok(Client::new(&self.address.to_string(), self.ca.as_bytes())?)
    }

    /// Its profile; a refusal where there is none.
    pub(crate) fn profile(&self) -> Result<&(String, SavedServer), Failure> {
        self.saved.as_ref().ok_or_else(|| {
            let how =
                format!("Log in first: chancery login --server {} --ca FILE; or set CHANCERY_API_KEY.", self.address);
            told_with(Exit::NotLoggedIn, format!("nobody is logged in at {}", self.address), how)
        })
    }

    /// The key that is given, or what the profile keeps.
    pub(crate) fn credential(&self, options: &ServerOptions) -> Result<Credential, Failure> {
        if let Some(key) = api_key(options)? {
            return Ok(Credential::Key(key));
        }
        let (name, server) = self.profile()?;
        if let Some(file) = &server.api_key_file {
            return read_key(file).map(Credential::Key);
        }
        if server.is_logged_in() {
            return Ok(Credential::Session(server.session.clone()));
        }
        let message = match server.state {
            Some(_) => {
                let who = names(server.names.iter().map(String::as_str), ", ");
                format!("{who} alone is logged in, and the role takes two logins")
            }
            None => format!("nobody is logged in at {}", server.server),
        };
        Err(told_with(Exit::NotLoggedIn, message, format!("chancery login --server-profile {name}")))
    }
}

/// The profile of this name; nothing where a first login there is to come.
fn named(name: &str, address: Option<&Address>) -> Result<Option<(String, SavedServer)>, Failure> {
    match (servers::load(name)?, address) {
        (Some(server), Some(given)) if server.server != *given => {
            let message = format!("--server {given}: the profile {name} is for {}", server.server);
            let next = format!(
                "Leave out --server, or name another --server-profile; chancery logout --forget --server-profile {name} \
                 ends and forgets this one."
            );
            Err(told_with(Exit::Usage, message, next))
        }
        (Some(server), _) => Ok(Some((name.to_owned(), server))),
        (None, Some(_)) => Ok(None),
        (None, None) => {
            let known = servers::all()?;
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let message = format!("--server-profile {name}: there is no such profile");
            Err(told_with(Exit::Usage, message, format!("Profiles that there are: {known}.")))
        }
    }
}

/// Whom the server's certificate may be of: as given, as kept, or as the system has it.
fn authorities(options: &ServerOptions, kept: Option<&str>) -> Result<String, Failure> {
    if let Some(path) = &options.ca {
        return read_text("--ca", path);
    }
    if let Some(kept) = kept {
        return Ok(kept.to_owned());
    }
    system_authorities()
        .ok_or_else(|| usage("--ca FILE is needed: the system has no file of authorities that it trusts"))
}

/// The API key that is given, if one is. What is no file can be read once.
pub(crate) fn api_key(options: &ServerOptions) -> Result<Option<String>, Failure> {
    match &options.api_key_file {
        Some(path) => read_key(path).map(Some),
        None => Ok(key_of_environment()),
    }
}

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;

/// Refuses a place of a key that later commands could not read it from: what is no file, or what is called after this
/// process.
pub(crate) fn refuse_fleeting_key(path: &Path) -> Result<(), Failure> {
    let stays = stays(path).map_err(|error| usage(format!("--api-key-file {}: {error}", path.display())))?;
    if stays {
        return Ok(());
    }
    let message =
        format!("--api-key-file {}: it is no regular file, and later commands read the key there", path.display());
    let next = "Put the key into a file; or leave out the login, and give each command --server URL and the key.";
    Err(told_with(Exit::Usage, message, next))
}

/// Whether there is a file that somebody else finds under this name, too.
fn stays(path: &Path) -> io::Result<bool> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize()?;
        if path == Path::new("-") || folder.starts_with("/proc") {
            return Ok(false);
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder.join(target);
    }
    Ok(fs::metadata(&path)?.is_file())
}

/// A key is for commands of which each logs in by itself, where nobody could add a second login.
pub(crate) fn refuse_half_key(state: &LoginState) -> Result<(), Failure> {
    if state.fully_logged_in {
        return Ok(());
    }
    let message = "the API key alone does not log in: its role takes two logins";
    Err(told_with(Exit::NotLoggedIn, message, "Give the application a role that takes one."))
}

fn has_api_key(options: &ServerOptions) -> bool {
    options.api_key_file.is_some() || key_of_environment().is_some()
}

/// Whatever is set is a key that was meant; what can be none, such as a line end or other bytes than text, is refused where
/// it would be sent.
fn key_of_environment() -> Option<String> {
    let key = env::var_os("CHANCERY_API_KEY").filter(|key| !key.is_empty())?;
    Some(without_line_end(&key.to_string_lossy()).to_owned())
}

pub(crate) fn read_key(path: &Path) -> Result<String, Failure> {
    let text = read_text("--api-key-file", path)?;
    Ok(without_line_end(&text).to_owned())
}
