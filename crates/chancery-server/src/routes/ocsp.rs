//! OCSP, for everybody.

use axum::{
    extract::State,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_core::OcspAnswer;
use chancery_types::Base64;

use crate::{
    answer::Failure,
    app::App,
    extract::{Anybody, InPath, VisitorBytes},
};

/// Where certificates stand. What cannot be answered is said in the answer, as RFC 6960 wants it.
#[utoipa::path(
    post,
    path = "/ocsp",
    tag = "Public",
    request_body(content = Vec<u8>, content_type = "application/ocsp-request"),
    responses((status = 200, description = "the answer", body = Vec<u8>, content_type = "application/ocsp-response")),
)]
pub(crate) async fn post(
    State(app): State<App>,
    visitor: Anybody,
    VisitorBytes(request): VisitorBytes,
) -> Result<Response, Failure> {
    let OcspAnswer { der, .. } = app.pki.ocsp(&visitor, &request).await?;
    Ok(answer(der))
}

/// The same; the request is in the path, in base64 and then URL-encoded. Slashes may be left as they are, since many
/// clients do so.
#[utoipa::path(
    get,
    path = "/ocsp/{*request}",
    tag = "Public",
    params(("request" = String, Path, description = "the request in base64, URL-encoded")),
    responses((status = 200, description = "the answer", body = Vec<u8>, content_type = "application/ocsp-response")),
)]
pub(crate) async fn get(
    State(app): State<App>,
    visitor: Anybody,
    InPath(request): InPath<String>,
) -> Result<Response, Failure> {
    let Base64(request) = Base64::decode(&request).unwrap_or_default();
    let OcspAnswer { der, is_lasting } = app.pki.ocsp(&visitor, &request).await?;
    // As with lists: a revocation may come at any time.
    let cached = is_lasting.then_some([(CACHE_CONTROL, "public, max-age=300, no-transform, must-revalidate")]);
    Ok(match cached {
        Some(cached) => (cached, answer(der)).into_response(),
        None => answer(der),
    })
}

fn answer(response: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/ocsp-response")], response).into_response()
}
