//! Who hears of what happens.

use chancery_types::{
    IdentityId, NoticeTargetId,
    wire::{
        Empty, Items, ListQuery, Results,
        mailboxes::{ConfirmMailbox, PersonalMailbox, SetMailbox},
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
    /// Where an identity has what concerns it sent.
    GET "/api/v2/identities/{id}/mailbox" => mailbox(id: IdentityId) -> PersonalMailbox;
    /// Sets where one's own notices go; a new address is mailed a code.
    PUT "/api/v2/identities/{id}/mailbox" => set_mailbox(id: IdentityId) [< SetMailbox] -> PersonalMailbox;
    /// Removes a mailbox.
    DELETE "/api/v2/identities/{id}/mailbox" => remove_mailbox(id: IdentityId) -> Empty;
    /// Confirms a new address by its code.
    POST "/api/v2/identities/{id}/mailbox/confirm" => confirm_mailbox(id: IdentityId) [< ConfirmMailbox] -> PersonalMailbox;
}
