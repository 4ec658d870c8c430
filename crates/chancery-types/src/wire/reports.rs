//! `/api/v2/reports`.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, audit::AuditRole, signing_policies::ChangeSigningPolicy, token_profiles::ControlRule};
use crate::{IdentityId, IdentityKind, MaskTemplate, ObjectId, Perm, PolicyId, RevealFrom, RoleId, TokenProfileId};

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
    /// As it was at this moment (RFC 3339), up to now and not before the first audit record; absent is now.
    pub as_of: Option<String>,
}

/// Who can do what: `results`, of one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AccessReport {
    /// This page's identities, ordered by name, then uuid.
    pub results: Vec<Access>,
    /// How many there are on all pages.
    pub total: u64,
    /// Items a page.
    pub page_size: u32,
    /// What `after` shall be for the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The moment that was asked for (RFC 3339, UTC): all of it is as it was then, also names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// What cannot be known of then, on all pages; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncertain: Vec<UncertainAccess>,
    /// How many more of these there are that are not listed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub uncertain_left_out: u64,
}

/// A role, an identity or a token profile that may have been another one than the report says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct UncertainAccess {
    /// Which one; its name is empty where no record has it. Absent where it is not known which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjInfo<ObjectId>>,
    /// Why it is not certain, in words.
    pub why: String,
}

/// An identity, and what it can do.
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
    /// So many approvals are needed before, for each grant; absent where nobody is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_approvals: Option<u32>,
}

/// What a rule for partial detokenization shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

/// Body of POST /api/v2/reports/access/effect: one change that is not made yet, in the words of the call that makes it.
/// Either `tokenProfileUuid` and `controlRules`, or `roleUuid` and `perms`, or `identityUuid` and `roleUuids`, or
/// `policyUuid` and `policy`; or with `since` all changes that were made since a moment. Other members are refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AccessChange {
    /// The token profile whose Control Rules would be replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_profile_uuid: Option<TokenProfileId>,
    /// With `tokenProfileUuid`: all of its rules, as PATCH /api/v2/token-profiles/{uuid}/permissions takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_rules: Option<Vec<ControlRule>>,
    /// The role that would permit something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_uuid: Option<RoleId>,
    /// With `roleUuid`: all of its permissions, as PATCH /api/v2/roles/{uuid} takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perms: Option<Vec<Perm>>,
    /// The identity that would hold other roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_uuid: Option<IdentityId>,
    /// With `identityUuid`: all of its roles, as PATCH /api/v2/identities/{uuid} takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_uuids: Option<Vec<RoleId>>,
    /// The signing policy that would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uuid: Option<PolicyId>,
    /// With `policyUuid`: what changes of it, as PATCH /api/v2/x509/signing-policies/{uuid} takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<ChangeSigningPolicy>,
    /// Everything that has changed since this moment (RFC 3339), up to now and not before the first audit record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Who could do by a change what they cannot do without it, and who could not any more: the difference of two reports of
/// access, by what is gained and lost instead of by identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AccessEffect {
    /// What somebody gains: by right, object, permission and mask; at most 1,000.
    pub gains: Vec<ChangedRight>,
    /// What somebody loses; as `gains`.
    pub loses: Vec<ChangedRight>,
    /// How many more of both there are that are not listed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out: u64,
    /// With `since`: what cannot be known of then; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncertain: Vec<UncertainAccess>,
    /// How many more of these there are that are not listed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub uncertain_left_out: u64,
}

/// One thing that somebody gains or loses. Whoever sees more of a value gains what they see then, and loses what they saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangedRight {
    /// What.
    pub right: AccessRight,
    /// By which permission; absent of Control Rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perm: Option<Perm>,
    /// With which token profile, or under which signing policy, certificate profile or authority; absent where a permission
    /// gives it for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjInfo<ObjectId>>,
    /// What is shown at most; absent where it is everything, or nothing is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<HeldMask>,
    /// So many approvals are needed before, for each grant; absent where nobody is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_approvals: Option<u32>,
    /// How many holders of the role that gives it have to log in together for it.
    pub logins_required: u32,
    /// How many identities gain or lose it, locked ones included.
    pub identities: u64,
    /// The first ten of them, by name; absent in audit records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub some: Vec<ObjInfo<IdentityId>>,
}

impl AccessEffect {
    /// Whether nobody gains or loses anything.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.gains.is_empty() && self.loses.is_empty()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_none(count: &u64) -> bool {
    *count == 0
}
