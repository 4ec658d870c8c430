//! One target of notices.

use axum::extract::State;
use chancery_types::{
    NoticeTargetId,
    wire::{
        Empty, Envelope,
        notices::{NoticeTarget, PatchNoticeTarget},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// A target of notices; its secret is never answered.
#[utoipa::path(
    get,
    path = "/api/v2/notice-targets/{uuid}",
    tag = "Notices",
    params(("uuid" = NoticeTargetId, Path, description = "the target")),
    responses((status = 200, body = Envelope<NoticeTarget>)),
)]
pub(crate) async fn read_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<NoticeTargetId>,
) -> Answer<NoticeTarget> {
    success(app.notices.notice_target(&caller, id).await?)
}

/// Changes a target of notices. Two persons have to be logged in. It is tried again at once.
#[utoipa::path(
    patch,
    path = "/api/v2/notice-targets/{uuid}",
    tag = "Notices",
    params(("uuid" = NoticeTargetId, Path, description = "the target")),
    request_body = PatchNoticeTarget,
    responses((status = 200, body = Envelope<NoticeTarget>)),
)]
pub(crate) async fn change_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<NoticeTargetId>,
    Body(request): Body<PatchNoticeTarget>,
) -> Answer<NoticeTarget> {
    success(app.notices.change_notice_target(&caller, id, request).await?)
}

/// Removes a target of notices, and what waits for it. Two persons have to be logged in.
#[utoipa::path(
    delete,
    path = "/api/v2/notice-targets/{uuid}",
    tag = "Notices",
    params(("uuid" = NoticeTargetId, Path, description = "the target")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<NoticeTargetId>,
) -> Answer<Empty> {
    success(app.notices.delete_notice_target(&caller, id).await?)
}
