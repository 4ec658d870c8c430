//! The server: calls as whoever is logged in, who is logged in again where a key does that.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chancery_client::{Client, ClientError};
use cryptoki_sys::{CKR_PIN_INCORRECT, CKR_USER_NOT_LOGGED_IN};

use crate::{
    config::{Config, Credential, read_text},
    failure::{Failure, Result, wrong},
};

pub(crate) struct Server {
    client: Client,
    login: Mutex<Login>,
}

/// How one logs in, and how often that was done: two threads whose calls were refused log in once.
struct Login {
    key: Key,
    count: u64,
}

enum Key {
    /// None, or none yet.
    None,
    /// Read again for every login, so that it may be changed.
    File(std::path::PathBuf),
    Pin(String),
}

impl Server {
    pub(crate) fn new(config: &Config) -> Result<Self> {
        let Config { server, authorities, credential, .. } = config;
        if !server.starts_with("https://") {
            return Err(wrong("server: an address with https:// is expected"));
        }
        let client = Client::new(server, authorities).map_err(|error| Failure::from(error).about("server"))?;
        let (client, key) = match credential {
            Credential::Pin => (client, Key::None),
            Credential::KeyFile(file) => (client, Key::File(file.clone())),
            Credential::Session(session) => (client.in_session(session.clone()), Key::None),
        };
        Ok(Self { client, login: Mutex::new(Login { key, count: 0 }) })
    }

    /// A call, after a login where that is needed, and once more where the login had ended meanwhile.
    pub(crate) fn call<T>(&self, call: impl Fn(&Client) -> std::result::Result<T, ClientError>) -> Result<T> {
        let before = self.logged_in()?;
        match call(&self.client) {
            Err(error) if error.wants_login() => {
                self.log_in_again(before)?;
                Ok(call(&self.client)?)
            }
            outcome => Ok(outcome?),
        }
    }

    /// Logs in by a key that was given as the PIN.
    pub(crate) fn log_in_by(&self, key: &str) -> Result<()> {
        let mut login = self.login();
        let refused = |failure: Failure| {
            let is_key = failure.code() == CKR_USER_NOT_LOGGED_IN;
            if is_key { failure.with_code(CKR_PIN_INCORRECT) } else { failure }
        };
        self.enter(key).map_err(refused)?;
        *login = Login { key: Key::Pin(key.to_owned()), count: login.count + 1 };
        Ok(())
    }

    /// Logs in where nobody is yet; how many logins there have been.
    pub(crate) fn logged_in(&self) -> Result<u64> {
        let mut login = self.login();
        if login.count == 0 && matches!(login.key, Key::File(_)) {
            self.repeat(&mut login)?;
        }
        Ok(login.count)
    }

    /// Ends a session that was begun here; that of `chancery login` is not ours to end.
    pub(crate) fn log_out(&self) {
        let mut login = self.login();
        if login.count > 0 {
            login.count = 0;
            // It ends by itself where the server cannot be told now.
            let _ended = self.client.log_out();
        }
        if matches!(login.key, Key::Pin(_)) {
            login.key = Key::None;
        }
    }

    fn log_in_again(&self, before: u64) -> Result<()> {
        let mut login = self.login();
        // Another thread may have been faster.
        if login.count == before { self.repeat(&mut login) } else { Ok(()) }
    }

    fn repeat(&self, login: &mut Login) -> Result<()> {
        match &login.key {
            Key::None => {
                let says = "the login has ended: `chancery login`, or C_Login with an API key";
                return Err(Failure::told(CKR_USER_NOT_LOGGED_IN, says));
            }
            Key::File(file) => {
                let key = read_text(file);
                let key = key.map_err(|error| wrong(format!("api-key-file = {}: {error}", file.display())))?;
                let refused = |failure: Failure| match failure.code() {
                    CKR_USER_NOT_LOGGED_IN => failure.about(format!("api-key-file = {}", file.display())),
                    _ => failure,
                };
                self.enter(key.trim_end_matches(['\r', '\n'])).map_err(refused)?;
            }
            Key::Pin(key) => self.enter(key)?,
        }
        login.count += 1;
        Ok(())
    }

    fn enter(&self, key: &str) -> Result<()> {
        let state = self.client.log_in_by_key(key)?;
        if !state.fully_logged_in {
            let says = "the API key alone does not log in: its role takes two logins";
            return Err(Failure::told(CKR_USER_NOT_LOGGED_IN, says));
        }
        Ok(self.client.take_token()?)
    }

    /// Whatever a thread that panicked had written before is whole.
    fn login(&self) -> MutexGuard<'_, Login> {
        self.login.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
