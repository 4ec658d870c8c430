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
}
