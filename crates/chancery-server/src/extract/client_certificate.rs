//! The client certificate of the connection, for the login by it alone: no other call may look at it, since browsers show it
//! with whatever a page sends.

use std::{convert::Infallible, sync::Arc};

use axum::{extract::FromRequestParts, http::request::Parts};
use chancery_core::ShownCertificates;

use crate::{listen::ConnectionState, middleware::Peer};

/// What the connection knows of certificates.
pub(crate) struct ClientCertificate(Option<Arc<ConnectionState>>);

impl ClientCertificate {
    /// What the client has shown.
    pub(crate) fn shown(&self) -> Option<&ShownCertificates> {
        self.0.as_ref()?.certificates.get()?.as_ref()
    }

    /// Whether the client was asked for one.
    pub(crate) fn was_asked(&self) -> bool {
        self.0.as_ref().is_some_and(|connection| connection.certificates.get().is_some())
    }
}

impl<S: Sync> FromRequestParts<S> for ClientCertificate {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<Peer>().and_then(|peer| peer.connection.clone())))
    }
}
