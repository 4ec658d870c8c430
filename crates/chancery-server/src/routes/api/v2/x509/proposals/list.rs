//! The proposals that there are.

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Items,
    proposals::{ProposalQuery, ProposalStub},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The proposals that the caller may see: approvers and deployers all of them, others those that they made or may use.
/// Needs Signing:Approve, Services:Deploy, Signing:Submit, CertManage:Generate or CertManage:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/x509/proposals",
    tag = "Signing",
    params(ProposalQuery),
    responses((status = 200, body = Envelope<Items<ProposalStub>>)),
)]
pub(crate) async fn list_proposals(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ProposalQuery>,
) -> Answer<Items<ProposalStub>> {
    success(app.approvals.proposals(&caller, query).await?)
}
