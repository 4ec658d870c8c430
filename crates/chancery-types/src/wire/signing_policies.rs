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
