//! An archive of audit records, as a file.

use axum::{
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_types::wire::audit_archives::DownloadArchiveQuery;

use crate::{
    answer::Failure,
    app::App,
    extract::{Authenticated, Query},
};

/// The records of an archive as lines of an export of the ledger, each with its `leaf`: for a place of one's own, and for
/// `chancery audit verify --archive` once it was removed here. Needs Audit:Read, and is recorded. The answer has no envelope.
#[utoipa::path(
    get,
    path = "/api/v2/audit/archives/download",
    tag = "Audit",
    params(DownloadArchiveQuery),
    responses((status = 200, description = "the records", body = Vec<u8>, content_type = "application/x-ndjson")),
)]
pub(crate) async fn download_audit_archive(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<DownloadArchiveQuery>,
) -> Result<Response, Failure> {
    let DownloadArchiveQuery { first_leaf } = query;
    let (first_leaf, lines) = app.audit.audit_archive(&caller, first_leaf).await?;
    let name = format!("attachment; filename=\"audit-{}.jsonl\"", first_leaf.unwrap_or(0));
    Ok(([(CONTENT_TYPE, "application/x-ndjson".to_owned()), (CONTENT_DISPOSITION, name)], lines).into_response())
}
