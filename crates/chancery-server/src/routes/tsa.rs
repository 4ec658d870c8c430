//! The time-stamping authority, for everybody.

use axum::{
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use chancery_core::{TimeStampAnswer, Visitor};
use chancery_types::ServiceId;

use crate::{
    answer::Failure,
    app::App,
    extract::{Anybody, InPath, VisitorBytes},
    metrics,
};

/// A time stamp (RFC 3161) of the default time-stamping authority. What cannot be stamped is said in the answer, as the
/// protocol wants it.
#[utoipa::path(
    post,
    path = "/tsa",
    tag = "Public",
    request_body(content = Vec<u8>, content_type = "application/timestamp-query"),
    responses(
        (status = 200, description = "the answer", body = Vec<u8>, content_type = "application/timestamp-reply"),
        (status = 404, description = "no time-stamping authority is deployed", content_type = "text/plain"),
    ),
)]
pub(crate) async fn default(
    State(app): State<App>,
    visitor: Anybody,
    VisitorBytes(request): VisitorBytes,
) -> Result<Response, Failure> {
    answer(&app, &visitor, None, &request).await
}

/// The same, of one authority among several.
#[utoipa::path(
    post,
    path = "/tsa/{serviceUuid}",
    tag = "Public",
    params(("serviceUuid" = ServiceId, Path, description = "the authority's service")),
    request_body(content = Vec<u8>, content_type = "application/timestamp-query"),
    responses(
        (status = 200, description = "the answer", body = Vec<u8>, content_type = "application/timestamp-reply"),
        (status = 404, description = "no such authority", content_type = "text/plain"),
    ),
)]
pub(crate) async fn one(
    State(app): State<App>,
    visitor: Anybody,
    InPath(service): InPath<ServiceId>,
    VisitorBytes(request): VisitorBytes,
) -> Result<Response, Failure> {
    answer(&app, &visitor, Some(service), &request).await
}

async fn answer(app: &App, visitor: &Visitor, service: Option<ServiceId>, request: &[u8]) -> Result<Response, Failure> {
    let TimeStampAnswer { der, is_granted } = app.signing.time_stamp(visitor, service, request).await?;
    metrics::count_time_stamp(is_granted);
    Ok(([(CONTENT_TYPE, "application/timestamp-reply")], der).into_response())
}
