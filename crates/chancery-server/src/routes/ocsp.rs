//! OCSP, for everybody.

use axum::{
    body::to_bytes,
    extract::{Request, State},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use chancery_types::Base64;

use crate::{
    answer::Failure,
    app::App,
    extract::{Anybody, InPath},
};

/// Bytes of a request: sixteen certificates and a nonce are 2 KiB.
const REQUEST_MAX: usize = 16 * 1024;

/// Where certificates stand. What cannot be answered is said in the answer, as RFC 6960 wants it.
#[utoipa::path(
    post,
    path = "/ocsp",
    tag = "Public",
    request_body(content = Vec<u8>, content_type = "application/ocsp-request"),
    responses((status = 200, description = "the answer", body = Vec<u8>, content_type = "application/ocsp-response")),
)]
pub(crate) async fn post(State(app): State<App>, visitor: Anybody, request: Request) -> Result<Response, Failure> {
    // What is too long or does not arrive is no request; the protocol has an answer for that.
    let request = to_bytes(request.into_body(), REQUEST_MAX).await.unwrap_or_default();
    Ok(answer(app.ocsp(&visitor, &request).await?))
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
    Ok(answer(app.ocsp(&visitor, &request).await?))
}

fn answer(response: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/ocsp-response")], response).into_response()
}
