//! Revocation lists as a file.

use axum::{
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_types::wire::x509::CrlExportQuery;

use crate::{
    answer::Failure,
    app::App,
    extract::{Authenticated, Query},
};

/// The newest revocation lists of all authorities whose keys are here, one after the other in PEM; or that of one, in PEM or
/// DER. The answer has no envelope.
#[utoipa::path(
    get,
    path = "/api/v2/x509/crls/export",
    tag = "Certificates",
    params(CrlExportQuery),
    responses((
        status = 200,
        description = "the file",
        content((String = "application/x-pem-file"), (Vec<u8> = "application/pkix-crl")),
    )),
)]
pub(crate) async fn export(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<CrlExportQuery>,
) -> Result<Response, Failure> {
    let file = app.pki.exported_lists(&caller, &query).await?;
    let name = format!("attachment; filename=\"crls.{}\"", file.extension);
    Ok(([(CONTENT_TYPE, file.media_type.to_owned()), (CONTENT_DISPOSITION, name)], file.bytes).into_response())
}
