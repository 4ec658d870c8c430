//! Signing policies: what a signing service signs, how, and after how many approvals.

use serde::{Deserialize, Serialize};

use super::ObjInfo;
use crate::{HashType, PolicyId, SelfApproval, ServiceId, SigningFormat};

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
    /// Whether whoever submitted a request may take part in approving it.
    pub self_approval: SelfApproval,
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
    /// Whether whoever submitted a request may take part in approving it; by default `Never` where another policy of the
    /// service or the installation says so, else `DualControl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_approval: Option<SelfApproval>,
}
