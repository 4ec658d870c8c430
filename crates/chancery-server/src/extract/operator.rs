//! Who operates the installation.

use std::ops::Deref;

use axum::{extract::FromRequestParts, http::request::Parts};
use chancery_core::Caller;

use crate::{
    answer::Failure,
    app::App,
    extract::{Shown, body::keep_caller},
};

/// A fully logged-in caller, by a cookie session also while API access is off: for the settings, which switch it on.
pub(crate) struct Operator(Caller);

impl Deref for Operator {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl FromRequestParts<App> for Operator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        let Shown { request, credentials } = Shown::from_request_parts(parts, app).await?;
        let caller = app.identities.authenticate_operator(request, credentials).await?;
        keep_caller(parts, &caller);
        Ok(Self(caller))
    }
}
