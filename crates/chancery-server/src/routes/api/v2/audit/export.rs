//! The audit records as lines.

use axum::{
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_core::Caller;
use chancery_types::wire::audit::AuditExportQuery;
use futures::{StreamExt as _, stream};
use tracing::warn;

use crate::{
    answer::{Failure, in_pieces},
    app::App,
    extract::{Authenticated, Query},
};

/// The audit records up to this call, the newest first, a line of JSON each; with `ledger` all of them, the oldest first, and
/// what proves that none was changed. Needs Audit:Read, and is recorded. The answer has no envelope; where it cannot be
/// finished, the connection breaks off.
#[utoipa::path(
    get,
    path = "/api/v2/audit/export",
    tag = "Audit",
    params(AuditExportQuery),
    responses((status = 200, description = "the records", body = Vec<u8>, content_type = "application/x-ndjson")),
)]
pub(crate) async fn export_audit(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<AuditExportQuery>,
) -> Result<Response, Failure> {
    let mut export = app.audit.begin_audit_export(&caller, query).await?;
    // The first piece before the head: what cannot begin is refused.
    let first = app.audit.continue_audit_export(&caller, &mut export).await?;
    let begun = (app, Caller::clone(&caller), export);
    let rest = stream::try_unfold(begun, |(app, caller, mut export)| async move {
        match app.audit.continue_audit_export(&caller, &mut export).await {
            Ok(piece) => Ok(piece.map(|piece| (piece, (app, caller, export)))),
            // Its head is gone already: all that is left is to break off, and to say why in the log.
            Err(error) => {
                warn!(error = &error as &dyn std::error::Error, "an export of the audit records breaks off");
                Err(error)
            }
        }
    });
    let headers =
        [(CONTENT_TYPE, "application/x-ndjson"), (CONTENT_DISPOSITION, "attachment; filename=\"audit.jsonl\"")];
    Ok((headers, in_pieces(stream::iter(first.map(Ok)).chain(rest))).into_response())
}
