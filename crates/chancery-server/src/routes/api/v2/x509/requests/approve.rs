//! Approving what waits because of a request.

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

/// Approves a proposal, as `POST /api/v2/x509/proposals/{uuid}/approve` does. Needs Signing:Approve.
#[utoipa::path(
    post,
    path = "/api/v2/x509/requests/{uuid}/approve",
    tag = "Certificates",
    params(("uuid" = ProposalId, Path, description = "The proposal that the request was answered with")),
    request_body = Option<ApproveRequest>,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn approve_request(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<ProposalId>,
    BodyOrEmpty(body): BodyOrEmpty<ApproveRequest>,
) -> Answer<Proposed> {
    success(app.approvals.approve_proposal(&caller, id, body).await?)
}
