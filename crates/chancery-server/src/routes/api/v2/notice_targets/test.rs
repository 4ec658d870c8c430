//! Trying a target of notices out.

use axum::extract::State;
use chancery_types::{
    NoticeTargetId,
    wire::{Empty, Envelope, notices::NoticeTested},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Sends a notice of the kind `Test` to the target at once, and answers what came back. It is not stored, and not sent
/// again. Two persons have to be logged in.
#[utoipa::path(
    post,
    path = "/api/v2/notice-targets/{uuid}/test",
    tag = "Notices",
    params(("uuid" = NoticeTargetId, Path, description = "the target")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<NoticeTested>)),
)]
pub(crate) async fn test_target(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<NoticeTargetId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<NoticeTested> {
    success(app.notices.test_notice_target(&caller, id).await?)
}
