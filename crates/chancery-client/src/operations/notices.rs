//! Who hears of what happens.

use chancery_types::{
    NoticeTargetId,
    wire::{
        Empty, Items, ListQuery, Results,
        notices::{
            CreateNoticeTarget, Notice, NoticeQuery, NoticeTarget, NoticeTested, PatchNoticeTarget, UndeliveredNotice,
            UndeliveredQuery,
        },
    },
};

super::operations! {
    OPERATIONS:
    /// The targets of notices.
    GET "/api/v2/notice-targets" => notice_targets() [? ListQuery] -> Results<NoticeTarget>;
    /// Makes a target of notices.
    POST "/api/v2/notice-targets" => create_notice_target() [< CreateNoticeTarget] -> NoticeTarget;
    /// A target of notices.
    GET "/api/v2/notice-targets/{id}" => notice_target(id: NoticeTargetId) -> NoticeTarget;
    /// Changes a target of notices.
    PATCH "/api/v2/notice-targets/{id}" => change_notice_target(id: NoticeTargetId) [< PatchNoticeTarget] -> NoticeTarget;
    /// Removes a target of notices.
    DELETE "/api/v2/notice-targets/{id}" => delete_notice_target(id: NoticeTargetId) -> Empty;
    /// Sends a notice to a target, and tells what came back.
    POST "/api/v2/notice-targets/{id}/test" => test_notice_target(id: NoticeTargetId) [< Empty] -> NoticeTested;
    /// What happened, as far as the caller may see it.
    GET "/api/v2/notices" => notices() [? NoticeQuery] -> Items<Notice>;
    /// What targets have not taken yet.
    GET "/api/v2/notices/undelivered" => undelivered_notices() [? UndeliveredQuery] -> Items<UndeliveredNotice>;
}
