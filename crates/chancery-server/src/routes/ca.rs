//! Certificates of authorities, for everybody.

use axum::{
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};

use crate::{
    answer::Failure,
    app::App,
    extract::{Anybody, InPath},
    routes::public_file::{Ending, FileOf},
};

/// `.crt`
pub(crate) struct Crt;

impl Ending for Crt {
    const TEXT: &'static str = ".crt";
}

/// The certificate of a trusted authority, in DER.
#[utoipa::path(
    get,
    path = "/ca/{file}",
    tag = "Public",
    params(("file" = String, Path, description = "the authority's certificate's uuid, and `.crt`")),
    responses(
        (status = 200, description = "the certificate", body = Vec<u8>, content_type = "application/pkix-cert"),
        (status = 404, description = "no such authority", content_type = "text/plain"),
    ),
)]
pub(crate) async fn certificate(
    State(app): State<App>,
    visitor: Anybody,
    InPath(file): InPath<FileOf<Crt>>,
) -> Result<Response, Failure> {
    let der = app.pki.authority_certificate(&visitor, file.id).await?;
    Ok(([(CONTENT_TYPE, "application/pkix-cert")], der).into_response())
}
