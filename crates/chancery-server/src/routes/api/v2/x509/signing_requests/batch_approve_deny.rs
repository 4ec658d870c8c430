//! Approving or denying many signing requests.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    signing_requests::{BatchDecideRequest, BatchDecided},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Approves or denies many requests, each by itself: what is refused for one leaves the others as they are. With `digest` it
/// is one decision over all of them: where one is refused, or is not as it was shown, none is decided on. Needs
/// Signing:Approve; to deny own ones, Signing:Submit.
#[utoipa::path(
    post,
    path = "/api/v2/x509/signing-requests/batch-approve-deny",
    tag = "Signing",
    request_body = BatchDecideRequest,
    responses((status = 200, body = Envelope<BatchDecided>)),
)]
pub(crate) async fn batch_approve_deny(
    State(app): State<App>,
    caller: Authenticated,
    Body(body): Body<BatchDecideRequest>,
) -> Answer<BatchDecided> {
    success(app.signing.batch_decide_signing_requests(&caller, body).await?)
}
