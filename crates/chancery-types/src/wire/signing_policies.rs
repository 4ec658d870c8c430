//! Signing policies: what a signing service signs, how, and after how many approvals.

use serde::{Deserialize, Serialize};

use super::{
    ObjInfo,
    proposals::Proposed,
    token_profiles::{Budget, PatchName},
    x509::ValidityPeriod,
};
use crate::{BudgetPeriod, HashType, IdentityId, PolicyId, RoleId, SelfApproval, ServiceId, SigningFormat};

/// One signing policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SigningPolicy {
    /// Its name and id.
    pub obj_info: ObjInfo<PolicyId>,
    /// Approvals that a request needs; 0 means that requests are signed on submission.
    pub num_approvals: u32,
    /// The form of the signatures.
    pub signing_format: SigningFormat,
    /// The service it belongs to.
    pub service_uuid: ServiceId,
    /// The hash of the signatures.
    pub hash_algorithm: HashType,
    /// Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5. SHAKE always signs with PSS.
    pub rsa_pss: bool,
    /// Whether signatures carry a time stamp.
    #[serde(default)]
    pub time_stamp: bool,
    /// Whether whoever submitted a request may take part in approving it.
    pub self_approval: SelfApproval,
    /// What it demands besides.
    pub rules: PolicyRules,
    /// In the answer to POST and PATCH: what waits for approvals. Until it has them there is no such policy, or it is
    /// as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_change: Option<Proposed>,
}

/// What a policy demands of requests besides the number of approvals. What is absent, null or empty demands nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PolicyRules {
    /// Who approves first: approvals of these roles, in this order. Together they are at most `numApprovals`; what
    /// remains is approved by anybody who may, after the last step.
    pub approval_steps: Vec<ApprovalStep>,
    /// Only sessions that hold one of these roles submit; at most 100.
    pub submitter_role_uuids: Vec<RoleId>,
    /// Only requests with such names are taken: `*` stands for any characters, `?` for one, letter case does not matter;
    /// at most 100.
    pub file_names: Vec<String>,
    /// Bytes of a payload at most. A digest does not tell the size, so it is refused then.
    #[cfg_attr(feature = "schema", schema(minimum = 1))]
    pub max_size: Option<u64>,
    /// Signatures within an hour at most.
    #[cfg_attr(feature = "schema", schema(minimum = 1))]
    pub signatures_per_hour: Option<u32>,
    /// Signatures within 24 hours at most.
    #[cfg_attr(feature = "schema", schema(minimum = 1))]
    pub signatures_per_day: Option<u32>,
    /// How many signatures it makes in windows of time, all together or for each submitter; without budgets any number.
    /// All of them have to have room for a request when it is signed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// How long a request waits for its approvals; for ever by default.
    pub request_lifetime: Option<ValidityPeriod>,
    /// Whose SLSA provenance of files counts; at most 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provenance_issuers: Vec<ProvenanceIssuer>,
    /// Whether requests come with provenance of one of them, and are refused without. Needs `provenanceIssuers`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub provenance_required: bool,
    /// Whether each approval is signed with a passkey of whoever gives it, also of changes of this policy and of
    /// pre-approvals. Once one policy of a service says so, new ones say it too, and it is not taken back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub signed_approvals: bool,
}

/// What of a policy's budgets is used now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PolicyBudgets {
    /// The windows that are open now: one for each budget, or with `each` one for each submitter who has used some of it,
    /// 1,000 at most, those that used most.
    pub budgets: Vec<PolicyBudgetUse>,
}

/// One window of a policy's budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PolicyBudgetUse {
    /// How many signatures the window has.
    pub count: u64,
    /// How long it is.
    pub per: BudgetPeriod,
    /// Whether each submitter has as many.
    pub each: bool,
    /// Whose it is, with `each`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_uuid: Option<IdentityId>,
    /// When it began (RFC 3339).
    pub starts_at: String,
    /// When it ends (RFC 3339).
    pub ends_at: String,
    /// How many are used; with several servers at most, since what another has set aside for itself counts.
    pub used: u64,
    /// How many are left; with several servers at least.
    pub left: u64,
}

/// Who says where files were built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProvenanceIssuer {
    /// What approvers know it by, unique among those of the policy; 1 to 255 characters.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// Its public key in PEM (`-----BEGIN PUBLIC KEY-----`): Ed25519, ECDSA or RSA.
    pub public_key: String,
    /// The builders whose builds count, each as `builder.id` of the provenance says it; none here: every one that it
    /// signs for. At most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builder_ids: Vec<String>,
}

/// Approvals of certain roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalStep {
    /// The session that approves holds one of these roles; at least one.
    pub role_uuids: Vec<RoleId>,
    /// How many such approvals it takes, at least one.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 64))]
    pub num_approvals: u32,
}

/// Body of PATCH /api/v2/x509/signing-policies/{uuid}: what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangeSigningPolicy {
    /// Its new name, under `name`; another `uuid` in it is not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obj_info: Option<PatchName>,
    /// Approvals that a request needs: never fewer than any policy of the service demands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64))]
    pub num_approvals: Option<i64>,
    /// Whether whoever submitted a request may take part in approving it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_approval: Option<SelfApproval>,
    /// Whether signatures made from now on carry a time stamp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_stamp: Option<bool>,
    /// All of its rules: they replace those that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<PolicyRules>,
    /// Cannot change: given, it is what the policy has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_algorithm: Option<HashType>,
    /// Cannot change: given, it is what the policy has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rsa_pss: Option<bool>,
    /// Cannot change: given, it is what the service has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signing_format: Option<SigningFormat>,
}

/// Body of POST /api/v2/x509/services/{serviceUuid}/signing-policies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateSigningPolicy {
    /// Its name, unique among the service's policies; 1 to 255 characters.
    pub name: String,
    /// Approvals that a request needs: at most 64, and at least as many as any other policy of the service demands.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64))]
    pub num_approvals: i64,
    /// The hash of the signatures.
    pub hash_algorithm: HashType,
    /// Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5; by default it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rsa_pss: Option<bool>,
    /// Whether signatures carry a time stamp, so that they outlive the certificate; by default they do not. Not for `Raw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_stamp: Option<bool>,
    /// Whether whoever submitted a request may take part in approving it; by default `Never` where another policy of the
    /// service or the installation says so, else `DualControl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_approval: Option<SelfApproval>,
    /// What it demands besides; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<PolicyRules>,
}
