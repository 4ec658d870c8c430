//! Certificate revocation lists, for everybody.

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

/// `.crl`
pub(crate) struct Crl;

impl Ending for Crl {
    const TEXT: &'static str = ".crl";
}

/// The newest revocation list of an authority, in DER.
#[utoipa::path(
    get,
    path = "/crl/{file}",
    tag = "Public",
    params(("file" = String, Path, description = "the authority's certificate's uuid, and `.crl`")),
    responses(
        (status = 200, description = "the list", body = Vec<u8>, content_type = "application/pkix-crl"),
        (status = 404, description = "no such authority", content_type = "text/plain"),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    visitor: Anybody,
    InPath(file): InPath<FileOf<Crl>>,
) -> Result<Response, Failure> {
    let list = app.revocation_list(&visitor, file.id).await?;
    Ok(([(CONTENT_TYPE, "application/pkix-crl")], list.der).into_response())
}
