//! What people sign to approve a proposal.

use axum::extract::State;
use chancery_types::{
    ProposalId,
    wire::{Envelope, passkeys::ApprovalStatements},
};

use crate::{
    answer::{Answer, secret},
    app::App,
    extract::{Authenticated, InPath},
};

/// What each member of the session signs with a passkey to approve the proposal, where that is demanded. Nothing is kept of
/// it, and it is good for some minutes, in this session, once. Refused where an approval would be. Needs Signing:Approve.
#[utoipa::path(
    get,
    path = "/api/v2/x509/proposals/{uuid}/approval-statement",
    tag = "Signing",
    params(("uuid" = ProposalId, Path, description = "The proposal")),
    responses((status = 200, body = Envelope<ApprovalStatements>)),
)]
pub(crate) async fn proposal_statement(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<ProposalId>,
) -> Answer<ApprovalStatements> {
    secret(app.approvals.proposal_statement(&caller, id).await?)
}
