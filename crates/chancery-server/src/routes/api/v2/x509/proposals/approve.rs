//! Approving a proposal.

use axum::extract::State;
use chancery_types::{
    ProposalId,
    wire::{Envelope, proposals::Proposed, signing_requests::ApproveRequest},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Approves a proposal in the name of all identities of the session. The last approval that is needed puts it into
/// effect. Needs Signing:Approve.
#[utoipa::path(
    post,
    path = "/api/v2/x509/proposals/{uuid}/approve",
    tag = "Signing",
    params(("uuid" = ProposalId, Path, description = "The proposal")),
    request_body = Option<ApproveRequest>,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn approve_proposal(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<ProposalId>,
    BodyOrEmpty(body): BodyOrEmpty<ApproveRequest>,
) -> Answer<Proposed> {
    success(app.approvals.approve_proposal(&caller, id, body).await?)
}
