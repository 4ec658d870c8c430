//! The newest checkpoint of the audit ledger.

use axum::extract::State;
use chancery_types::wire::{Envelope, audit::AuditCheckpoint};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::Authenticated,
};

/// The newest checkpoint of the audit ledger, signed, and the key that it is verified with. Needs Audit:Read.
#[utoipa::path(
    get,
    path = "/api/v2/audit/checkpoint",
    tag = "Audit",
    responses((status = 200, body = Envelope<AuditCheckpoint>)),
)]
pub(crate) async fn audit_checkpoint(State(app): State<App>, caller: Authenticated) -> Answer<AuditCheckpoint> {
    success(app.audit.audit_checkpoint(&caller).await?)
}
