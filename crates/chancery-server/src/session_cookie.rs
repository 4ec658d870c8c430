//! The cookies: the secret of a session on its way to and from the client, and what a login by a provider needs on its way
//! back.

use axum::http::{HeaderMap, HeaderValue, header};
use chancery_core::Error;

/// The prefix makes browsers insist on Secure, on Path=/ and on no Domain.
pub(crate) const NAME: &str = "__Host-chancery";

const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Strict";

/// The value of the session cookie, if the request has one.
pub(crate) fn read(headers: &HeaderMap) -> Option<String> {
    value_of(NAME, headers)
}

fn value_of(cookie: &str, headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == cookie).map(|(_, value)| value.to_owned())
}

/// The `Set-Cookie` that begins or continues a session; it lasts as long as the browser or the session does.
pub(crate) fn set(secret: &str) -> Result<HeaderValue, Error> {
    sensitive(&format!("{NAME}={secret}; {ATTRIBUTES}"))
}

/// The `Set-Cookie` that ends a session.
pub(crate) fn clear() -> Result<HeaderValue, Error> {
    HeaderValue::from_str(&format!("{NAME}=; {ATTRIBUTES}; Max-Age=0")).map_err(Error::internal)
}

fn sensitive(value: &str) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_str(value).map_err(Error::internal)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The cookie of a login by an identity provider.
pub(crate) mod login {
    use axum::http::{HeaderMap, HeaderValue};
    use chancery_core::Error;

    use super::{sensitive, value_of};

    const NAME: &str = "__Host-chancery-login";

    /// Lax, and not Strict: it is the provider's page that sends the browser back.
    const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Lax";

    /// The value of the cookie, if the request has one.
    pub(crate) fn read(headers: &HeaderMap) -> Option<String> {
        value_of(NAME, headers)
    }

    /// The `Set-Cookie` that begins a login; what it holds ends by itself after the same time.
    pub(crate) fn set(ticket: &str) -> Result<HeaderValue, Error> {
        sensitive(&format!("{NAME}={ticket}; {ATTRIBUTES}; Max-Age=600"))
    }

    /// The `Set-Cookie` that ends it.
    pub(crate) fn clear() -> Result<HeaderValue, Error> {
        HeaderValue::from_str(&format!("{NAME}=; {ATTRIBUTES}; Max-Age=0")).map_err(Error::internal)
    }
}
