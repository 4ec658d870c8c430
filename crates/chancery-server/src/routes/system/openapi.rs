//! The interface, described by itself.

use std::sync::OnceLock;

use axum::{
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use chancery_core::Error;

use crate::{answer::Failure, routes::console};

/// The same in prose, as the project keeps it.
const PROSE: &str = include_str!("../../../../../docs/INTERFACE.md");

/// The OpenAPI 3.1 document of this server.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "System",
    responses((status = 200, body = serde_json::Value, content_type = "application/json")),
)]
pub(crate) async fn document() -> Result<impl IntoResponse, Failure> {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    let json = match DOCUMENT.get() {
        Some(json) => json,
        None => {
            let json = crate::openapi().to_json().map_err(Error::internal)?;
            DOCUMENT.get_or_init(|| json)
        }
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], json.as_str()))
}

/// The same document for people: a page that lists the operations with examples, makes calls, and shows INTERFACE.md.
#[utoipa::path(get, path = "/docs", tag = "System", responses((status = 200, body = String, content_type = "text/html")))]
pub(crate) async fn page(headers: HeaderMap) -> Result<Response, Failure> {
    console::documentation(&headers).await
}

/// What the server answers, endpoint by endpoint, in prose (Markdown).
#[utoipa::path(
    get,
    path = "/docs/interface.md",
    tag = "System",
    responses((status = 200, body = String, content_type = "text/markdown")),
)]
pub(crate) async fn prose() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], PROSE)
}
