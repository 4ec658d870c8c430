//! Trying a token profile out before it is made.

use serde::{Deserialize, Serialize};

use super::{ControlRule, PatchTokenFormat, TokenFormat, TokenSecurity};
use crate::{
    Base64, TokenAlgorithm,
    wire::{ItemError, Texts, x509::ValidityPeriod},
};

/// A draft of a profile, and samples to tokenize under a key that is thrown away.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PreviewRequest {
    /// What the profile would be. A template or a profile as it is read may be given; the name, the key and
    /// `tweakDomain` mean nothing here.
    pub profile: DraftTokenProfile,
    /// Up to 20 messages.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>, max_items = 20))]
    pub samples: Texts,
}

/// What of a profile says how tokens are made.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DraftTokenProfile {
    /// See [`super::TokenProfile::algorithm`].
    pub algorithm: TokenAlgorithm,
    /// See [`super::CreateTokenProfile::format`].
    #[serde(default)]
    pub format: Option<PatchTokenFormat>,
    /// See [`super::TokenProfile::use_iv`].
    #[serde(default)]
    pub use_iv: Option<bool>,
    /// See [`super::TokenProfile::deterministic`].
    #[serde(default)]
    pub deterministic: Option<bool>,
    /// See [`super::TokenProfile::time_to_live`].
    #[serde(default)]
    pub time_to_live: Option<ValidityPeriod>,
    /// Only for the notes; roles need not exist.
    #[serde(default)]
    pub control_rules: Option<Vec<ControlRule>>,
}

/// What the samples became.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PreviewAnswer {
    /// In the order of the samples; null where one was refused. The profile itself would make others.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Option<String>>))]
    pub tokens: Texts,
    /// The initialization vectors, in the same order, where the profile would use them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ivs: Option<Vec<Option<Base64>>>,
    /// Which samples were refused, and why.
    pub errors: Vec<ItemError>,
    /// The format with its defaults.
    pub format: TokenFormat,
    /// What the service thinks of the profile's safety.
    pub security: TokenSecurity,
}
