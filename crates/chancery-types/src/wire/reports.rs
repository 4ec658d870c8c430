//! `/api/v2/reports`.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, audit::AuditRole};
use crate::{IdentityId, IdentityKind, MaskTemplate, ObjectId, Perm, RevealFrom, TokenProfileId};

wire_enum! {
    /// What somebody can do, as the report of access sorts it.
    pub enum AccessRight {
        /// Make tokens, by a Control Rule.
        Tokenize,
        /// Read what tokens stand for, in full or in part, by a Control Rule.
        Detokenize,
        /// Have something signed.
        Sign,
        /// Approve what others submitted.
        Approve,
        /// Everything else that a permission lets somebody do.
        Administer,
    }
}

/// Whose access, and to what; what is absent filters nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct AccessQuery {
    /// Identities a page, 1 to 1,000; a page may have fewer, where they can do very much.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// The `next` of an answer to the same query.
    pub after: Option<String>,
    /// A case-insensitive part of the identities' names.
    pub search: Option<String>,
    /// Only this identity.
    pub identity_uuid: Option<IdentityId>,
    /// Only what concerns this token profile.
    pub object_uuid: Option<ObjectId>,
    /// Only this right.
    pub right: Option<AccessRight>,
}

/// An identity, and what it can do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Access {
    /// Name and id.
    pub obj_info: ObjInfo<IdentityId>,
    /// Person or application.
    pub kind: IdentityKind,
    /// Whether it is locked, and so can do nothing of this at the moment.
    pub locked: bool,
    /// What it can do, at least one.
    pub rights: Vec<HeldRight>,
}

/// One thing that an identity can do, and by which role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HeldRight {
    /// What.
    pub right: AccessRight,
    /// By which role.
    pub role: AuditRole,
    /// How many different holders of the role have to log in together for it.
    pub logins_required: u32,
    /// By which permission; absent of Control Rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perm: Option<Perm>,
    /// With which token profile; absent of permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_profile: Option<ObjInfo<TokenProfileId>>,
    /// What is shown at most; absent where it is everything, or nothing is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<HeldMask>,
}

/// What a rule for partial detokenization shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HeldMask {
    /// How many symbols; absent where there is `mask`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal: Option<u32>,
    /// At which end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal_from: Option<RevealFrom>,
    /// What is revealed, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<MaskTemplate>,
    /// What stands for each hidden symbol.
    pub mask_char: String,
}
