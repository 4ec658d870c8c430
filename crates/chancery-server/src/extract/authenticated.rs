//! Who calls.

use std::{ops::Deref, sync::Arc};

use axum::{extract::FromRequestParts, http::request::Parts};
use chancery_core::{Caller, IdempotentCall};

use crate::{
    answer::Failure,
    app::App,
    credentials,
    extract::{body::keep_caller, visitor},
    middleware::Peer,
};

/// A fully logged-in caller; every route but the few public ones demands one.
pub(crate) struct Authenticated(pub(crate) Caller);

impl Deref for Authenticated {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl FromRequestParts<App> for Authenticated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let credentials = credentials::of(parts)?;
        let caller = app.identities.authenticate(visitor::request_info(parts), credentials).await?;
        if let Some(peer) = parts.extensions.get::<Peer>() {
            peer.is_known();
        }
        let caller = match parts.extensions.get::<Arc<IdempotentCall>>() {
            Some(call) => caller.repeatably(Arc::clone(call)),
            None => caller,
        };
        keep_caller(parts, &caller);
        Ok(Self(caller))
    }
}
