//! Withdrawing a signing request.

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

/// Takes back a request that the session's identities submitted and that waits for approvals. Needs Signing:Submit.
#[utoipa::path(
    post,
    path = "/api/v2/x509/signing-requests/{uuid}/withdraw",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request")),
    request_body = Option<DecideRequest>,
    responses((status = 200, body = Envelope<Denied>)),
)]
pub(crate) async fn withdraw(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
    BodyOrEmpty(body): BodyOrEmpty<DecideRequest>,
) -> Answer<Denied> {
    success(app.signing.withdraw_signing_request(&caller, id, body).await?)
}
