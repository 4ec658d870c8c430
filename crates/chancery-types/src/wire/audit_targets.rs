//! Bodies under `/api/v2/audit/targets`.

use serde::{Deserialize, Serialize};

use super::ObjInfo;
use crate::{AuditTargetId, Base64, SyslogBody, SyslogTransport};

/// The port of syslog over TLS (RFC 5425).
const SYSLOG_PORT: u16 = 6514;

/// A receiver of syslog messages (RFC 5424) over TLS (RFC 5425), or by RELP over TLS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SyslogReceiver {
    /// Its name or address, which its certificate has to be for. Addresses that are not public are refused unless the
    /// server's start options list their network.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 253))]
    pub host: String,
    /// Its TCP port.
    #[serde(default = "syslog_port")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 65535, default = 6514))]
    pub port: u16,
    /// What stands in the message: `Json` where this is absent.
    #[serde(default)]
    pub body: SyslogBody,
    /// By which protocol: `Tls` where this is absent. `Relp` where the receiver has it.
    #[serde(default)]
    pub transport: SyslogTransport,
}

/// A receiver that is posted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HttpReceiver {
    /// Where it is: `https://…`. Addresses that are not public are refused unless the server's start options list their
    /// network; redirects are not followed. Of OTLP it is the whole address, such as `https://collector:4318/v1/logs`.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 2048))]
    pub url: String,
}

/// A file on the server's machine that records are appended to, each on a line of its own in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileReceiver {
    /// Its name without `.jsonl`, in the folder that the server's start option `--audit-files` names: 1 to 64 letters, digits,
    /// hyphens and underscores of ASCII, the first one no hyphen. No other target has it.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64, pattern = "^[A-Za-z0-9_][A-Za-z0-9_-]*$"))]
    pub name: String,
}

/// What a new target of the audit records shall be: exactly one of `syslog`, `webhook`, `otlp` and `file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateAuditTarget {
    /// Its name, unique without regard to letter case.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// Records go there as syslog messages, always over TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syslog: Option<SyslogReceiver>,
    /// Records are posted there as JSON, signed as Standard Webhooks says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<HttpReceiver>,
    /// Records are posted there as logs of OpenTelemetry (OTLP over HTTP, in JSON).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<HttpReceiver>,
    /// Records are appended to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileReceiver>,
    /// Of a webhook, which needs one, the key by which posts are signed: 24 to 64 bytes. Of OTLP, where it is optional, the
    /// token that is sent as `Authorization: Bearer`. A receiver of syslog and a file have none. It is never answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Base64>,
    /// Whether it gets records; yes where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The `sequence` of the first record that it gets, 0 for all that there are; where this is absent it gets those from
    /// now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_sequence: Option<u64>,
}

/// What is to be changed of a target. What is absent stays, and so does how far it has the records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchAuditTarget {
    /// A new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// Where a receiver of syslog is from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syslog: Option<SyslogReceiver>,
    /// Where a webhook is from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<HttpReceiver>,
    /// Where a receiver of OTLP is from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<HttpReceiver>,
    /// Which file it is from now on. A target stays of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileReceiver>,
    /// A new secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Base64>,
    /// Whether it gets records. What is written while it gets none it gets afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// A target of the audit records; its secret is never answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditTarget {
    /// Its id, as in `objInfo`.
    pub uuid: AuditTargetId,
    /// Name and id.
    pub obj_info: ObjInfo<AuditTargetId>,
    /// Where it is, where it takes syslog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syslog: Option<SyslogReceiver>,
    /// Where it is, where it is a webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<HttpReceiver>,
    /// Where it is, where it takes OTLP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<HttpReceiver>,
    /// Which one, where it is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileReceiver>,
    /// Whether it has a secret.
    pub has_secret: bool,
    /// Whether it gets records.
    pub enabled: bool,
    /// When it was made: RFC 3339, UTC.
    pub created_at: String,
    /// How far it has the records.
    pub shipping: ShippingState,
}

/// How far a target has the audit records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ShippingState {
    /// The `sequence` of the record that it gets next: it has all before, from the first that it was to get.
    pub next_sequence: u64,
    /// How many records it is behind.
    pub behind: u64,
    /// How many it has taken, also those that it got twice.
    pub shipped: u64,
    /// Failures since it last took what it had refused; of one that is failing, since it began to.
    pub failures: u64,
    /// Whether it fails, so that `AuditTargetFail` was recorded and told.
    pub failing: bool,
    /// When it is tried again, where it failed: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried_again_at: Option<String>,
    /// When it last took something: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipped_at: Option<String>,
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
pub struct AuditTargetTested {
    /// Whether the target took it.
    pub delivered: bool,
    /// The HTTP status that it answered, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What it answered, cut short, or why it could not be reached.
    pub answer: String,
}

const fn syslog_port() -> u16 {
    SYSLOG_PORT
}
