//! What targets have not taken yet.

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Items,
    notices::{UndeliveredNotice, UndeliveredQuery},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// Notices that wait for their targets, the newest first, with why they failed the last time.
#[utoipa::path(
    get,
    path = "/api/v2/notices/undelivered",
    tag = "Notices",
    params(UndeliveredQuery),
    responses((status = 200, body = Envelope<Items<UndeliveredNotice>>)),
)]
pub(crate) async fn undelivered(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<UndeliveredQuery>,
) -> Answer<Items<UndeliveredNotice>> {
    success(app.notices.undelivered_notices(&caller, query).await?)
}
