//! One proposal in full.

use axum::extract::State;
use chancery_types::{
    ProposalId,
    wire::{Envelope, proposals::Proposal},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// One proposal in full, with the text that is approved, and the uses of a pre-approval. Needs Signing:Approve,
/// Services:Deploy, Signing:Submit, CertManage:Generate or CertManage:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/x509/proposals/{uuid}",
    tag = "Signing",
    params(("uuid" = ProposalId, Path, description = "The proposal")),
    responses((status = 200, body = Envelope<Proposal>)),
)]
pub(crate) async fn read_proposal(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<ProposalId>,
) -> Answer<Proposal> {
    success(app.approvals.proposal(&caller, id).await?)
}
