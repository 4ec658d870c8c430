//! `/api/v2/notices`.

pub(crate) mod undelivered;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Items,
    notices::{Notice, NoticeQuery},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// What happened, the newest first, as far as the caller may see what it is about: approvers see all of requests and
/// proposals, submitters the own ones, everybody certificates, and who administers the server everything.
#[utoipa::path(
    get,
    path = "/api/v2/notices",
    tag = "Notices",
    params(NoticeQuery),
    responses((status = 200, body = Envelope<Items<Notice>>)),
)]
pub(crate) async fn list_notices(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<NoticeQuery>,
) -> Answer<Items<Notice>> {
    success(app.notices(&caller, query).await?)
}
