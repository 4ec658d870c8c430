//! A target of notices as it is stored.

use chancery_keys::{Context, Secret};
use chancery_store::{name_key, tables};
use chancery_types::{
    NoticeKind, NoticeTargetId, ServiceId, WebhookShape,
    wire::{
        ObjInfo,
        notices::{DeliveryState, Mailbox, NoticeTarget, Webhook},
    },
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{
    Error, Notices, Result,
    outbound::{Secrets, changed_url_in_records},
    time::rfc3339_ms,
};

/// The kind of value that is sealed; part of the stored format.
const SEALED: &str = "notice target";

/// What a target wants, as JSON in its row. What it takes to send something there is sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    /// With the address as it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) webhook: Option<Webhook>,
    /// In the place of a webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) email: Option<Mailbox>,
    pub(super) has_secret: bool,
    pub(super) kinds: Vec<NoticeKind>,
    pub(super) services: Vec<ServiceId>,
}

/// What it takes to send something: whoever knows the address of a Slack webhook can write into its channel.
pub(super) struct Access {
    pub(super) url: Zeroizing<String>,
    /// The key by which notices are signed.
    pub(super) secret: Option<Zeroizing<Vec<u8>>>,
}

impl Access {
    /// Of a webhook; a mailbox takes no more than its address, which is no secret.
    pub(super) fn of(webhook: Option<&Webhook>, secret: Option<Zeroizing<Vec<u8>>>) -> Self {
        Self { url: Zeroizing::new(webhook.map_or_else(String::new, |webhook| webhook.url.clone())), secret }
    }

    /// What is kept of no answer.
    pub(super) fn secrets(&self, shape: WebhookShape) -> Secrets {
        let secrets = match shape {
            WebhookShape::Chancery => Secrets::default().and_query(&self.url),
            WebhookShape::Slack | WebhookShape::Teams => Secrets::default().and_path(&self.url),
        };
        self.secret.iter().fold(secrets, |secrets, key| secrets.and_key(key))
    }
}

pub(super) struct StoredTarget {
    pub(super) row: tables::notice_targets::Row,
    pub(super) content: Content,
}

impl StoredTarget {
    pub(super) fn from_row(row: tables::notice_targets::Row) -> Result<Self> {
        let content = serde_json::from_str(&row.content).map_err(Error::internal)?;
        Ok(Self { row, content })
    }

    pub(super) fn id(&self) -> NoticeTargetId {
        self.row.id.into()
    }

    /// The row with what was changed.
    pub(super) fn into_row(self) -> Result<tables::notice_targets::Row> {
        let content = serde_json::to_string(&self.content).map_err(Error::internal)?;
        Ok(tables::notice_targets::Row { name_key: name_key(&self.row.name), content, ..self.row })
    }

    /// As records have it; and what it was before.
    pub(super) fn in_records(&self, before: Option<&Self>) -> NoticeTarget {
        let mut body = self.body(DeliveryState::default());
        if let Some(webhook) = &mut body.webhook {
            let before = before.and_then(|before| before.content.webhook.as_ref());
            webhook.url = changed_url_in_records(before.map_or(&webhook.url, |before| &before.url), &webhook.url);
        }
        body
    }

    /// As it is answered.
    pub(super) fn body(&self, deliveries: DeliveryState) -> NoticeTarget {
        let Content { webhook, email, has_secret, kinds, services } = self.content.clone();
        NoticeTarget {
            uuid: self.id(),
            obj_info: ObjInfo { name: self.row.name.clone(), uuid: self.id() },
            webhook,
            email,
            has_secret,
            kinds,
            service_uuids: services,
            enabled: self.row.is_enabled,
            created_at: rfc3339_ms(self.row.created_at_ms),
            deliveries,
        }
    }
}

/// A webhook's address as it is shown. That of Slack's and Teams' is itself the secret, so that only its host is.
pub(super) fn shown_url(webhook: &Webhook) -> String {
    match webhook.shape {
        WebhookShape::Chancery => webhook.url.clone(),
        WebhookShape::Slack | WebhookShape::Teams => {
            let host = webhook.url.strip_prefix("https://").and_then(|rest| rest.split(['/', '?']).next());
            format!("https://{}/…", host.unwrap_or_default())
        }
    }
}

impl Notices {
    pub(super) fn seal_access(&self, id: NoticeTargetId, access: &Access) -> Result<Vec<u8>> {
        // No address has a line feed.
        let mut both = Zeroizing::new(access.url.as_bytes().to_vec());
        both.push(b'\n');
        both.extend_from_slice(access.secret.as_deref().map_or(&[], Vec::as_slice));
        let context = Context { kind: SEALED, row: id.as_bytes() };
        self.context.custodian.seal_value(context, &both).map_err(Error::internal)
    }

    pub(super) fn open_access(&self, target: &StoredTarget) -> Result<Access> {
        let id = target.id();
        let sealed = target.row.secret.as_deref().ok_or_else(|| Error::internal("a target has no address"))?;
        let context = Context { kind: SEALED, row: id.as_bytes() };
        let both: Secret = self.context.custodian.open_value(context, sealed).map_err(Error::internal)?;
        let both = both.expose();
        let end =
            both.iter().position(|byte| *byte == b'\n').ok_or_else(|| Error::internal("a target has no address"))?;
        let (url, secret) = (std::str::from_utf8(&both[..end]).map_err(Error::internal)?, &both[end + 1..]);
        let secret = (!secret.is_empty()).then(|| Zeroizing::new(secret.to_vec()));
        Ok(Access { url: Zeroizing::new(url.to_owned()), secret })
    }
}
