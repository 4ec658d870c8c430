//! What a submission wants to have signed, as its policy takes it.

use std::{collections::BTreeMap, sync::Arc};

use chancery_keys::{Digest, hash};
use chancery_store::tables::{self, signing_items::Item};
use chancery_types::HashType;
use chancery_verify::{hexadecimal, manifest_digest};
use serde::Serialize;
use uuid::Uuid;

use super::{claim::Claim, program::Program};
use crate::{Error, Result};

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

    /// Hashes of pages that came with a digest; those of an upload follow from it.
    pub(super) fn given_page_hashes(&self) -> Option<&[u8]> {
        match self {
            Self::One { payload: None, page_hashes, .. } => page_hashes.as_deref(),
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
    pub(super) fn recorded(
        &self,
        row: &tables::signing_requests::Row,
        program: Option<&Program>,
        claim: &Claim,
    ) -> Result<String> {
        let (page_hashes_digest, items) = match self {
            Self::One { page_hashes, .. } => {
                let digest = |page_hashes| hexadecimal(hash(HashType::Sha2_256, page_hashes).as_bytes());
                (page_hashes.as_deref().map(digest), None)
            }
            Self::Each(items) => (None, Some(items.len())),
        };
        let recorded = Recorded {
            approval_digest: row.approval_digest.as_deref().map(hexadecimal),
            approvals_required: row.required_at_submission,
            digest: hexadecimal(&row.digest),
            items,
            metadata: claim.metadata.as_ref(),
            name: &row.name,
            note: claim.note.as_deref(),
            page_hashes_digest,
            policy_uuid: row.policy_id,
            pre_approval_uuid: row.pre_approval_id,
            program_name: program.and_then(|program| program.name.as_deref()),
            program_url: program.and_then(|program| program.url.as_deref()),
            repeats_uuid: row.repeats_id,
            service_uuid: row.service_id,
            state: &row.state,
        };
        serde_json::to_string(&recorded).map_err(Error::internal)
    }
}

/// What the audit record says of a request: its members in the order of the alphabet, as in all others.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Recorded<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_digest: Option<String>,
    approvals_required: u32,
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a BTreeMap<String, String>>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_hashes_digest: Option<String>,
    policy_uuid: Uuid,
    pre_approval_uuid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program_url: Option<&'a str>,
    repeats_uuid: Option<Uuid>,
    service_uuid: Uuid,
    state: &'a str,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_has_the_members_of_its_request_in_the_order_of_all_records() {
        let id = Uuid::from_u128;
        let mut row = tables::signing_requests::Row {
            id: id(1),
            service_id: id(2),
            policy_id: id(3),
            name: "an \"exe\"".to_owned(),
            name_key: "key".to_owned(),
            state: "Signed".to_owned(),
            reason: None,
            digest: vec![0, 0xab],
            signature: None,
            required_at_submission: 4,
            submitted_at_ms: 5,
            decided_at_ms: None,
            expires_at_ms: None,
            existing_signature: None,
            pre_approval_id: None,
            repeats_id: None,
            items: 0,
            submitters_id: id(6),
            version: 1,
            approval_digest: None,
        };
        let of = |page_hashes| Matter::One { digest: hash(HashType::Sha2_256, b""), payload: None, page_hashes };
        let mut expected = json!({
            "name": "an \"exe\"", "serviceUuid": id(2), "policyUuid": id(3), "digest": "00ab", "approvalsRequired": 4,
            "state": "Signed", "preApprovalUuid": null, "repeatsUuid": null,
        });
        assert_eq!(of(None).recorded(&row, None, &Claim::default()).unwrap(), expected.to_string());
        expected["pageHashesDigest"] = json!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let program = Program { name: Some("Example".to_owned()), url: Some("https://example.org".to_owned()) };
        expected["programName"] = json!("Example");
        expected["programUrl"] = json!("https://example.org");
        assert_eq!(
            of(Some(Vec::new())).recorded(&row, Some(&program), &Claim::default()).unwrap(),
            expected.to_string()
        );
        for member in ["programName", "programUrl"] {
            expected.as_object_mut().and_then(|members| members.remove(member)).unwrap();
        }
        let claim = Claim {
            note: Some("for the customer".to_owned()),
            metadata: Some(BTreeMap::from([("commit".to_owned(), "1".to_owned())])),
        };
        let mut claimed = expected.clone();
        claimed["note"] = json!("for the customer");
        claimed["metadata"] = json!({"commit": "1"});
        assert_eq!(of(Some(Vec::new())).recorded(&row, None, &claim).unwrap(), claimed.to_string());
        (row.pre_approval_id, row.repeats_id) = (Some(id(7)), Some(id(8)));
        expected["preApprovalUuid"] = json!(id(7));
        expected["repeatsUuid"] = json!(id(8));
        expected["items"] = json!(2);
        expected.as_object_mut().and_then(|members| members.remove("pageHashesDigest")).unwrap();
        let item = Item { name: "n".to_owned(), digest: vec![1] };
        assert_eq!(
            Matter::Each(vec![item.clone(), item]).recorded(&row, None, &Claim::default()).unwrap(),
            expected.to_string()
        );
    }
}
