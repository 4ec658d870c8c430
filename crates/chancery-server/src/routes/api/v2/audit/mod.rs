//! `/api/v2/audit`.

pub(crate) mod archives;
pub(crate) mod checkpoint;
pub(crate) mod export;
pub(crate) mod journal;
pub(crate) mod targets;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Items,
    audit::{AuditQuery, AuditRecord},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The audit records, the newest first. Needs Audit:Read.
#[utoipa::path(
    get,
    path = "/api/v2/audit",
    tag = "Audit",
    params(AuditQuery),
    responses((status = 200, body = Envelope<Items<AuditRecord>>)),
)]
pub(crate) async fn audit(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<AuditQuery>,
) -> Answer<Items<AuditRecord>> {
    success(app.audit.audit_records(&caller, query).await?)
}
