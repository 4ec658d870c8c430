//! One target of the audit records.

use axum::extract::State;
use chancery_types::{
    AuditTargetId,
    wire::{
        Empty, Envelope,
        audit_targets::{AuditTarget, PatchAuditTarget},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// A target of the audit records, and how far it has them; its secret is never answered. Needs Audit:Read or
/// System:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/audit/targets/{uuid}",
    tag = "Audit",
    params(("uuid" = AuditTargetId, Path, description = "the target")),
    responses((status = 200, body = Envelope<AuditTarget>)),
)]
pub(crate) async fn read_audit_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<AuditTargetId>,
) -> Answer<AuditTarget> {
    success(app.audit.audit_target(&caller, id).await?)
}

/// Changes a target of the audit records. Two persons have to be logged in. It is tried again at once, and goes on where it
/// was.
#[utoipa::path(
    patch,
    path = "/api/v2/audit/targets/{uuid}",
    tag = "Audit",
    params(("uuid" = AuditTargetId, Path, description = "the target")),
    request_body = PatchAuditTarget,
    responses((status = 200, body = Envelope<AuditTarget>)),
)]
pub(crate) async fn change_audit_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<AuditTargetId>,
    Body(request): Body<PatchAuditTarget>,
) -> Answer<AuditTarget> {
    success(app.audit.change_audit_target(&caller, id, request).await?)
}

/// Removes a target of the audit records, and how far it has them. Two persons have to be logged in.
#[utoipa::path(
    delete,
    path = "/api/v2/audit/targets/{uuid}",
    tag = "Audit",
    params(("uuid" = AuditTargetId, Path, description = "the target")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete_audit_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<AuditTargetId>,
) -> Answer<Empty> {
    success(app.audit.delete_audit_target(&caller, id).await?)
}
