//! Withdrawing a proposal.

use axum::extract::State;
use chancery_types::{
    ProposalId,
    wire::{Envelope, proposals::Proposed, signing_requests::DecideRequest},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Takes back a proposal that the session's identities made and that waits for approvals. Needs what it
/// took to make it.
#[utoipa::path(
    post,
    path = "/api/v2/x509/proposals/{uuid}/withdraw",
    tag = "Signing",
    params(("uuid" = ProposalId, Path, description = "The proposal")),
    request_body = Option<DecideRequest>,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn withdraw_proposal(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<ProposalId>,
    BodyOrEmpty(body): BodyOrEmpty<DecideRequest>,
) -> Answer<Proposed> {
    success(app.approvals.withdraw_proposal(&caller, id, body).await?)
}
