//! `/api/v2/system/settings`.

use serde::{Deserialize, Serialize};

use crate::FreshFactorFor;

/// The settings of the installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Settings {
    /// Whether the interface answers more than logins, health, public PKI endpoints and these settings.
    pub api_access: bool,
    /// Whether the installation is in hardened mode. Set in the server's configuration.
    pub hardened: bool,
    /// Whether this is a demonstration: one file holds both halves of dual control.
    pub demo: bool,
    /// What takes a second factor of the last ten minutes of everybody in the session.
    #[serde(default)]
    pub fresh_factor_for: Vec<FreshFactorFor>,
    /// For how long audit records are at hand, and how long they are kept: for ever as long as it is empty.
    #[serde(default)]
    pub audit_retention: AuditRetention,
}

/// For how long audit records are at hand, and how long they are kept. What is absent has no end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditRetention {
    /// After so many days, 90 to 36,500, records are moved into archives: lists and searches do not show them any more, the export of
    /// the ledger does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 90, maximum = 36500))]
    pub at_hand_days: Option<u32>,
    /// After so many days, `atHandDays` to 36,500, archives are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 90, maximum = 36500))]
    pub keep_days: Option<u32>,
    /// Nothing is removed before so many days after the end of the last certificate of an authority or a time-stamping service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 36500))]
    pub beyond_authorities_days: Option<u32>,
}

/// Body of PATCH /api/v2/system/settings; what is absent stays as it is. `hardened` and `demo`, which only the answer to GET has, may
/// be sent and mean nothing; other members are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchSettings {
    /// Whether the interface answers more than logins, health, public PKI endpoints and these settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_access: Option<bool>,
    /// What takes a second factor of the last ten minutes of everybody in the session; all of it, in the place of what it was. To
    /// change it takes that, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh_factor_for: Option<Vec<FreshFactorFor>>,
    /// For how long audit records are at hand, and how long they are kept; all of it, in the place of what it was. An empty object is
    /// for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_retention: Option<AuditRetention>,
}
