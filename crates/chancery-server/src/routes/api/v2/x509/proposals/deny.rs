//! Denying a proposal.

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

/// Denies a proposal; one denial is enough. Needs Signing:Approve, or to have made it.
#[utoipa::path(
    post,
    path = "/api/v2/x509/proposals/{uuid}/deny",
    tag = "Signing",
    params(("uuid" = ProposalId, Path, description = "The proposal")),
    request_body = Option<DecideRequest>,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn deny_proposal(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<ProposalId>,
    BodyOrEmpty(body): BodyOrEmpty<DecideRequest>,
) -> Answer<Proposed> {
    success(app.approvals.deny_proposal(&caller, id, body).await?)
}
