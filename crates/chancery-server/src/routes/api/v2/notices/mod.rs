//! `/api/v2/notices`.

mod events;
pub(crate) mod undelivered;

use axum::{
    Extension,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use chancery_types::wire::{
    Envelope, Items,
    notices::{Notice, NoticeQuery},
};

use crate::{
    answer::{Failure, success},
    app::App,
    extract::{Authenticated, Query},
    middleware::Peer,
};

/// What happened, the newest first, as far as the caller may see what it is about: approvers see all of requests and
/// proposals, submitters the own ones, everybody certificates, and who administers the server everything.
#[utoipa::path(
    get,
    path = "/api/v2/notices",
    tag = "Notices",
    params(NoticeQuery),
    responses((
        status = 200,
        description = "the page, or events as they happen",
        content((Envelope<Items<Notice>> = "application/json"), (String = "text/event-stream")),
    )),
)]
pub(crate) async fn list_notices(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<NoticeQuery>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    if events::are_wanted(&headers) {
        let peer = peer.as_deref();
        return events::events(app, (&caller, peer), query.kind, &headers).await;
    }
    Ok(success(app.notices.notices(&caller, query).await?)?.into_response())
}
