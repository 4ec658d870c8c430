//! Bodies under `/api/v2/notice-targets` and `/api/v2/notices`.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, signing_requests::ApprovalCount};
use crate::{
    Base64, IdentityId, NoticeId, NoticeKind, NoticeObject, NoticeTargetId, ObjectId, ServiceId, WebhookShape,
};

/// A webhook: a server elsewhere that takes notices by POST.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Webhook {
    /// Where it is: `https://…`. Addresses that are not public are refused unless the server's start options list their
    /// network; redirects are not followed.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 2048))]
    pub url: String,
    /// In which form it gets notices.
    pub shape: WebhookShape,
}

/// A mailbox that notices are sent to by the server's SMTP relay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Mailbox {
    /// One address, such as `releases@example.org`: of a person or of a list.
    #[cfg_attr(feature = "schema", schema(min_length = 3, max_length = 254))]
    pub address: String,
}

/// What a new target of notices shall be: a webhook or a mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateNoticeTarget {
    /// Its name, unique without regard to letter case.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// Where notices go by webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// Where they go by e-mail, in the place of `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Mailbox>,
    /// The key by which notices are signed: 24 to 64 bytes. Receivers know it as `whsec_` and the same base64. It is never
    /// answered. A webhook of the shape `Chancery` needs one, a mailbox has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Base64>,
    /// Which notices it gets; all of them where this is empty or absent.
    #[serde(default)]
    pub kinds: Vec<NoticeKind>,
    /// Only notices about requests and proposals of these services; of all where this is empty or absent. Certificates and
    /// refused rows belong to no service.
    #[serde(default)]
    pub service_uuids: Vec<ServiceId>,
    /// Whether it gets notices; yes where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// What is to be changed of a target. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchNoticeTarget {
    /// A new name.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// Where notices go from now on: the address in full, also where a part of it is not shown.
    #[serde(default)]
    pub webhook: Option<Webhook>,
    /// The mailbox that they go to from now on. A webhook stays one, and a mailbox a mailbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Mailbox>,
    /// A new key by which notices are signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Base64>,
    /// Which notices it gets from now on; an empty list stands for all.
    #[serde(default)]
    pub kinds: Option<Vec<NoticeKind>>,
    /// Of which services; an empty list stands for all.
    #[serde(default)]
    pub service_uuids: Option<Vec<ServiceId>>,
    /// Whether it gets notices at all. What happens while it gets none is not told later.
    #[serde(default)]
    pub enabled: Option<bool>,
}

/// A target of notices; its secret is never answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NoticeTarget {
    /// Its id, as in `objInfo`.
    pub uuid: NoticeTargetId,
    /// Name and id.
    pub obj_info: ObjInfo<NoticeTargetId>,
    /// Where notices go by webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Webhook>,
    /// Where they go by e-mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Mailbox>,
    /// Whether notices are signed.
    pub has_secret: bool,
    /// Which notices it gets; all of them where this is empty.
    pub kinds: Vec<NoticeKind>,
    /// Of which services; of all where this is empty.
    pub service_uuids: Vec<ServiceId>,
    /// Whether it gets notices at all.
    pub enabled: bool,
    /// When it was made: RFC 3339, UTC.
    pub created_at: String,
    /// What became of its notices.
    pub deliveries: DeliveryState,
}

/// What became of the notices to a target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DeliveryState {
    /// Notices that wait.
    pub waiting: u64,
    /// Notices that it has taken.
    pub delivered: u64,
    /// Notices that were given up: too old, or too many.
    pub given_up: u64,
    /// Failures since it last took a notice.
    pub failures: u64,
    /// When it is tried again, where it failed: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried_again_at: Option<String>,
    /// When it last took a notice: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<String>,
    /// Why it last failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it last failed: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
}

/// What came of trying a target out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NoticeTested {
    /// The notice that was sent.
    pub uuid: NoticeId,
    /// Whether the target took it.
    pub delivered: bool,
    /// The HTTP status that it answered, if it did; of e-mail the reply code of SMTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What it answered, cut short, or why it could not be reached.
    pub answer: String,
}

/// A notice, as webhooks of the shape `Chancery` get it. None of the submitter's words are in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Notice {
    /// Its id, by which a notice that comes twice is known; the header `webhook-id` is the same.
    pub uuid: NoticeId,
    /// Its number. Later notices have higher ones, with gaps.
    pub sequence: i64,
    /// When it happened: RFC 3339, UTC.
    pub time: String,
    /// What happened.
    pub kind: NoticeKind,
    /// What kind of object it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_kind: Option<NoticeObject>,
    /// Which object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_uuid: Option<ObjectId>,
    /// The service whose key signs, or that a proposal is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_uuid: Option<ServiceId>,
    /// Where the object stands since, in the words of its list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Approvals given and needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<ApprovalCount>,
    /// When the certificate ends: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_after: Option<String>,
    /// How many days before its end this was told: 30, 7 or 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// The object's page in the console, where the server knows its own address. Whoever opens it logs in there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A notice that a target has not taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct UndeliveredNotice {
    /// The notice.
    pub notice: Notice,
    /// To which target it goes; where it goes to somebody's own mailbox, the identity's id.
    pub target_uuid: NoticeTargetId,
    /// Whose own mailbox it goes to, where it goes to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<ObjInfo<IdentityId>>,
    /// How often it was tried.
    pub attempts: u64,
    /// When it is tried next at the earliest: RFC 3339, UTC.
    pub tried_again_at: String,
    /// Why it failed the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Query of GET /api/v2/notices/undelivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct UndeliveredQuery {
    /// Only those to this target, or to the mailbox of this identity.
    pub target_uuid: Option<NoticeTargetId>,
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1), schema(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000), schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
}

/// Query of GET /api/v2/notices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct NoticeQuery {
    /// Only those of this kind.
    pub kind: Option<NoticeKind>,
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1), schema(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000), schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
}
