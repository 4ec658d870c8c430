//! From options to a client that is logged in.

use std::{path::PathBuf, time::Duration};

use chancery_client::{Client, ClientError};
use chancery_types::wire::login::LoginState;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::{
    address::Address,
    servers::{self, SavedServer},
    target::{Credential, Target, refuse_half_key},
};
use crate::{
    failure::{Failure, While as _},
    output,
    shown::{Shown, escaped_json},
};

/// How long a server has to hear that a session of one command is over.
pub(crate) const END_WAIT: Duration = Duration::from_secs(5);

/// Which server, as whom, and how to answer. Every command has these last.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerOptions {
    /// Which of the servers that you have logged in to [default: the one of --server, the only one, or the one called
    /// default].
    #[arg(long, value_name = "NAME", env = "CHANCERY_SERVER_PROFILE")]
    pub(crate) server_profile: Option<String>,
    /// The server's address, such as `https://keys.example.org:8443`: to log in to it, or with an API key.
    #[arg(long, value_name = "URL", env = "CHANCERY_SERVER")]
    pub(crate) server: Option<Address>,
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
    /// Tells what somebody should know beside the answer, whatever reads that; what is shown of it does not repeat it.
    pub(crate) fn tell_warnings(&mut self) {
        let taken = self.response.as_object_mut().and_then(|members| members.remove("warnings"));
        for warning in taken.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str) {
            output::note(format_args!("chancery: {}", Shown(warning)));
        }
    }

    /// Writes the body as it came, but for a member of its response, which went elsewhere.
    pub(crate) fn print_without(&self, member: &str) -> Result<(), Failure> {
        let mut body: Value = serde_json::from_slice(&self.body)?;
        if let Some(members) = body["response"].as_object_mut() {
            members.remove(member);
        }
        output::line(escaped_json(&body.to_string()))
    }

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
        let target = Target::of_call(options)?;
        let (client, credential) = (target.client()?, target.credential(options)?);
        let mut connection = Self { client, output: options.output, saved: target.saved, state: None, api_key: None };
        match credential {
            Credential::Key(key) => {
                connection.log_in_by(&key)?;
                Ok(Self { api_key: Some(key), ..connection })
            }
            Credential::Session(session) => Ok(Self { client: connection.client.in_session(session), ..connection }),
        }
    }

    fn log_in_by(&mut self, key: &str) -> Result<(), Failure> {
        let state = self.client.stay_logged_in_by_key(key).doing("logging in by the API key")?;
        refuse_half_key(&state)?;
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
    fn end(mut self) -> Result<(), Failure> {
        if self.api_key.is_some() {
            // It ends by itself where the server cannot be told now.
            self.client.set_patience(END_WAIT);
            let _ended = self.client.log_out();
            return Ok(());
        }
        match self.saved {
            Some((name, server)) => servers::renew(&name, &server.session, self.client.session()),
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
