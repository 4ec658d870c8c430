//! `/api/v2/audit/archives`.

pub(crate) mod download;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Items,
    audit_archives::{ArchiveQuery, AuditArchive},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The archives of audit records that are not at hand any more, the oldest first. Needs Audit:Read.
#[utoipa::path(
    get,
    path = "/api/v2/audit/archives",
    tag = "Audit",
    params(ArchiveQuery),
    responses((status = 200, body = Envelope<Items<AuditArchive>>)),
)]
pub(crate) async fn audit_archives(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ArchiveQuery>,
) -> Answer<Items<AuditArchive>> {
    success(app.audit.audit_archives(&caller, query).await?)
}
