//! The one cookie: the secret of a session on its way to and from the client.

use axum::http::{HeaderMap, HeaderValue, header};
use chancery_core::Error;

/// The prefix makes browsers insist on Secure, on Path=/ and on no Domain.
pub(crate) const NAME: &str = "__Host-chancery";

const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Strict";

/// The value of the session cookie, if the request has one.
pub(crate) fn read(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).map(|(_, value)| value.to_owned())
}

/// The `Set-Cookie` that begins or continues a session; it lasts as long as the browser or the session does.
pub(crate) fn set(secret: &str) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_str(&format!("{NAME}={secret}; {ATTRIBUTES}")).map_err(Error::internal)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The `Set-Cookie` that ends a session.
pub(crate) fn clear() -> Result<HeaderValue, Error> {
    HeaderValue::from_str(&format!("{NAME}=; {ATTRIBUTES}; Max-Age=0")).map_err(Error::internal)
}
