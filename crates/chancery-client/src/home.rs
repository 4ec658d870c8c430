//! Logging in, and the bearer token.

use chancery_types::{
    AuthType, Base64,
    wire::login::{AuthCredentials, HomeAnswer, LoginAnswer, LoginRequest, LoginState, TokenAnswer},
};
use serde::de::DeserializeOwned;

use crate::{
    Client, ClientError,
    transport::{Answer, json},
};

impl Client {
    /// Logs one identity in, in the session that earlier logins have begun.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn log_in(&mut self, username: &str, password: &str) -> Result<LoginState, ClientError> {
        let auth_credentials = AuthCredentials {
            username: Some(username.to_owned()),
            password: Some(Base64(password.as_bytes().to_vec())),
            api_key: None,
        };
        let request = LoginRequest { auth_credentials, auth_type: AuthType::Userpass };
        let answer = self.send("POST", "/home/v1/login", Some(json(&request)?))?;
        if let Some(cookie) = answer.cookie() {
            self.cookie = Some(cookie);
        }
        accepted::<LoginAnswer>(&answer).map(|answer| answer.response)
    }

    /// Takes a bearer token for the session; later calls carry it.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the session is not fully logged in.
    pub fn take_token(&mut self) -> Result<(), ClientError> {
        self.bearer = None;
        let answer = self.send("GET", "/home/v1/login/token", None)?;
        self.bearer = Some(accepted::<TokenAnswer>(&answer)?.token);
        Ok(())
    }

    /// Ends the session and forgets what it carried.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where there is no such session any more.
    pub fn log_out(&mut self) -> Result<(), ClientError> {
        let answer = self.send("POST", "/home/v1/logout", None)?;
        (self.bearer, self.cookie) = (None, None);
        accepted::<HomeAnswer>(&answer).map(drop)
    }
}

/// An answer of /home/v1 that is not a refusal.
fn accepted<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    if answer.status == 200 {
        return answer.json();
    }
    let message = answer.json::<HomeAnswer>()?.message;
    Err(ClientError::NotLoggedIn { status: answer.status, message })
}
