//! From options to a client that is logged in.

use std::{env, fs, io, path::PathBuf};

use chancery_client::{Client, ClientError};
use chancery_types::wire::login::LoginState;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::{
    exit::{Exit, told_with, usage},
    servers::{self, SavedServer},
};
use crate::{
    failure::{Failure, While as _},
    output,
    password_input::without_line_end,
    shown::escaped_json,
};

/// Where the system keeps the authorities that its programs trust.
const SYSTEM_AUTHORITIES: [&str; 2] = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// Which server, as whom, and how to answer. Every command has these last.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerOptions {
    /// Which of the servers that you have logged in to [default: the only one, or the one called default].
    #[arg(long, value_name = "NAME", env = "CHANCERY_SERVER_PROFILE")]
    pub(crate) server_profile: Option<String>,
    /// The server's address, such as `https://keys.example.org:8443`: to log in to it, or with an API key.
    #[arg(long, value_name = "URL", env = "CHANCERY_SERVER")]
    pub(crate) server: Option<String>,
    /// The authorities whose certificates the server may present, PEM [default: those of the system].
    #[arg(long, value_name = "FILE", env = "CHANCERY_CA")]
    pub(crate) ca: Option<PathBuf>,
    /// File with an application's API key; otherwise CHANCERY_API_KEY. It is used in the place of a login.
    #[arg(long, value_name = "FILE", env = "CHANCERY_API_KEY_FILE")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// How to answer: for people, or as the server answers (JSON, a body a line).
    #[arg(long, value_name = "FORMAT", env = "CHANCERY_OUTPUT", default_value = "table")]
    pub(crate) output: Output,
}

/// How to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Table,
    /// The server's own bodies.
    Json,
}

/// A client, and how it came to be logged in.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) output: Output,
    /// The profile it is of, where it is of one.
    pub(crate) saved: Option<(String, SavedServer)>,
    /// What a login of this command was answered with.
    pub(crate) state: Option<LoginState>,
    /// The key that it was logged in with, for this command alone.
    api_key: Option<String>,
}

/// What a server answered.
pub(crate) struct Answer {
    body: Vec<u8>,
    /// The envelope's `response`.
    pub(crate) response: Value,
}

impl Answer {
    /// Writes the body as it came.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        output::line(escaped_json(&String::from_utf8_lossy(&self.body)))
    }
}

