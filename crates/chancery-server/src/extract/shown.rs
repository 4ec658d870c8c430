//! What a request shows, for the routes that ask less of a session than that it is complete.

use axum::{extract::FromRequestParts, http::request::Parts};
use chancery_core::{Credentials, RequestInfo};

use crate::{answer::Failure, credentials, extract::visitor};

/// The request and its credentials, which nobody has checked yet.
pub(crate) struct Shown {
    pub(crate) request: RequestInfo,
    pub(crate) credentials: Credentials<'static>,
}

impl<S: Sync> FromRequestParts<S> for Shown {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Ok(Self { request: visitor::request_info(parts), credentials: credentials::of(parts)?.into_owned() })
    }
}
