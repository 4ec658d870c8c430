//! `/api/v2/notice-targets`.

pub(crate) mod test;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, ListQuery, Results,
    notices::{CreateNoticeTarget, NoticeTarget},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, Query},
};

/// The targets of notices, with what became of their notices.
#[utoipa::path(
    get,
    path = "/api/v2/notice-targets",
    tag = "Notices",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<NoticeTarget>>)),
)]
pub(crate) async fn list_targets(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<NoticeTarget>> {
    success(app.notices.notice_targets(&caller, &query).await?)
}

/// Makes a target of notices. Two persons have to be logged in.
#[utoipa::path(
    post,
    path = "/api/v2/notice-targets",
    tag = "Notices",
    request_body = CreateNoticeTarget,
    responses((status = 200, body = Envelope<NoticeTarget>)),
)]
pub(crate) async fn create_target(
    State(app): State<App>,
    caller: Authenticated,
    Body(request): Body<CreateNoticeTarget>,
) -> Answer<NoticeTarget> {
    success(app.notices.create_notice_target(&caller, request).await?)
}
