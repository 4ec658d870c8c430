//! `/api/v2/roles`.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, token_profiles::PatchName};
use crate::{Perm, RoleId, SecondFactor};

/// Body of POST /api/v2/roles. `objInfo` and `system`, which only the answer to GET has, may be sent and mean nothing;
/// other members are refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateRole {
    /// Unique without regard to letter case.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// How many different holders must log in within one session: 1 or 2.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 2))]
    pub logins_required: u32,
    /// What the role permits, besides the Control Rules of token profiles.
    pub perms: Vec<Perm>,
    /// Whether its holders may administer.
    #[serde(default)]
    pub management: bool,
    /// What each holder must log in with besides a password.
    #[serde(default)]
    pub second_factor: SecondFactor,
}

/// Body of PATCH /api/v2/roles/{uuid}; what is absent stays as it is. `system`, which only the answer to GET has, may be
/// sent and means nothing; other members are refused.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchRole {
    /// Another name, as GET has it; `name` comes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obj_info: Option<PatchName>,
    /// Another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// Another number of logins: 1 or 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 2))]
    pub logins_required: Option<u32>,
    /// Other permissions; they replace all of the present ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perms: Option<Vec<Perm>>,
    /// Whether its holders may administer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub management: Option<bool>,
    /// What else each holder must log in with besides a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor: Option<SecondFactor>,
}

/// Answer of POST /api/v2/roles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RoleCreated {
    /// The new role.
    pub uuid: RoleId,
}

/// A role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Role {
    /// Name and id.
    pub obj_info: ObjInfo<RoleId>,
    /// How many different holders must log in within one session.
    pub logins_required: u32,
    /// What the role permits.
    pub perms: Vec<Perm>,
    /// Whether its holders may administer.
    pub management: bool,
    /// What each holder must log in with besides a password, for the role to count.
    pub second_factor: SecondFactor,
    /// Whether it is built in, and so cannot be changed.
    pub system: bool,
}

/// A role in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RoleStub {
    /// Name and id.
    pub obj_info: ObjInfo<RoleId>,
    /// How many different holders must log in within one session.
    pub logins_required: u32,
    /// Whether it is built in.
    pub system: bool,
}
