//! Grants: detokenizing in full where a Control Rule demands approvals for that.

use serde::{Deserialize, Serialize};

use crate::{
    Base64, IdentityId, ProposalId, ProposalState, RoleId, TokenProfileId,
    wire::{ObjInfo, signing_policies::ApprovalStep, signing_requests::ApprovalCount, x509::ValidityPeriod},
};

/// What a Control Rule demands before somebody detokenizes in full. Whoever asks never approves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GrantRules {
    /// Approvals that a grant needs, 1 to 64.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 64))]
    pub num_approvals: i64,
    /// Who approves first, as in the rules of a signing policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approval_steps: Vec<ApprovalStep>,
    /// How long a request waits for its approvals; for ever by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_lifetime: Option<ValidityPeriod>,
}

/// Body of POST /api/v2/token-profiles/{uuid}/grants.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RequestGrant {
    /// Why; 1 to 255 characters, which approvers see first.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub reason: String,
    /// What it is about in another system; 1 to 255 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub ticket: Option<String>,
    /// What else to tell the approvers; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The role whose Control Rule demands the approvals, where several of the caller's do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role_uuid: Option<RoleId>,
    /// The tokens, at most 10,000; absent: any token of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Vec<String>>,
    /// How many values may be sent, at most 1,000,000. Each that is sent counts, also the same one again.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000))]
    pub max_values: i64,
    /// For how long, from the last approval on; at most 7 days.
    pub lifetime: ValidityPeriod,
}

/// A grant to detokenize in full, or a request for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DetokenizeGrant {
    /// Its id, also as a proposal: what `grantUuid` names.
    pub uuid: ProposalId,
    /// The token profile, by its name when this was asked for.
    pub token_profile: ObjInfo<TokenProfileId>,
    /// The role whose Control Rule demands the approvals.
    pub role_uuid: RoleId,
    /// Why.
    pub reason: String,
    /// What it is about in another system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<String>,
    /// Who asked, and may use it: all identities of one session.
    pub requested_by: Vec<ObjInfo<IdentityId>>,
    /// How many tokens it lists; absent where it is for any token of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// How many values may be sent.
    pub max_values: u32,
    /// How many were.
    pub used: u32,
    /// For how many seconds, from the last approval on.
    pub lifetime_s: u64,
    /// Where it stands.
    pub state: ProposalState,
    /// How many approvals there are, and how many it takes.
    pub approvals: ApprovalCount,
    /// When it was asked for (RFC 3339, UTC).
    pub requested_at: String,
    /// When it took effect (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted_at: Option<String>,
    /// When it ends (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
}

/// A grant that is proposed, and what was granted lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposedGrant {
    /// What is asked for.
    pub grant: DetokenizeGrant,
    /// SHA-256 over the keyed hashes of the tokens that it lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_digest: Option<Base64>,
    /// What else was granted with this token profile since the month began, in UTC: the newest first, 100 at most.
    pub this_month: Vec<DetokenizeGrant>,
}

/// Filter of a list of grants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct GrantQuery {
    /// With `true`, only those that wait for approvals.
    pub waiting: Option<bool>,
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1), schema(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000), schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
    /// A case-insensitive part of the reason.
    pub search: Option<String>,
}
