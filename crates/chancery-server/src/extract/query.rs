//! The query of a GET.

use axum::{extract::FromRequestParts, http::request::Parts};
use serde::de::DeserializeOwned;

use crate::{answer::Failure, decode};

/// The query's parameters as a `T`; unknown ones are ignored, as unknown members of a body are.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Ok(Self(decode::decode_query(parts.uri.query().unwrap_or_default())?))
    }
}
