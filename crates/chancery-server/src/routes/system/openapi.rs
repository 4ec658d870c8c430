//! The interface, described by itself.

use std::sync::OnceLock;

use axum::{
    http::{HeaderValue, header},
    response::{Html, IntoResponse},
};
use chancery_core::Error;

use crate::answer::Failure;

/// A page without anything from elsewhere: its one script and its one style are its own files.
const PAGE: &str = include_str!("page/index.html");
const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");

const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                           base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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

/// The same document for people: a page that works offline.
#[utoipa::path(get, path = "/docs", tag = "System", responses((status = 200, body = String, content_type = "text/html")))]
pub(crate) async fn page() -> impl IntoResponse {
    ([(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY))], Html(PAGE))
}

/// The page's script.
#[utoipa::path(
    get,
    path = "/docs/page.js",
    tag = "System",
    responses((status = 200, body = String, content_type = "text/javascript")),
)]
pub(crate) async fn script() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], SCRIPT)
}

/// The page's style.
#[utoipa::path(
    get,
    path = "/docs/page.css",
    tag = "System",
    responses((status = 200, body = String, content_type = "text/css")),
)]
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}
