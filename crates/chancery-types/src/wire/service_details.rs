//! `/api/v2/x509/services`: services in full, and what their certificates need.

use serde::{Deserialize, Serialize};

use super::{
    ObjInfo,
    approval::ApprovalRules,
    present,
    proposals::Proposed,
    signing_policies::{ApprovalStep, SigningPolicy},
    x509::{CertificateStub, ValidityPeriod},
};
use crate::{CertificateId, SelfApproval, ServiceId, SigningFormat};

/// A service in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Service {
    /// Its name and id.
    pub obj_info: ObjInfo<ServiceId>,
    /// The template it was deployed from.
    pub template: String,
    /// The form of its signatures; absent for a time-stamping authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signing_format: Option<SigningFormat>,
    /// Its certificate's id; absent where it was deployed without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// Its certificate; absent where it was deployed without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateStub>,
    /// Its signing policies, by name; none for a time-stamping authority.
    pub signing_policies: Vec<SigningPolicy>,
}

/// The approval that the certificates of a service need: what their issuer demands of everything that it issues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IssuancePolicy {
    /// The authority that issued the service's certificate.
    pub issuer_uuid: CertificateId,
    /// What it demands now.
    pub approval: ApprovalRules,
    /// What waits for approvals; until it has them, all is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_change: Option<Proposed>,
}

/// What shall change in the approval that certificates need; members that are absent stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchIssuancePolicy {
    /// See [`ApprovalRules::num_approvals`].
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64))]
    pub num_approvals: Option<i64>,
    /// See [`ApprovalRules::self_approval`]; null for the default.
    #[serde(default, deserialize_with = "present")]
    pub self_approval: Option<Option<SelfApproval>>,
    /// See [`ApprovalRules::approval_steps`].
    pub approval_steps: Option<Vec<ApprovalStep>>,
    /// See [`ApprovalRules::request_lifetime`]; null for ever.
    #[serde(default, deserialize_with = "present")]
    pub request_lifetime: Option<Option<ValidityPeriod>>,
}

impl PatchIssuancePolicy {
    /// What is demanded after the change.
    #[must_use]
    pub fn applied_to(self, before: ApprovalRules) -> ApprovalRules {
        let Self { num_approvals, self_approval, approval_steps, request_lifetime } = self;
        ApprovalRules {
            num_approvals: num_approvals.unwrap_or(before.num_approvals),
            self_approval: self_approval.unwrap_or(before.self_approval),
            approval_steps: approval_steps.unwrap_or(before.approval_steps),
            request_lifetime: request_lifetime.unwrap_or(before.request_lifetime),
        }
    }
}
