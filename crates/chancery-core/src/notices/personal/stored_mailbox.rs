//! The mailbox of an identity as it is stored.

use chancery_store::{Tx, tables};
use chancery_types::{
    Base64, IdentityId, NoticeKind, ServiceId,
    wire::{
        ObjInfo,
        mailboxes::{PendingMailbox, PersonalMailbox},
        notices::DeliveryState,
    },
};
use serde::{Deserialize, Serialize};

use super::confirm::TRIES_MAX;
use crate::{Error, Result, time::rfc3339_ms};

/// By how much the clock of another node may be ahead.
pub(super) const AHEAD_MS: i64 = 60_000;

/// What is wanted at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Wanted {
    pub(super) kinds: Vec<NoticeKind>,
    pub(super) services: Vec<ServiceId>,
}

/// What a row has in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    #[serde(flatten)]
    pub(super) wanted: Wanted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pending: Option<Pending>,
}

/// A new address that waits for its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pending {
    pub(super) address: String,
    #[serde(flatten)]
    pub(super) wanted: Wanted,
    pub(super) enabled: bool,
    /// The keyed hash of the code.
    pub(super) code: Base64,
    pub(super) expires_at_ms: i64,
    /// Codes that were entered.
    pub(super) tries: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::notices) struct StoredMailbox {
    pub(super) identity: IdentityId,
    /// Confirmed.
    pub(super) address: Option<String>,
    pub(super) confirmed_at_ms: Option<i64>,
    pub(super) is_enabled: bool,
    pub(super) content: Content,
    /// When codes were sent in the last hour.
    pub(super) sent: Vec<i64>,
}

impl StoredMailbox {
    pub(in crate::notices) fn from_row(row: tables::mailboxes::Row) -> Result<Self> {
        let tables::mailboxes::Row { identity_id, address, confirmed_at_ms, is_enabled, content, sent } = row;
        Ok(Self {
            identity: identity_id.into(),
            address,
            confirmed_at_ms,
            is_enabled,
            content: serde_json::from_str(&content).map_err(Error::internal)?,
            sent: serde_json::from_str(&sent).map_err(Error::internal)?,
        })
    }

    /// That of an identity, which may have none: then it is empty.
    pub(super) async fn load(tx: &mut Tx, identity: IdentityId) -> Result<Self> {
        let row = tables::mailboxes::by_identity(tx, identity.into()).await?;
        row.map_or_else(|| Ok(Self::empty(identity, Vec::new())), Self::from_row)
    }

    /// The same, which must be there.
    pub(super) async fn existing(tx: &mut Tx, identity: IdentityId) -> Result<Self> {
        let stored = Self::load(tx, identity).await?;
        if stored.address.is_none() && stored.content.pending.is_none() {
            return Err(Error::not_found("mailbox"));
        }
        Ok(stored)
    }

    /// None, but for when codes were sent: that bounds the next ones.
    pub(super) fn empty(identity: IdentityId, sent: Vec<i64>) -> Self {
        let (address, confirmed_at_ms) = (None, None);
        Self { identity, address, confirmed_at_ms, is_enabled: false, content: Content::default(), sent }
    }

    pub(super) async fn put(&self, tx: &mut Tx) -> Result<()> {
        let row = tables::mailboxes::Row {
            identity_id: self.identity.into(),
            address: self.address.clone(),
            confirmed_at_ms: self.confirmed_at_ms,
            is_enabled: self.is_enabled,
            content: serde_json::to_string(&self.content).map_err(Error::internal)?,
            sent: serde_json::to_string(&self.sent).map_err(Error::internal)?,
        };
        Ok(tables::mailboxes::put(tx, &row).await?)
    }

    pub(in crate::notices) const fn identity(&self) -> IdentityId {
        self.identity
    }

    /// Whether it is to hear of what happened at this moment: nothing from before it was confirmed. What waits when another
    /// address is confirmed goes there. One that was confirmed well after now was so by a clock that was wrong.
    pub(super) fn was_there_at(&self, at_ms: i64, now_ms: i64) -> bool {
        self.confirmed_at_ms.is_some_and(|since_ms| since_ms <= at_ms || since_ms > now_ms.saturating_add(AHEAD_MS))
    }

    /// Whether it gets a notice, if that concerns its identity.
    pub(super) fn wants(&self, notice: &tables::notices::Notice) -> bool {
        let Wanted { kinds, services } = &self.content.wanted;
        // Else whoever has a session would leave out what tells of it.
        let is_always = notice.kind == NoticeKind::LoginChanged.as_str();
        let is_kind = kinds.is_empty() || kinds.iter().any(|kind| kind.as_str() == notice.kind);
        let of_service = services.is_empty() || notice.service_id.is_some_and(|id| services.contains(&id.into()));
        self.is_enabled && self.address.is_some() && (is_always || is_kind && of_service)
    }

    /// As the interface has it.
    pub(super) async fn body(&self, tx: &mut Tx, deliveries: DeliveryState) -> Result<PersonalMailbox> {
        let identity = tables::identities::by_id(tx, self.identity.into()).await?;
        let name = identity.ok_or_else(|| Error::not_found("identity"))?.name;
        let Content { wanted: Wanted { kinds, services }, pending } = self.content.clone();
        Ok(PersonalMailbox {
            obj_info: ObjInfo { name, uuid: self.identity },
            address: self.address.clone(),
            confirmed_at: self.confirmed_at_ms.map(rfc3339_ms),
            kinds,
            service_uuids: services,
            enabled: self.is_enabled,
            pending: pending.map(Pending::body),
            deliveries,
        })
    }
}

impl Pending {
    fn body(self) -> PendingMailbox {
        PendingMailbox {
            address: self.address,
            kinds: self.wanted.kinds,
            service_uuids: self.wanted.services,
            enabled: self.enabled,
            expires_at: rfc3339_ms(self.expires_at_ms),
            tries_left: TRIES_MAX.saturating_sub(self.tries),
        }
    }
}
