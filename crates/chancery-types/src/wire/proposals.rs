//! Proposals: what takes effect once enough people have approved it. Pre-approvals, policies, certificates, and what
//! certificate profiles and authorities demand.

use serde::{Deserialize, Serialize};

use super::{
    ObjInfo,
    approval::{CertificateToIssue, ProposedCertProfile, ProposedIssuerApproval},
    passkeys::ApprovalSignature,
    reports::AccessEffect,
    signing_policies::SigningPolicy,
    signing_requests::ApprovalCount,
    token_profiles::ProposedGrant,
    x509::ValidityPeriod,
};
use crate::{
    ApprovalState, Base64, CertProfileId, CertificateId, Decision, ErrorCode, IdentityId, PolicyId, ProposalDecision,
    ProposalId, ProposalKind, ProposalState, RoleId, SelfApproval, ServiceId, SigningRequestId, TokenProfileId,
};

/// Body of POST /api/v2/x509/pre-approvals: either `digests`, or `submitterUuid` and `maxRequests`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreatePreApproval {
    /// What approvers will see; 1 to 255 characters.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// The policy whose approvals are given beforehand.
    pub policy_uuid: PolicyId,
    /// Digests under the policy's hash, each of which is signed once when it is submitted; at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<Vec<Base64>>,
    /// In the place of `digests`: whose requests are signed when they are submitted. Not in hardened mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitter_uuid: Option<IdentityId>,
    /// With `submitterUuid`: how many requests, at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub max_requests: Option<i64>,
    /// For how long, from the last approval on. With `submitterUuid` needed and at most 24 hours; without it, a list of
    /// digests serves until it is used up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<ValidityPeriod>,
    /// What to tell the approvers; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Answer to a proposal, and to an approval of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Proposed {
    /// The proposal.
    pub uuid: ProposalId,
    /// SHA-256 of its `content`: what people approve.
    pub digest: Base64,
    /// Where it stands now.
    pub state: ProposalState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
    /// How many approvals there are, and how many it takes.
    pub approvals: ApprovalCount,
    /// The certificate that was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In the answer to what was proposed: what somebody should know about it, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a list says of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposalStub {
    /// Its name and id.
    pub obj_info: ObjInfo<ProposalId>,
    /// What is proposed.
    pub kind: ProposalKind,
    /// Where it stands.
    pub state: ProposalState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
    /// The service that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_uuid: Option<ServiceId>,
    /// The policy that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uuid: Option<PolicyId>,
    /// The certificate profile that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_profile_uuid: Option<CertProfileId>,
    /// The authority that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer_uuid: Option<CertificateId>,
    /// The token profile that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_profile_uuid: Option<TokenProfileId>,
    /// The certificate that was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// When it was made (RFC 3339, UTC).
    pub submitted_at: String,
}

/// One proposal in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Proposal {
    /// Its name and id.
    pub obj_info: ObjInfo<ProposalId>,
    /// What is proposed.
    pub kind: ProposalKind,
    /// Where it stands.
    pub state: ProposalState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The service that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_uuid: Option<ServiceId>,
    /// The policy that it is about; one that is yet to be made has its uuid already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uuid: Option<PolicyId>,
    /// The certificate profile that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_profile_uuid: Option<CertProfileId>,
    /// The authority that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer_uuid: Option<CertificateId>,
    /// The token profile that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_profile_uuid: Option<TokenProfileId>,
    /// The certificate that was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// What is proposed, as a text: exactly what people approve.
    pub content: String,
    /// SHA-256 of the content.
    pub digest: Base64,
    /// When it was made (RFC 3339, UTC).
    pub submitted_at: String,
    /// All identities of the session that made it.
    pub submitted_by: Vec<ObjInfo<IdentityId>>,
    /// When it took effect, was denied or failed (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// When it stops waiting for approvals (RFC 3339, UTC); absent where it waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// How many approvals it takes.
    pub approvals_required: u32,
    /// Of which roles the next approval has to come; absent where any approver will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_role_uuids: Option<Vec<RoleId>>,
    /// Whether it waits, and the rules take an approval of the session that asks.
    #[serde(default)]
    pub may_approve: bool,
    /// Whether those who made it may take part in approving it, while it waits: the stricter of all rules that it is under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_approval: Option<SelfApproval>,
    /// What people have decided, oldest first; the first is who made it.
    pub approvals: Vec<ProposalApproval>,
    /// What was used of a pre-approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_approval: Option<PreApproval>,
    /// A policy before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<ProposedPolicy>,
    /// A certificate that shall be issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateToIssue>,
    /// A certificate profile before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_profile: Option<ProposedCertProfile>,
    /// What an authority demands, before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer_approval: Option<ProposedIssuerApproval>,
    /// A grant to detokenize, and what else was granted this month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detokenize_grant: Option<ProposedGrant>,
    /// While a change waits: who would gain and lose what if it took effect now. It is no part of what people approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<AccessEffect>,
}

/// One decision on a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposalApproval {
    /// What was decided.
    pub decision: ProposalDecision,
    /// In whose name: all identities of one session.
    pub identities: Vec<ObjInfo<IdentityId>>,
    /// What they said about it.
    pub note: String,
    /// When (RFC 3339, UTC).
    pub decided_at: String,
    /// What their passkeys signed of it, where that was demanded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<ApprovalSignature>,
}

/// A pre-approval and its uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PreApproval {
    /// Whose requests it is for; absent where it lists digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitter_uuid: Option<IdentityId>,
    /// How many requests it can be used for.
    pub max_requests: u32,
    /// How many it was used for.
    pub uses: u32,
    /// When it ends (RFC 3339, UTC); absent until it is approved, and where it has no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// The digests that were used, and for which requests.
    pub used_digests: Vec<UsedDigest>,
}

/// A pre-approved digest that was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct UsedDigest {
    /// The digest.
    pub digest: Base64,
    /// The request that it was signed for.
    pub request_uuid: SigningRequestId,
}

/// A policy that is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposedPolicy {
    /// What it was when the change was proposed; absent where the policy is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<SigningPolicy>,
    /// What it is after.
    pub after: SigningPolicy,
}

/// Filter of a list of proposals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct ProposalQuery {
    /// Only proposals of this kind.
    pub kind: Option<ProposalKind>,
    /// Only proposals about this policy.
    pub policy_uuid: Option<PolicyId>,
    /// Only proposals about this certificate profile.
    pub cert_profile_uuid: Option<CertProfileId>,
    /// Only proposals about this authority.
    pub issuer_uuid: Option<CertificateId>,
    /// Only proposals about this token profile.
    pub token_profile_uuid: Option<TokenProfileId>,
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
    /// A case-insensitive part of the name.
    pub search: Option<String>,
}

/// Body of batch-approve-deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDecideProposals {
    /// The proposals, at most 1,000.
    pub uuids: Vec<ProposalId>,
    /// What is decided on each of them.
    pub decision: Decision,
    /// What to record with each decision; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Answer to batch-approve-deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDecidedProposals {
    /// What became of each, in the order of `uuids`.
    pub results: Vec<BatchDecidedProposal>,
}

/// What became of one proposal of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDecidedProposal {
    /// The proposal.
    pub uuid: ProposalId,
    /// What a single call would have been answered with.
    pub error_code: ErrorCode,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What a single call would have answered; absent where it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Proposed>,
}
