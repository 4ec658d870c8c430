//! Submitting again what failed.

use axum::extract::State;
use chancery_types::{
    SigningRequestId,
    wire::{Empty, Envelope, signing_requests::Submitted},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Submits a request that failed, or that waited too long, as a new request of the session. Needs Signing:Submit.
#[utoipa::path(
    post,
    path = "/api/v2/x509/signing-requests/{uuid}/repeat",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The request that failed")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Submitted>)),
)]
pub(crate) async fn repeat(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Submitted> {
    success(app.signing.repeat_signing_request(&caller, id).await?)
}
