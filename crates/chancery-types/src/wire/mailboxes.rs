//! Bodies under `/api/v2/identities/{uuid}/mailbox`.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, notices::DeliveryState};
use crate::{IdentityId, NoticeKind, ServiceId};

/// Body of PUT /api/v2/identities/{uuid}/mailbox: where somebody wants to have what concerns them sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SetMailbox {
    /// One address, such as `alice@example.org`. A new one counts once its code was entered.
    #[cfg_attr(feature = "schema", schema(min_length = 3, max_length = 254))]
    pub address: String,
    /// Which notices are sent, of those that concern the identity; all of them where this is empty or absent.
    #[serde(default)]
    pub kinds: Vec<NoticeKind>,
    /// Only notices about requests and proposals of these services; of all where this is empty or absent.
    #[serde(default)]
    pub service_uuids: Vec<ServiceId>,
    /// Whether anything is sent; `true` where this is absent. What happens meanwhile is not told later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Body of POST /api/v2/identities/{uuid}/mailbox/confirm.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConfirmMailbox {
    /// The code that was mailed to the new address. Letter case, spaces and hyphens make no difference.
    #[cfg_attr(feature = "schema", schema(min_length = 8, max_length = 32))]
    pub code: String,
}

/// Says that there is one, never which.
impl std::fmt::Debug for ConfirmMailbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfirmMailbox").finish_non_exhaustive()
    }
}

/// Where somebody has what concerns them sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PersonalMailbox {
    /// Whose it is.
    pub obj_info: ObjInfo<IdentityId>,
    /// Where it is; absent until an address was confirmed, and once it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// When that was: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    /// Which notices are sent, of those that concern the identity; all of them where this is empty.
    pub kinds: Vec<NoticeKind>,
    /// Of which services; of all where this is empty.
    pub service_uuids: Vec<ServiceId>,
    /// Whether anything is sent.
    pub enabled: bool,
    /// What takes the place of all that once its code is entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingMailbox>,
    /// What became of the notices.
    pub deliveries: DeliveryState,
}

/// A new address that waits to be confirmed, with what is wanted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PendingMailbox {
    /// Where the code was sent.
    pub address: String,
    /// Which notices shall be sent; all that concern the identity where this is empty.
    pub kinds: Vec<NoticeKind>,
    /// Of which services; of all where this is empty.
    pub service_uuids: Vec<ServiceId>,
    /// Whether anything shall be sent.
    pub enabled: bool,
    /// Until when the code is good: RFC 3339, UTC.
    pub expires_at: String,
    /// How many wrong codes are still taken before a new one has to be asked for.
    pub tries_left: u32,
}
