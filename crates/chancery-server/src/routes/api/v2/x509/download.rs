//! A certificate as a file.

use axum::{
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_types::{CertificateId, wire::x509::DownloadQuery};

use crate::{
    answer::Failure,
    app::App,
    extract::{Authenticated, InPath, Query},
};

/// A certificate as a file, alone (`pem`, `der`) or with its issuers (`chain`, `pkcs7`). The answer has no envelope.
#[utoipa::path(
    get,
    path = "/api/v2/x509/{uuid}/download",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate"), DownloadQuery),
    responses((
        status = 200,
        description = "the file",
        content(
            (String = "application/x-pem-file"),
            (Vec<u8> = "application/pkix-cert"),
            (Vec<u8> = "application/pkcs7-mime"),
        ),
    )),
)]
pub(crate) async fn download(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    Query(query): Query<DownloadQuery>,
) -> Result<Response, Failure> {
    let file = app.pki.certificate_file(&caller, id, &query).await?;
    let name = format!("attachment; filename=\"{id}.{}\"", file.extension);
    Ok(([(CONTENT_TYPE, file.media_type.to_owned()), (CONTENT_DISPOSITION, name)], file.bytes).into_response())
}
