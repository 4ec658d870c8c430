//! One try of a password: of the server itself or of a directory, and with the code of somebody who has a second factor.

use chancery_client::ClientError;
use chancery_types::wire::login::LoginState;

use super::{Attempt, is_code};
use crate::{client::inputs::somebody_is_there, failure::Failure, output, password_input::prompt, shown::Shown};

impl Attempt {
    /// Tries the password, with the code that was given. The server does not say what was wrong, so whoever is there and gave
    /// no code is told so and asked for one. It is not seen, as it may be the password once more; that is not sent.
    pub(super) fn with_code(
        &self,
        name: &str,
        password: &str,
        totp: Option<&str>,
    ) -> Result<Result<LoginState, ClientError>, Failure> {
        let first = self.try_once(name, password, totp);
        if totp.is_none()
            && somebody_is_there()
            && let Err(ClientError::NotLoggedIn { status: 401, message, .. }) = &first
        {
            output::note(Shown(message));
            let code = prompt(&format!("One-time code of {} (empty where there is none): ", Shown(name)))?;
            if is_code(&code) {
                return Ok(self.try_once(name, password, Some(&code)));
            }
            if !code.is_empty() {
                output::note("A one-time code has six digits. What was typed was not sent.");
            }
        }
        Ok(first)
    }

    /// Tries a password once: of the directory that was named, or of the server itself.
    fn try_once(&self, name: &str, password: &str, totp: Option<&str>) -> Result<LoginState, ClientError> {
        match self.directory {
            Some(directory) => self.client.log_in_by_ldap(directory, name, password, totp),
            None => self.client.log_in_with_totp(name, password, totp),
        }
    }
}
