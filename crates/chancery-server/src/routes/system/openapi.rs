//! The interface, described by itself.

use std::sync::{LazyLock, OnceLock};

use axum::{
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use chancery_core::Error;

use crate::{answer::Failure, routes::console, static_text::StaticText};

/// The same in prose, as the project keeps it.
const PROSE: &str = include_str!("../../../../../docs/INTERFACE.md");

/// The OpenAPI 3.1 document of this server.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "System",
    responses((status = 200, body = serde_json::Value, content_type = "application/json")),
)]
pub(crate) async fn document(headers: HeaderMap) -> Result<impl IntoResponse, Failure> {
    static DOCUMENT: OnceLock<StaticText> = OnceLock::new();
    let document = match DOCUMENT.get() {
        Some(document) => document,
        None => {
            let json = crate::openapi().to_json().map_err(Error::internal)?;
            DOCUMENT.get_or_init(|| StaticText::new(Vec::from(json)))
        }
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], document.answer(&headers)))
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
pub(crate) async fn prose(headers: HeaderMap) -> impl IntoResponse {
    static TEXT: LazyLock<StaticText> = LazyLock::new(|| StaticText::new(PROSE.as_bytes()));
    ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], TEXT.answer(&headers))
}
