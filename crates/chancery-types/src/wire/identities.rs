//! `/api/v2/identities`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ObjInfo, api_keys::ApiKeyScope};
use crate::{Base64, IdentityId, IdentityKind, RecoveredBy, RoleId};

/// Body of POST /api/v2/identities.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateIdentity {
    /// Unique without regard to letter case.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// Person or application; only persons approve.
    pub kind: IdentityKind,
    /// At least one role; all with the same `loginsRequired`.
    pub role_uuids: Vec<RoleId>,
    /// At least 12 characters of UTF-8. An application without one gets an API key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Base64>,
    /// Whether a person's password is for one use: it logs nobody in, and sets another one for a day.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_time: bool,
    /// How that API key shall be; refused where there is none to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<FirstApiKey>,
    /// From where it may act, such as `10.0.0.0/8` or `2001:db8::/32`; from everywhere where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// When it may act, in UTC, such as `Mon-Fri 07:00-19:00` or `22:00-06:00`; always where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hours: Vec<String>,
}

/// How the API key shall be that an application is made with. It ends never, may come from anywhere and gives all that the
/// identity has, where nothing is said.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FirstApiKey {
    /// Its name; `first key` where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// When it ends (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// From where it may be used, such as `10.0.0.0/8` or `2001:db8::/32`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// What it is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ApiKeyScope>,
}

/// Answer of POST /api/v2/identities.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IdentityCreated {
    /// The new identity.
    pub uuid: IdentityId,
    /// What an application without password logs in with. Shown this once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
}

/// Says which, never the key.
impl fmt::Debug for IdentityCreated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityCreated").field("uuid", &self.uuid).finish_non_exhaustive()
    }
}

/// Body of PATCH /api/v2/identities/{uuid}; what is absent stays as it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchIdentity {
    /// Another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// Other roles; they replace all of the present ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_uuids: Option<Vec<RoleId>>,
    /// From where it may act, such as `10.0.0.0/8` or `2001:db8::/32`; they replace all of the present ones, and an empty list
    /// lets it act from everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub networks: Option<Vec<String>>,
    /// When it may act, in UTC, such as `Mon-Fri 07:00-19:00` or `22:00-06:00`; they replace all of the present ones, and an
    /// empty list lets it act always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<Vec<String>>,
    /// `true`: how the identity was recovered on the host is known and as it should be; the alarm of it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_acknowledged: Option<bool>,
}

/// Body of POST /api/v2/identities/{uuid}/password.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NewPassword {
    /// At least 12 characters of UTF-8.
    pub password: Base64,
    /// Whether it is for one use: it logs nobody in, and sets another one for a day (POST /home/v1/login/password). Only of
    /// others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_time: bool,
}

/// A person or an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Identity {
    /// Name and id.
    pub obj_info: ObjInfo<IdentityId>,
    /// Person or application.
    pub kind: IdentityKind,
    /// Its roles.
    pub role_uuids: Vec<RoleId>,
    /// Whether it is locked, and so cannot log in.
    pub locked: bool,
    /// When it was created (RFC 3339, UTC).
    pub created_at: String,
    /// When its password was last set by somebody else (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_reset_at: Option<String>,
    /// Until when its password, which others gave it for one use, sets another one (RFC 3339, UTC). Until then it logs nobody in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_time_password_until: Option<String>,
    /// Its second factor; absent where it logs in by a password alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totp: Option<TotpState>,
    /// From where it may log in and act; from everywhere where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// When it may, in UTC: days, where they are not all, and the time from which and until which; always where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hours: Vec<String>,
    /// How it was recovered on the host, until somebody has acknowledged that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
}

/// A recovery on the host (`chancery recover`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Recovery {
    /// When it was (RFC 3339, UTC).
    pub recovered_at: String,
    /// Who answered for it.
    pub by: RecoveredBy,
    /// Those people.
    pub identities: Vec<ObjInfo<IdentityId>>,
    /// Why fewer than two did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A second factor that is active: one-time codes (RFC 6238).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TotpState {
    /// Since when codes are demanded (RFC 3339, UTC).
    pub confirmed_at: String,
}

/// An identity in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IdentityStub {
    /// Name and id.
    pub obj_info: ObjInfo<IdentityId>,
    /// Person or application.
    pub kind: IdentityKind,
    /// Whether it is locked.
    pub locked: bool,
}
