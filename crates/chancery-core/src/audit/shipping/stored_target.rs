//! A target of the audit records as it is stored.

use chancery_keys::Context;
use chancery_store::{name_key, tables::audit_targets as table};
use chancery_types::{
    AuditTargetId,
    wire::{
        ObjInfo,
        audit_targets::{AuditTarget, FileReceiver, HttpReceiver, ShippingState, SyslogReceiver},
    },
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{Audit, Error, Result, outbound::changed_url_in_records, time::rfc3339_ms};

/// The kind of value that is sealed; part of the stored format.
const SEALED: &str = "audit target";

/// Where a target is, and what it takes. Stored as JSON in its row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Receiver {
    Syslog(SyslogReceiver),
    Webhook(HttpReceiver),
    Otlp(HttpReceiver),
    File(FileReceiver),
}

pub(super) struct StoredTarget {
    pub(super) row: table::Row,
    pub(super) receiver: Receiver,
}

impl Receiver {
    /// The member of a body that it stands in.
    pub(super) const fn field(&self) -> &'static str {
        match self {
            Self::Syslog(_) => "/syslog",
            Self::Webhook(_) => "/webhook",
            Self::Otlp(_) => "/otlp",
            Self::File(_) => "/file",
        }
    }

    /// Its address, where it is posted to.
    pub(super) fn url(&self) -> Option<&str> {
        match self {
            Self::Syslog(_) | Self::File(_) => None,
            Self::Webhook(receiver) | Self::Otlp(receiver) => Some(&receiver.url),
        }
    }

    /// The same with another address.
    fn at(self, url: String) -> Self {
        match self {
            Self::Syslog(receiver) => Self::Syslog(receiver),
            Self::Webhook(_) => Self::Webhook(HttpReceiver { url }),
            Self::Otlp(_) => Self::Otlp(HttpReceiver { url }),
            Self::File(receiver) => Self::File(receiver),
        }
    }

    /// As records have it, which go to every target; and where it was another one before.
    pub(super) fn in_records(&self, before: Option<&Self>) -> Self {
        let Some(url) = self.url() else { return self.clone() };
        let before = before.and_then(Self::url).unwrap_or(url);
        self.clone().at(changed_url_in_records(before, url))
    }
}

impl StoredTarget {
    pub(super) fn from_row(row: table::Row) -> Result<Self> {
        let receiver = serde_json::from_str(&row.content).map_err(Error::internal)?;
        Ok(Self { row, receiver })
    }

    pub(super) fn id(&self) -> AuditTargetId {
        self.row.id.into()
    }

    /// The row with what was changed.
    pub(super) fn into_row(self) -> Result<table::Row> {
        let content = serde_json::to_string(&self.receiver).map_err(Error::internal)?;
        Ok(table::Row { name_key: name_key(&self.row.name), content, ..self.row })
    }

    /// As it is answered.
    pub(super) fn body(&self, shipping: ShippingState) -> AuditTarget {
        self.body_with(self.receiver.clone(), shipping)
    }

    /// As records have it; and what it was before.
    pub(super) fn in_records(&self, before: Option<&Receiver>, shipping: ShippingState) -> AuditTarget {
        self.body_with(self.receiver.in_records(before), shipping)
    }

    fn body_with(&self, receiver: Receiver, shipping: ShippingState) -> AuditTarget {
        let (mut syslog, mut webhook, mut otlp, mut file) = (None, None, None, None);
        match receiver {
            Receiver::Syslog(receiver) => syslog = Some(receiver),
            Receiver::Webhook(receiver) => webhook = Some(receiver),
            Receiver::Otlp(receiver) => otlp = Some(receiver),
            Receiver::File(receiver) => file = Some(receiver),
        }
        AuditTarget {
            uuid: self.id(),
            obj_info: ObjInfo { name: self.row.name.clone(), uuid: self.id() },
            syslog,
            webhook,
            otlp,
            file,
            has_secret: self.row.secret.is_some(),
            enabled: self.row.is_enabled,
            created_at: rfc3339_ms(self.row.created_at_ms),
            shipping,
        }
    }
}

/// How far a target has the records, of which there are so many.
pub(super) fn shown(state: table::State, leaves: i64) -> ShippingState {
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    ShippingState {
        next_sequence: count(state.next_leaf),
        behind: count(leaves - state.next_leaf),
        shipped: count(state.shipped),
        failures: count(state.failures),
        failing: state.is_failing,
        tried_again_at: (state.failures > 0 && state.due_at_ms > 0).then(|| rfc3339_ms(state.due_at_ms)),
        shipped_at: state.shipped_at_ms.map(rfc3339_ms),
        error: state.error,
        failed_at: state.failed_at_ms.map(rfc3339_ms),
    }
}

impl Audit {
    pub(super) fn seal_target_secret(&self, id: AuditTargetId, secret: &[u8]) -> Result<Vec<u8>> {
        let context = Context { kind: SEALED, row: id.as_bytes() };
        self.context.custodian.seal_value(context, secret).map_err(Error::internal)
    }

    /// The key of a webhook, or the token of OTLP.
    pub(super) fn open_target_secret(&self, target: &StoredTarget) -> Result<Option<Zeroizing<Vec<u8>>>> {
        let Some(sealed) = target.row.secret.as_deref() else { return Ok(None) };
        let id = target.id();
        let context = Context { kind: SEALED, row: id.as_bytes() };
        let opened = self.context.custodian.open_value(context, sealed).map_err(Error::internal)?;
        Ok(Some(Zeroizing::new(opened.expose().to_vec())))
    }
}