/// Does something as whoever is logged in, or by an API key.
pub(crate) fn logged_in<T>(
    options: &ServerOptions,
    act: impl FnOnce(&mut Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut connection = Connection::open(options)?;
    let outcome = act(&mut connection);
    let ended = connection.end();
    let done = outcome?;
    ended.map(|()| done)
}

impl Connection {
    fn open(options: &ServerOptions) -> Result<Self, Failure> {
        let (client, saved) = reach(options)?;
        let key = api_key(options)?;
        let key = match (key, &saved) {
            (None, Some((_, SavedServer { api_key_file: Some(file), .. }))) => Some(read_key(file)?),
            (key, _) => key,
        };
        let mut connection = Self { client, output: options.output, saved, state: None, api_key: None };
        if let Some(key) = key {
            connection.log_in_by(&key)?;
            connection.api_key = Some(key);
            return Ok(connection);
        }
        connection.take_up_session(options)
    }

    /// Goes on with the session of the last login.
    fn take_up_session(self, options: &ServerOptions) -> Result<Self, Failure> {
        let Some((name, server)) = &self.saved else {
            let how = "Log in first: chancery login --server URL --ca FILE; or set CHANCERY_API_KEY.";
            return Err(told_with(Exit::NotLoggedIn, "nobody is logged in", how));
        };
        if options.server.as_ref().is_some_and(|given| given.trim_end_matches('/') != server.server) {
            let message = format!("the login of the profile {name} is for {}", server.server);
            return Err(told_with(
                Exit::NotLoggedIn,
                message,
                "Log in to --server first, or name its --server-profile.",
            ));
        }
        if !server.is_logged_in() {
            let message = match server.state {
                Some(_) => format!("{} alone is logged in, and the role takes two logins", server.names.join(", ")),
                None => format!("nobody is logged in at {}", server.server),
            };
            return Err(told_with(Exit::NotLoggedIn, message, format!("chancery login --server-profile {name}")));
        }
        let client = self.client.in_session(server.session.clone());
        Ok(Self { client, ..self })
    }

    fn log_in_by(&mut self, key: &str) -> Result<(), Failure> {
        let state = self.client.log_in_by_key(key).doing("logging in by the API key")?;
        if !state.fully_logged_in {
            let message = "the API key alone does not log in: its role takes two logins";
            return Err(told_with(Exit::NotLoggedIn, message, "Give the application a role that takes one."));
        }
        self.state = Some(state);
        Ok(self.client.take_token()?)
    }

    /// Whether it can log in again by itself, however long it takes.
    pub(crate) const fn has_key(&self) -> bool {
        self.api_key.is_some()
    }

    /// Logs in again, where that can be done without asking.
    pub(crate) fn log_in_again(&mut self) -> Result<bool, Failure> {
        match self.api_key.clone() {
            Some(key) => self.log_in_by(&key).map(|()| true),
            None => Ok(false),
        }
    }

    /// What was renewed is kept for the next command; a session of this command alone is ended.
    fn end(self) -> Result<(), Failure> {
        if self.api_key.is_some() {
            // It ends by itself where the server cannot be told now.
            let _ended = self.client.log_out();
            return Ok(());
        }
        match self.saved {
            Some((name, mut server)) => {
                server.session = self.client.session();
                servers::save(&name, &server)
            }
            None => Ok(()),
        }
    }

    /// Any call of the interface.
    pub(crate) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Answer, ClientError> {
        let body = self.client.body(method, path, body.map(Value::to_string).as_deref())?;
        let parsed: Result<Value, _> = serde_json::from_slice(&body);
        let response = match parsed {
            Ok(mut envelope) => envelope.get_mut("response").map(Value::take).unwrap_or(envelope),
            Err(error) => return Err(ClientError::Unexpected { status: 200, why: error.to_string() }),
        };
        Ok(Answer { body, response })
    }

    /// `response` of a GET.
    pub(crate) fn get(&self, path: &str) -> Result<Value, ClientError> {
        Ok(self.call("GET", path, None)?.response)
    }
}

/// A client of the server that is meant, without a session, and its profile where it has one.
pub(crate) fn reach(options: &ServerOptions) -> Result<(Client, Option<(String, SavedServer)>), Failure> {
    // An address alone, as programs have it, is nobody's profile.
    let is_apart = options.server.is_some() && options.server_profile.is_none() && api_key(options)?.is_some();
    let saved = if is_apart {
        None
    } else {
        let name = servers::chosen(options.server_profile.as_deref())?;
        servers::load(&name)?.map(|server| (name, server))
    };
    if let (None, Some(name)) = (&saved, &options.server_profile)
        && options.server.is_none()
    {
        let known = servers::all()?;
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let message = format!("--server-profile {name}: there is no such profile");
        return Err(told_with(Exit::Usage, message, format!("Profiles that there are: {known}.")));
    }
    let server = options.server.clone().or_else(|| Some(saved.as_ref()?.1.server.clone()));
    let Some(server) = server else {
        let how = "Log in first: chancery login --server URL --ca FILE; or set CHANCERY_SERVER and CHANCERY_API_KEY.";
        return Err(told_with(Exit::NotLoggedIn, "no server is known", how));
    };
    if !server.starts_with("https://") {
        return Err(usage(format!("--server {server}: an address with https:// is expected")));
    }
    let ca = authorities(options, saved.as_ref().map(|(_, server)| server.ca.as_str()))?;
    Ok((Client::new(&server, ca.as_bytes())?, saved))
}

/// Whom the server's certificate may be of: as given, as kept, or as the system has it.
pub(crate) fn authorities(options: &ServerOptions, kept: Option<&str>) -> Result<String, Failure> {
    if let Some(path) = &options.ca {
        return fs::read_to_string(path).map_err(|error| unreadable("--ca", path, &error));
    }
    if let Some(kept) = kept {
        return Ok(kept.to_owned());
    }
    let named = env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let mut places = named.into_iter().chain(SYSTEM_AUTHORITIES.map(PathBuf::from));
    let none = || usage("--ca FILE is needed: the system has no file of authorities that it trusts");
    places.find_map(|path| fs::read_to_string(path).ok()).ok_or_else(none)
}

/// The API key that is given, if one is.
pub(crate) fn api_key(options: &ServerOptions) -> Result<Option<String>, Failure> {
    match &options.api_key_file {
        Some(path) => read_key(path).map(Some),
        None => Ok(env::var("CHANCERY_API_KEY").ok().filter(|key| !key.is_empty())),
    }
}

fn read_key(path: &PathBuf) -> Result<String, Failure> {
    let text = fs::read_to_string(path).map_err(|error| unreadable("--api-key-file", path, &error))?;
    Ok(without_line_end(&text).to_owned())
}

fn unreadable(option: &str, path: &std::path::Path, error: &io::Error) -> Failure {
    usage(format!("{option} {}: {error}", path.display()))
}
