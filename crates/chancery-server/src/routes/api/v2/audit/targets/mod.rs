//! `/api/v2/audit/targets`.

pub(crate) mod test;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, ListQuery, Results,
    audit_targets::{AuditTarget, CreateAuditTarget},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, Query},
};

/// The targets that the audit records are shipped to, and how far each has them. Needs Audit:Read or System:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/audit/targets",
    tag = "Audit",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<AuditTarget>>)),
)]
pub(crate) async fn list_audit_targets(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<AuditTarget>> {
    success(app.audit.audit_targets(&caller, &query).await?)
}

/// Makes a target of the audit records. Two persons have to be logged in.
#[utoipa::path(
    post,
    path = "/api/v2/audit/targets",
    tag = "Audit",
    request_body = CreateAuditTarget,
    responses((status = 200, body = Envelope<AuditTarget>)),
)]
pub(crate) async fn create_audit_target(
    State(app): State<App>,
    caller: Authenticated,
    Body(request): Body<CreateAuditTarget>,
) -> Answer<AuditTarget> {
    success(app.audit.create_audit_target(&caller, request).await?)
}
