//! Submitting a signing request.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    signing_requests::{SubmitRequest, Submitted},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, SigningBody},
};

/// Submits a payload, or its digest, to be signed. Where the policy needs no approvals it is signed at once. Needs
/// Signing:Submit.
#[utoipa::path(
    post,
    path = "/api/v2/x509/signing-requests",
    tag = "Signing",
    request_body = SubmitRequest,
    responses((status = 200, body = Envelope<Submitted>)),
)]
pub(crate) async fn submit(
    State(app): State<App>,
    caller: Authenticated,
    SigningBody(body, unknown, _room): SigningBody<SubmitRequest>,
) -> Answer<Submitted> {
    let mut submitted = app.signing.submit_signing_request(&caller, body).await?;
    submitted.warnings.extend(unknown);
    success(submitted)
}
