//! `/api/v2/system/settings`.

use serde::{Deserialize, Serialize};

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
}

/// Body of PATCH /api/v2/system/settings; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchSettings {
    /// Whether the interface answers more than logins, health, public PKI endpoints and these settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_access: Option<bool>,
}
