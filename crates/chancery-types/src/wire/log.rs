//! What the details of signing requests and certificates say of the transparency log.

use serde::{Deserialize, Serialize};

use crate::Base64;

/// The proof that a signature or a certificate is in the transparency log (RFC 9162, section 2.1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InclusionProof {
    /// The entry's place in the log, from 0.
    pub index: u64,
    /// Entries of the log that the checkpoint speaks of.
    pub tree_size: u64,
    /// The hashes from the entry up to the root, 32 bytes each.
    pub hashes: Vec<Base64>,
    /// The signed checkpoint.
    pub checkpoint: String,
    /// The entry itself.
    pub leaf: Base64,
    /// What opens the entry of a service whose `log` is `Internal`: SHA-256 of it and of the entry that is not told is
    /// the entry's commitment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<Base64>,
}
