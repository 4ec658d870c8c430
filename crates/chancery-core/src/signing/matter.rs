//! What a submission wants to have signed, as its policy takes it.

use std::sync::Arc;

use chancery_keys::{Digest, hash};
use chancery_store::tables::{self, signing_items::Item};
use chancery_types::HashType;
use serde_json::{Value, json};

use super::manifest::manifest_digest;

/// What is to be signed.
pub(super) enum Matter {
    /// A payload or a digest.
    One { digest: Digest, payload: Option<Arc<Vec<u8>>>, page_hashes: Option<Vec<u8>> },
    /// The items of a manifest.
    Each(Vec<Item>),
}

/// As it is stored beside the request.
type Parts = (Option<Arc<Vec<u8>>>, Option<Vec<u8>>, Vec<Item>);

impl Matter {
    /// What people approve, and how many items a manifest has.
    pub(super) fn digest(&self) -> (Vec<u8>, usize) {
        match self {
            Self::One { digest, .. } => (digest.as_bytes().to_vec(), 0),
            Self::Each(items) => {
                let lines = items.iter().map(|item| (item.name.as_str(), item.digest.as_slice()));
                (manifest_digest(lines), items.len())
            }
        }
    }

    /// The digest that a pre-approval may be of: nobody has seen page hashes that came with one, and a digest of a text
    /// says nothing of a manifest that reads the same.
    pub(super) fn approvable(&self) -> Option<Digest> {
        match self {
            Self::One { digest, payload, page_hashes } if page_hashes.is_none() || payload.is_some() => Some(*digest),
            Self::One { .. } | Self::Each(_) => None,
        }
    }

    pub(super) fn parts(&self) -> Parts {
        match self {
            Self::One { payload, page_hashes, .. } => (payload.clone(), page_hashes.clone(), Vec::new()),
            Self::Each(items) => (None, None, items.clone()),
        }
    }

    /// What the audit record says of a request with it.
    pub(super) fn recorded(&self, row: &tables::signing_requests::Row) -> Value {
        let mut detail = json!({
            "name": row.name, "serviceUuid": row.service_id, "policyUuid": row.policy_id,
            "digest": hex::encode(&row.digest), "approvalsRequired": row.required_at_submission, "state": row.state,
            "preApprovalUuid": row.pre_approval_id, "repeatsUuid": row.repeats_id,
        });
        match self {
            Self::One { page_hashes: Some(page_hashes), .. } => {
                detail["pageHashesDigest"] = json!(hex::encode(hash(HashType::Sha2_256, page_hashes)));
            }
            Self::One { page_hashes: None, .. } => {}
            Self::Each(items) => detail["items"] = json!(items.len()),
        }
        detail
    }
}
