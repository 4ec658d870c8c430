//! The transparency log, for everybody, in the layout of c2sp.org/tlog-tiles.

use axum::{
    extract::State,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_core::LogTile;

use crate::{
    answer::Failure,
    app::App,
    extract::{Anybody, InPath},
};

const TEXT: &str = "text/plain; charset=utf-8";

/// What is in a tile never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The newest signed checkpoint of the transparency log.
#[utoipa::path(
    get,
    path = "/log/checkpoint",
    tag = "Public",
    responses((status = 200, description = "a signed note", body = String, content_type = "text/plain")),
)]
pub(crate) async fn checkpoint(State(app): State<App>, visitor: Anybody) -> Result<Response, Failure> {
    let checkpoint = app.log.log_checkpoint(&visitor).await?;
    Ok(([(CONTENT_TYPE, TEXT), (CACHE_CONTROL, "no-cache")], checkpoint).into_response())
}

/// The public key that checkpoints are verified with, under the log's name. Compare it with what you were given on
/// another way.
#[utoipa::path(
    get,
    path = "/log/vkey",
    tag = "Public",
    responses((status = 200, description = "NAME+ID+KEY", body = String, content_type = "text/plain")),
)]
pub(crate) async fn vkey(State(app): State<App>, visitor: Anybody) -> Response {
    ([(CONTENT_TYPE, TEXT), (CACHE_CONTROL, "no-cache")], format!("{}\n", app.log.log_key(&visitor))).into_response()
}

/// A tile of the log's hashes, or a bundle of its entries.
#[utoipa::path(
    get,
    path = "/log/tile/{*tile}",
    tag = "Public",
    params(("tile" = String, Path, description = "`0/x001/x234/067`, `1/000.p/17`, `entries/000`: level or `entries`, number, and the width of a partial one")),
    responses(
        (status = 200, description = "hashes, or entries after their length", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, description = "the log does not reach so far", content_type = "text/plain"),
    ),
)]
pub(crate) async fn tile(
    State(app): State<App>,
    visitor: Anybody,
    InPath(tile): InPath<LogTile>,
) -> Result<Response, Failure> {
    let bytes = app.log.log_tile(&visitor, tile).await?;
    Ok(([(CONTENT_TYPE, "application/octet-stream"), (CACHE_CONTROL, FOR_EVER)], bytes).into_response())
}
