//! `/api/v2/whoami`.

use serde::{Deserialize, Serialize};

use super::{
    audit::{AuditRole, LoginWay},
    identities::TotpState,
};
use crate::{IdentityId, IdentityKind, ObjectId, Perm};

/// Who makes the call, by what right, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WhoAmI {
    /// The session, as audit records name it, not its cookie; absent where an API key was shown with the call itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_uuid: Option<ObjectId>,
    /// In whose name it acts, in the order of the logins.
    pub identities: Vec<Myself>,
    /// What the roles that count permit together, beside Control Rules.
    pub perms: Vec<Perm>,
    /// Whether the session may administer.
    pub management: bool,
    /// When the bearer token that was shown expires (RFC 3339); absent where it was the session's cookie or an API key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_expires_at: Option<String>,
    /// When the session ends if it is not used (RFC 3339); absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused_ends_at: Option<String>,
    /// When the session ends however much it is used (RFC 3339); absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_ends_at: Option<String>,
}

/// One of those who have logged in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Myself {
    /// The identity.
    pub uuid: IdentityId,
    /// Its name at login.
    pub name: String,
    /// Person or application.
    pub kind: IdentityKind,
    /// How it proved who it is; absent in a session that a former release began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginWay>,
    /// The address from which it logged in; absent in a session that a former release began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its second factor, as it stands now; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totp: Option<TotpState>,
    /// Its roles that count in this session.
    pub roles: Vec<AuditRole>,
}
