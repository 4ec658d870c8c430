//! The ids in the path.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use chancery_core::{Error, Meaning};

use crate::answer::Failure;

/// The one variable part of the path. What cannot be an id is answered like an id that nothing has.
pub(crate) struct InPath<T>(pub(crate) T);

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for InPath<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let text = Path::<String>::from_request_parts(parts, state).await.ok().map(|Path(text)| text);
        let id = text.and_then(|text| text.parse().ok());
        id.map(Self).ok_or_else(|| Error::new(Meaning::NotFound, "There is no such object.").into())
    }
}

/// The two variable parts of the path.
pub(crate) struct BothInPath<A, B>(pub(crate) A, pub(crate) B);

impl<S: Send + Sync, A: FromStr, B: FromStr> FromRequestParts<S> for BothInPath<A, B> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let texts = Path::<(String, String)>::from_request_parts(parts, state).await.ok().map(|Path(texts)| texts);
        let ids = texts.and_then(|(first, second)| Some(Self(first.parse().ok()?, second.parse().ok()?)));
        ids.ok_or_else(|| Error::new(Meaning::NotFound, "There is no such object.").into())
    }
}
