//! Approving or denying many proposals.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    proposals::{BatchDecideProposals, BatchDecidedProposals},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Approves or denies many proposals, each by itself: what is refused for one leaves the others as they are. Needs
/// Signing:Approve; to deny own ones, what it took to make them.
#[utoipa::path(
    post,
    path = "/api/v2/x509/proposals/batch-approve-deny",
    tag = "Signing",
    request_body = BatchDecideProposals,
    responses((status = 200, body = Envelope<BatchDecidedProposals>)),
)]
pub(crate) async fn batch_decide_proposals(
    State(app): State<App>,
    caller: Authenticated,
    Body(body): Body<BatchDecideProposals>,
) -> Answer<BatchDecidedProposals> {
    success(app.approvals.batch_decide_proposals(&caller, body).await?)
}
