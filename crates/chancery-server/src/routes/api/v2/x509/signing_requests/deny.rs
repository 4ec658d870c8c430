//! Denying a signing request.

use axum::extract::State;
use chancery_types::{
    SigningRequestId,
    wire::{
        Envelope,
        signing_requests::{DecideRequest, Denied},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Denies a request; one denial is enough. Needs Signing:Approve, or Signing:Submit for the own ones.
#[utoipa::path(
    post,
    path = "/api/v2/x509/signing-requests/{uuid}/deny",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request")),
    request_body = Option<DecideRequest>,
    responses((status = 200, body = Envelope<Denied>)),
)]
pub(crate) async fn deny(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
    BodyOrEmpty(body): BodyOrEmpty<DecideRequest>,
) -> Answer<Denied> {
    success(app.signing.deny_signing_request(&caller, id, body).await?)
}
