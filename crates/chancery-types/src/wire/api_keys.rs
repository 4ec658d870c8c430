//! Bodies under `/api/v2/identities/{uuid}/api-keys`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ObjInfo, present};
use crate::{ApiKeyId, PolicyId, ServiceId, TokenProfileId};

/// What a key is restricted to. Whoever shows it may call the token profiles that are named, as far as the identity may,
/// submit and look after signing requests under the policies and services that are named, and read what everybody who is
/// logged in may read; nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApiKeyScope {
    /// Token profiles; none where this is absent or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_profile_uuids: Vec<TokenProfileId>,
    /// Signing policies; none where this is absent or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy_uuids: Vec<PolicyId>,
    /// Signing services with all their policies, also later ones; none where this is absent or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_uuids: Vec<ServiceId>,
}

/// What a new API key shall be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateApiKey {
    /// Its name, unique among the identity's keys without regard to letter case.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// When it ends (RFC 3339); never where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// From where it may be used, such as `10.0.0.0/8` or `2001:db8::/32`; from everywhere where this is absent or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// What it is restricted to; it gives all that the identity has where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ApiKeyScope>,
}

/// What shall change in an API key; members that are absent stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchApiKey {
    /// Another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// Another end; `null` for none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Option<String>>,
    /// Other networks, which replace all of the present ones; an empty list lets it be used from everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub networks: Option<Vec<String>>,
    /// Another restriction; `null` for none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub scope: Option<Option<ApiKeyScope>>,
}

/// How a key's secret is replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RotateApiKey {
    /// For how many seconds the secret of before goes on beside the new one: 0 to 2,592,000 (30 days); a day where this is
    /// absent. One that was still going on from an earlier rotation ends at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 2_592_000))]
    pub overlap_seconds: Option<u32>,
}

/// Characters of a secret: `chk_`, and 32 bytes in base64url.
pub const API_KEY_LEN: usize = 47;

/// A key with its secret, which is shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApiKeyCreated {
    /// The key.
    pub uuid: ApiKeyId,
    /// Its secret: `chk_` and 43 characters, for `authCredentials.apiKey` of a login or as `Authorization: Bearer`.
    pub api_key: String,
    /// Until when the secret of before goes on (RFC 3339, UTC); only after a rotation with an overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_until: Option<String>,
    /// What to know beside that: that the rotation ended a secret which was to go on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Says which, never the secret.
impl fmt::Debug for ApiKeyCreated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKeyCreated").field("uuid", &self.uuid).finish_non_exhaustive()
    }
}

/// An API key; its secret is kept as a keyed hash and never answered again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApiKey {
    /// Name and id.
    pub obj_info: ObjInfo<ApiKeyId>,
    /// Which secret this is: 1, and one more with each rotation.
    pub version: u32,
    /// When it was made (RFC 3339, UTC).
    pub created_at: String,
    /// When its secret was last replaced (RFC 3339, UTC); absent where it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotated_at: Option<String>,
    /// When it ends (RFC 3339, UTC); absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When its secret was last used (RFC 3339, UTC), to some minutes; absent where it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
    /// The secret of before the last rotation, while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousSecret>,
    /// From where it may be used; from everywhere where this is empty.
    pub networks: Vec<String>,
    /// What it is restricted to; absent where it gives all that the identity has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ApiKeyScope>,
}

/// The secret that a key had before its last rotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PreviousSecret {
    /// Until when it goes on (RFC 3339, UTC).
    pub until: String,
    /// When it was last used (RFC 3339, UTC), to some minutes; absent where it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// All keys of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApiKeys {
    /// By name.
    pub results: Vec<ApiKey>,
}
