//! What people decide on signing requests.

use serde::{Deserialize, Serialize};

use super::ManifestSummary;
use crate::{
    ApprovalState, Base64, Decision, ErrorCode, IdentityId, RequestDecision, SigningRequestId, SigningRequestState,
    wire::{
        ObjInfo,
        passkeys::{ApprovalAssertion, ApprovalSignature},
    },
};

/// One decision on a signing request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Approval {
    /// What was decided.
    pub decision: RequestDecision,
    /// In whose name: all identities of one session.
    pub identities: Vec<ObjInfo<IdentityId>>,
    /// What they said about it.
    pub note: String,
    /// When (RFC 3339, UTC).
    pub decided_at: String,
    /// The statement over many requests that it was a part of; absent where it was made by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// What their passkeys signed of it, where that was demanded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<ApprovalSignature>,
}

/// One decision over many signing requests of one policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Statement {
    /// SHA-256 of its text.
    pub digest: Base64,
    /// How many requests it is over.
    pub rows: u32,
}

/// Body of approve.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApproveRequest {
    /// What to record with the approval; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What is approved: where it is not the request's `approvalDigest`, nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Base64>,
    /// What each member of the session signed, where the policy demands that approvals are signed: `…/approval-statement`
    /// says what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<ApprovalAssertion>,
}

/// Body of deny and withdraw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DecideRequest {
    /// What to record with the decision; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Approved {
    /// The signature; empty until it is signed.
    pub signature: Base64,
    /// The digest that was approved: the request's `approvalDigest`.
    pub digest: Base64,
    /// Where the request stands now.
    pub state: SigningRequestState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
    /// How many approvals there are, and how many it takes.
    pub approvals: ApprovalCount,
    /// How far the items of a manifest are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestSummary>,
}

/// How far a request is from its signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalCount {
    /// Approvals given.
    pub given: u32,
    /// Approvals that it takes.
    pub required: u32,
}

/// Answer to a denial or a withdrawal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Denied {
    /// Where the request stands now.
    pub state: SigningRequestState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
}

/// Body of batch-approve-deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDecideRequest {
    /// The requests, at most 1,000.
    pub uuids: Vec<SigningRequestId>,
    /// What is decided on each of them.
    pub decision: Decision,
    /// What to record with each decision; at most 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Makes it one decision: SHA-256 of the statement over all of them, at most 250 of one policy. Where it is another one,
    /// or one of them cannot be decided on, none is. Without it each is decided by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Base64>,
}

/// Answer to batch-approve-deny.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDecided {
    /// What became of each, in the order of `uuids`.
    pub results: Vec<BatchDecidedItem>,
    /// The statement's digest, where it was one decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Base64>,
}

/// What became of one request of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDecidedItem {
    /// The request.
    pub uuid: SigningRequestId,
    /// What a single call would have been answered with.
    pub error_code: ErrorCode,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where the request stands now; `None` where there is no such request.
    pub state: SigningRequestState,
    /// What the approvers have said; `None` where there is no such request.
    pub approval_state: ApprovalState,
}
