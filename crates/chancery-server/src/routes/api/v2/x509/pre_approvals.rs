//! Approving before there is a request.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    proposals::{CreatePreApproval, Proposed},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Proposes to approve beforehand: a list of digests, or so many requests of one submitter. It serves once it has the
/// approvals that its policy demands of requests. Needs Signing:Submit.
#[utoipa::path(
    post,
    path = "/api/v2/x509/pre-approvals",
    tag = "Signing",
    request_body = CreatePreApproval,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn create_pre_approval(
    State(app): State<App>,
    caller: Authenticated,
    Body(body): Body<CreatePreApproval>,
) -> Answer<Proposed> {
    success(app.signing.create_pre_approval(&caller, body).await?)
}
