//! What an authority demands of everything that it issues.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{
        Envelope,
        approval::{ApprovalRules, IssuerApproval},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Says who approves what an authority issues, under whichever profile; `numApprovals` 0 means nobody. Where it demands
/// approvals now, so does the change, which is then a proposal. Needs CertManage:Manage.
#[utoipa::path(
    put,
    path = "/api/v2/x509/{uuid}/approval",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the authority's certificate")),
    request_body = ApprovalRules,
    responses((status = 200, body = Envelope<IssuerApproval>)),
)]
pub(crate) async fn demand(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    Body(request): Body<ApprovalRules>,
) -> Answer<IssuerApproval> {
    success(app.pki.demand_approval(&caller, id, request).await?)
}
