//! Logging in, and the bearer token.

use chancery_types::{
    AuthType, Base64, IdentityProviderId,
    wire::{
        ObjInfo,
        api_keys::API_KEY_LEN,
        login::{
            AuthCredentials, BeginOidc, ChangePassword, ExchangeToken, HomeAnswer, LoginAnswer, LoginRequest,
            LoginState, OidcBegun, OidcProviders, PasskeyChallenge, PasskeyProof, SessionAnswer, SessionState,
            TokenAnswer, TokenExchanged, TotpCredentials, TotpSecret,
        },
    },
};
use serde::de::DeserializeOwned;
use ureq::http::header;

use crate::{
    Client, ClientError, Session,
    transport::{Answer, Carried, json},
};

/// A login by a provider that has begun. Whoever has it and comes back from the provider is logged in.
#[must_use]
pub struct OidcLogin {
    /// Where a browser goes to log in.
    pub authorization_url: String,
    cookie: String,
}

impl Client {
    /// Logs one identity in, in the session that earlier logins have begun.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn log_in(&self, username: &str, password: &str) -> Result<LoginState, ClientError> {
        self.log_in_with_totp(username, password, None)
    }

    /// The same with the one-time code of somebody who has a second factor.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn log_in_with_totp(
        &self,
        username: &str,
        password: &str,
        totp: Option<&str>,
    ) -> Result<LoginState, ClientError> {
        let auth_credentials = AuthCredentials { totp: totp.map(str::to_owned), ..typed(username, password) };
        self.log_in_with(&LoginRequest { auth_credentials, auth_type: AuthType::Userpass })
    }

    /// What a passkey is to sign for a login. It is for whoever has a browser, or an authenticator of their own: this crate has
    /// none.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn passkey_challenge(&self) -> Result<PasskeyChallenge, ClientError> {
        accepted(&self.send_once("POST", "/home/v1/login/passkey", None, Carried::Cookie)?)
    }

    /// Logs somebody in by the password and what a passkey of theirs has signed of [`passkey_challenge`](Self::passkey_challenge).
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn log_in_with_passkey(
        &self,
        username: &str,
        password: &str,
        passkey: PasskeyProof,
    ) -> Result<LoginState, ClientError> {
        let auth_credentials = AuthCredentials { passkey: Some(passkey), ..typed(username, password) };
        self.log_in_with(&LoginRequest { auth_credentials, auth_type: AuthType::Userpass })
    }

    /// Logs one identity in by its password in a directory, one of [`directories`](Self::directories), in the session that earlier
    /// logins have begun; with the one-time code of somebody who has a second factor here.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn log_in_by_ldap(
        &self,
        provider_uuid: IdentityProviderId,
        username: &str,
        password: &str,
        totp: Option<&str>,
    ) -> Result<LoginState, ClientError> {
        let auth_credentials = AuthCredentials {
            totp: totp.map(str::to_owned),
            provider_uuid: Some(provider_uuid),
            ..typed(username, password)
        };
        self.log_in_with(&LoginRequest { auth_credentials, auth_type: AuthType::Ldap })
    }

    /// Logs an application in by its API key.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses; [`ClientError::NotSent`] where this is no API key but, say,
    /// what stands in another file than was meant.
    pub fn log_in_by_key(&self, api_key: &str) -> Result<LoginState, ClientError> {
        // Those of former releases have no prefix.
        let is_of_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let random = api_key.strip_prefix("chk_").unwrap_or(api_key);
        if random.len() != API_KEY_LEN - "chk_".len() || !random.bytes().all(is_of_one) {
            return Err(ClientError::NotSent("this is no API key, which is chk_ and 43 letters, digits, - and _"));
        }
        let auth_credentials = AuthCredentials { api_key: Some(api_key.to_owned()), ..AuthCredentials::default() };
        self.log_in_with(&LoginRequest { auth_credentials, auth_type: AuthType::Apikey })
    }

    /// The same, and keeps the key: where the session has ended at some later call, that call logs in again. For whoever
    /// works for longer than a session lives.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn stay_logged_in_by_key(&self, api_key: &str) -> Result<LoginState, ClientError> {
        let mut kept = self.kept_key();
        let state = self.log_in_by_key(api_key)?;
        *kept = Some(api_key.to_owned());
        Ok(state)
    }

    /// After a call with this session was refused: takes another bearer token by the cookie, or logs in again by a key that
    /// was kept. Whether it is worth making the call again.
    pub(crate) fn enter_again(&self, refused: &Session) -> Result<bool, ClientError> {
        let kept = self.kept_key();
        if self.session() != *refused {
            // Another thread was faster.
            return Ok(true);
        }
        if refused.bearer.is_some() && refused.cookie.is_some() {
            match self.renew_token() {
                Ok(()) => return Ok(true),
                Err(ClientError::NotLoggedIn { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
        let Some(key) = kept.as_deref() else { return Ok(false) };
        if self.log_in_by_key(key)?.fully_logged_in {
            self.take_token()?;
        }
        Ok(true)
    }

    fn log_in_with(&self, request: &LoginRequest) -> Result<LoginState, ClientError> {
        // A token of the session would decide alone, and this is about the cookie.
        let answer = self.send_once("POST", "/home/v1/login", Some(&json(request)?), Carried::Cookie)?;
        if let Some(cookie) = answer.cookie() {
            self.locked().cookie = Some(cookie);
        }
        accepted::<LoginAnswer>(&answer).map(|answer| answer.response)
    }

    /// Logs in whom the certificate of [`with_certificate`](Self::with_certificate) stands for, in the session that earlier logins
    /// have begun. The server asks for it at the address of its `--client-cert-listen`.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn log_in_by_certificate(&self) -> Result<LoginState, ClientError> {
        let auth_credentials = AuthCredentials::default();
        self.log_in_with(&LoginRequest { auth_credentials, auth_type: AuthType::Certificate })
    }

    /// Exchanges a token of an identity provider for a bearer token of the identity that it stands for. Nothing prolongs it.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn exchange_token(&self, subject_token: &str) -> Result<LoginState, ClientError> {
        let body = ExchangeToken { subject_token: subject_token.to_owned() };
        let answer = self.send_once("POST", "/home/v1/login/exchange", Some(&json(&body)?), Carried::Cookie)?;
        let TokenExchanged { token, response, .. } = accepted(&answer)?;
        *self.locked() = Session { cookie: None, bearer: Some(token) };
        Ok(response)
    }

    /// The identity providers by which people log in.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn oidc_providers(&self) -> Result<Vec<ObjInfo<IdentityProviderId>>, ClientError> {
        self.ways_to_log_in().map(|answer| answer.providers)
    }

    /// The directories by whose passwords [`log_in_by_ldap`](Self::log_in_by_ldap) logs in.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn directories(&self) -> Result<Vec<ObjInfo<IdentityProviderId>>, ClientError> {
        self.ways_to_log_in().map(|answer| answer.directories)
    }

    fn ways_to_log_in(&self) -> Result<OidcProviders, ClientError> {
        accepted(&self.send_once("GET", "/home/v1/login/oidc", None, Carried::Cookie)?)
    }

    /// Begins the login of a person by a provider, in the session that earlier logins have begun. The provider sends the
    /// browser back to the server's callback: for whoever sees that address, [`finish_oidc`](Self::finish_oidc) ends the login.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn begin_oidc(&self, provider_uuid: IdentityProviderId) -> Result<OidcLogin, ClientError> {
        let body = BeginOidc { provider_uuid };
        let answer = self.send_once("POST", "/home/v1/login/oidc", Some(&json(&body)?), Carried::Cookie)?;
        let OidcBegun { authorization_url, .. } = accepted(&answer)?;
        let cookie = answer.cookie().ok_or_else(|| answer.unexpected(&"it sets no cookie"))?;
        Ok(OidcLogin { authorization_url, cookie })
    }

    /// Ends a login by a provider, by the query of the address that it sent the browser back to: what stands behind the
    /// question mark. Answers where the server sends the browser on. The session that follows may want a second person.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn finish_oidc(&self, login: OidcLogin, query: &str) -> Result<String, ClientError> {
        // It is good for one answer, whatever that is.
        let OidcLogin { cookie, .. } = login;
        let path = format!("/home/v1/login/oidc/callback?{query}");
        let answer = self.send_once("GET", &path, None, Carried::Login(&cookie))?;
        if answer.status != 303 {
            return Err(not_logged_in(&answer));
        }
        let on = answer.headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
        let on = on.ok_or_else(|| answer.unexpected(&"it redirects to nowhere"))?.to_owned();
        *self.locked() = Session { cookie: answer.cookie(), bearer: None };
        Ok(on)
    }

    /// Sets one's own password, by the present one; ends the sessions of the identity.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn change_password(&self, change: &ChangePassword) -> Result<(), ClientError> {
        let answer = self.send_once("POST", "/home/v1/login/password", Some(&json(change)?), Carried::Cookie)?;
        accepted::<HomeAnswer>(&answer).map(drop)
    }

    /// Makes a new secret of one-time codes, which is shown this once. Whoever has codes already, or a confirmed passkey, shows one
    /// of the two: a present code, or what the passkey has signed of [`passkey_challenge`](Self::passkey_challenge).
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn enrol_totp(&self, who: &TotpCredentials) -> Result<TotpSecret, ClientError> {
        self.totp("", who)
    }

    /// Makes the new secret count, by one of its codes.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn confirm_totp(&self, who: &TotpCredentials) -> Result<(), ClientError> {
        self.totp::<HomeAnswer>("/confirm", who).map(drop)
    }

    /// Takes the codes away, by one of them or by a passkey; ends the sessions of the identity.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the server refuses.
    pub fn remove_totp(&self, who: &TotpCredentials) -> Result<(), ClientError> {
        self.totp::<HomeAnswer>("/remove", who).map(drop)
    }

    fn totp<T: DeserializeOwned>(&self, what: &str, who: &TotpCredentials) -> Result<T, ClientError> {
        let path = format!("/home/v1/login/totp{what}");
        accepted(&self.send_once("POST", &path, Some(&json(who)?), Carried::Cookie)?)
    }

    /// Where the session stands, and who has logged in on it; of nobody, where there is none. Asking does not keep it from
    /// running out.
    ///
    /// # Errors
    ///
    /// Those of any call.
    pub fn session_state(&self) -> Result<SessionState, ClientError> {
        let answer = self.send_once("GET", "/home/v1/login", None, Carried::Best(None))?;
        accepted::<SessionAnswer>(&answer).map(|answer| answer.response)
    }

    /// Takes a bearer token for the session; later calls carry it.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where the session is not fully logged in.
    pub fn take_token(&self) -> Result<(), ClientError> {
        self.locked().bearer = None;
        self.renew_token()
    }

    /// Takes a new bearer token by the cookie, which lives as long as any.
    pub(crate) fn renew_token(&self) -> Result<(), ClientError> {
        let answer = self.send_once("GET", "/home/v1/login/token", None, Carried::Cookie)?;
        let token = accepted::<TokenAnswer>(&answer)?.token;
        self.locked().bearer = Some(token);
        Ok(())
    }

    /// Ends the session and forgets what it carried.
    ///
    /// # Errors
    ///
    /// [`ClientError::NotLoggedIn`] where there is no such session any more.
    pub fn log_out(&self) -> Result<(), ClientError> {
        *self.kept_key() = None;
        let answer = self.send_once("POST", "/home/v1/logout", None, Carried::Best(None))?;
        *self.locked() = Session::default();
        accepted::<HomeAnswer>(&answer).map(drop)
    }
}

/// What somebody types who logs in.
fn typed(username: &str, password: &str) -> AuthCredentials {
    AuthCredentials {
        username: Some(username.to_owned()),
        password: Some(Base64(password.as_bytes().to_vec())),
        ..AuthCredentials::default()
    }
}

/// An answer of /home/v1 that is not a refusal.
fn accepted<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    if answer.status == 200 {
        return answer.json();
    }
    Err(not_logged_in(answer))
}

/// Why somebody is not.
fn not_logged_in(answer: &Answer) -> ClientError {
    match answer.json() {
        Ok(HomeAnswer { message, error_code, .. }) => {
            ClientError::NotLoggedIn { status: answer.status, message, error_code }
        }
        Err(unexpected) => unexpected,
    }
}
