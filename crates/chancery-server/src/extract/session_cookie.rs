//! The session cookie, for the routes that begin, continue and end sessions, and for those that take the same proof.

use axum::{extract::FromRequestParts, http::request::Parts};

use crate::{answer::Failure, credentials::check_same_origin, session_cookie};

/// The value of the session cookie, if there is one; a call that another origin's page made is refused.
pub(crate) struct SessionCookie(pub(crate) Option<String>);

impl<S: Sync> FromRequestParts<S> for SessionCookie {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        check_same_origin(parts)?;
        Ok(Self(session_cookie::read(&parts.headers)))
    }
}
