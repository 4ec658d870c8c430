//! Trying a target of the audit records out.

use axum::extract::State;
use chancery_types::{
    AuditTargetId,
    wire::{Empty, Envelope, audit_targets::AuditTargetTested},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Sends the target something that is no record, and answers what came back. It is not sent again. Two persons have to be
/// logged in.
#[utoipa::path(
    post,
    path = "/api/v2/audit/targets/{uuid}/test",
    tag = "Audit",
    params(("uuid" = AuditTargetId, Path, description = "the target")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<AuditTargetTested>)),
)]
pub(crate) async fn test_audit_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<AuditTargetId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<AuditTargetTested> {
    success(app.audit.test_audit_target(&caller, id).await?)
}
