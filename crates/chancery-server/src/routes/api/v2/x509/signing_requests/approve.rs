//! Approving a signing request.

use axum::extract::State;
use chancery_types::{
    SigningRequestId,
    wire::{
        Envelope,
        signing_requests::{ApproveRequest, Approved},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Approves a request in the name of all identities of the session. The last approval that is needed signs it, and the
/// answer then has the signature. Needs Signing:Approve.
#[utoipa::path(
    post,
    path = "/api/v2/x509/signing-requests/{uuid}/approve",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request")),
    request_body = Option<ApproveRequest>,
    responses((status = 200, body = Envelope<Approved>)),
)]
pub(crate) async fn approve(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
    BodyOrEmpty(body): BodyOrEmpty<ApproveRequest>,
) -> Answer<Approved> {
    success(app.signing.approve_signing_request(&caller, id, body).await?)
}
