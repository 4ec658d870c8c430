//! Anybody: the caller of the few routes that need no login.

use std::{convert::Infallible, ops::Deref};

use axum::{extract::FromRequestParts, http::request::Parts};
use chancery_core::{RequestInfo, Visitor};

use crate::middleware;

/// A caller of whom only the request is known.
pub(crate) struct Anybody(pub(crate) Visitor);

impl Deref for Anybody {
    type Target = Visitor;

    fn deref(&self) -> &Visitor {
        &self.0
    }
}

impl<S: Sync> FromRequestParts<S> for Anybody {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Visitor { request: request_info(parts) }))
    }
}

/// The request's id and source, which the outermost layer has noted.
pub(super) fn request_info(parts: &Parts) -> RequestInfo {
    parts.extensions.get::<RequestInfo>().copied().unwrap_or_else(middleware::unknown_request)
}
