//! A signing request that is ready to be stored, with everything that belongs to it.

use std::{collections::BTreeMap, sync::Arc};

use chancery_keys::hash;
use chancery_store::{
    Tx, name_key,
    tables::{self, signing_items::Item, submitter_sets::Submitter},
};
use chancery_types::{HashType, SigningRequestId, wire::signing_requests::Provenance};
use chancery_verify::hexadecimal;
use serde::Serialize;
use uuid::Uuid;

use super::{
    approval_digest::Besides, claim::Claim, pipeline::Logged, policy_rules, program::Program, provenance::Proven,
    submission::Contents, submit::Checked, target::Found,
};
use crate::{
    Error, Result,
    approval::{PreApproved, Standing, proposals::Effects},
};

/// Bytes of a payload from which on one alone is stored at a time.
const LARGE: usize = 1 << 20;

pub(super) struct NewRequest {
    target: Found,
    row: tables::signing_requests::Row,
    payload: Option<Arc<Vec<u8>>>,
    page_hashes: Option<Vec<u8>>,
    program: Option<Program>,
    claim: Claim,
    provenance: Option<Proven>,
    items: Vec<Item>,
    /// Of the set that the row names; none where that is stored.
    submitters: Option<Vec<Submitter>>,
    /// What stands in for its approvals.
    pre_approved: Option<PreApproved>,
    now_ms: i64,
}

impl NewRequest {
    /// A request that stands here once it is stored.
    pub(super) fn new(
        id: SigningRequestId,
        checked: &Checked,
        target: &Found,
        (submitters_id, submitters): (Uuid, Option<Vec<Submitter>>),
        (standing, pre_approved): (Standing, Option<PreApproved>),
        now_ms: i64,
    ) -> Result<Box<Self>> {
        let policy = &target.policy;
        let (digest, items) = checked.contents.digest();
        let given_page_hashes = checked.contents.given_page_hashes();
        let besides = Besides { given_page_hashes, program: checked.program.as_ref() };
        let row = tables::signing_requests::Row {
            id: id.into(),
            service_id: policy.service.into(),
            policy_id: policy.id.into(),
            name_key: name_key(&checked.name),
            name: checked.name.clone(),
            state: standing.words().0.as_str().to_owned(),
            reason: None,
            approval_digest: besides.approval_digest(&digest),
            digest,
            signature: None,
            required_at_submission: policy.num_approvals,
            submitted_at_ms: now_ms,
            decided_at_ms: (standing == Standing::Signed).then_some(now_ms),
            expires_at_ms: policy_rules::expiry(&policy.rules, now_ms).map_err(Error::internal)?,
            existing_signature: checked.existing_signature.map(|existing| existing.as_str().to_owned()),
            pre_approval_id: pre_approved.as_ref().map(|one| one.id().into()),
            repeats_id: checked.repeats.map(Uuid::from),
            items: u32::try_from(items).map_err(Error::internal)?,
            submitters_id,
            version: 1,
        };
        let (payload, page_hashes, items) = checked.contents.parts();
        Ok(Box::new(Self {
            target: target.clone(),
            row,
            payload,
            page_hashes,
            program: checked.program.clone(),
            claim: checked.claim.clone(),
            provenance: checked.provenance.clone(),
            items,
            submitters,
            pre_approved,
            now_ms,
        }))
    }

    /// What the audit record says of it.
    pub(super) fn recorded(&self, checked: &Checked) -> Result<String> {
        let besides = (self.program.as_ref(), self.provenance.as_ref().map(|proven| &proven.shown));
        recorded(&self.row, &checked.contents, besides, &self.claim)
    }

    /// Whether it takes the store's writer for longer than others wait for it.
    pub(super) fn is_large(&self) -> bool {
        self.payload.as_ref().is_some_and(|payload| payload.len() >= LARGE)
    }

    pub(super) const fn submitters_id(&self) -> Uuid {
        self.row.submitters_id
    }

    /// Stores it, with its signatures if it was signed at once. InvalidState where the pre-approval is used up, or what
    /// signs is no longer as it was.
    pub(super) async fn insert(
        mut self: Box<Self>,
        tx: &mut Tx,
        logged: Option<Logged>,
        effects: Effects,
        hardened: bool,
    ) -> Result<()> {
        let mut admitted = None;
        match logged {
            Some(logged) => {
                let (signature, signatures) = logged.admit(tx).await?;
                (self.row.signature, admitted) = (signature, Some(signatures));
            }
            None => self.target.check_usable(tx, self.now_ms).await?,
        }
        if let Some(pre_approved) = self.pre_approved {
            pre_approved.redeem(tx, effects, self.row.id, hardened, self.now_ms).await?;
        }
        if let Some(submitters) = self.submitters {
            tables::submitter_sets::insert(tx, self.row.submitters_id, &submitters).await?;
        }
        tables::signing_requests::insert(tx, &self.row).await?;
        if !self.claim.is_empty() {
            self.claim.insert(tx, self.row.id, &self.row.name_key).await?;
        }
        if let Some(provenance) = self.provenance {
            provenance.insert(tx, self.row.id).await?;
        }
        tables::signing_items::insert(tx, self.row.id, &self.items).await?;
        if let Some(payload) = self.payload {
            tables::signing_requests::insert_payload(tx, self.row.id, &payload).await?;
        }
        if let Some(page_hashes) = self.page_hashes {
            tables::signing_requests::insert_page_hashes(tx, self.row.id, &page_hashes).await?;
        }
        if let Some(program) = self.program {
            let Program { name, url } = program;
            tables::signing_requests::insert_program(tx, self.row.id, name.as_deref(), url.as_deref()).await?;
        }
        if let Some(admitted) = admitted {
            admitted.store(tx, self.row.id).await?.keep();
        }
        Ok(())
    }
}

/// What the audit record says of a request.
fn recorded(
    row: &tables::signing_requests::Row,
    contents: &Contents,
    (program, provenance): (Option<&Program>, Option<&Provenance>),
    claim: &Claim,
) -> Result<String> {
    let (page_hashes_digest, items) = match contents {
        Contents::One { page_hashes, .. } => {
            let digest = |page_hashes| hexadecimal(hash(HashType::Sha2_256, page_hashes).as_bytes());
            (page_hashes.as_deref().map(digest), None)
        }
        Contents::Each(items) => (None, Some(items.len())),
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
        provenance,
        repeats_uuid: row.repeats_id,
        service_uuid: row.service_id,
        state: &row.state,
    };
    serde_json::to_string(&recorded).map_err(Error::internal)
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
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a Provenance>,
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
        let of = |page_hashes| Contents::One { digest: hash(HashType::Sha2_256, b""), payload: None, page_hashes };
        let mut expected = json!({
            "name": "an \"exe\"", "serviceUuid": id(2), "policyUuid": id(3), "digest": "00ab", "approvalsRequired": 4,
            "state": "Signed", "preApprovalUuid": null, "repeatsUuid": null,
        });
        assert_eq!(recorded(&row, &of(None), (None, None), &Claim::default()).unwrap(), expected.to_string());
        expected["pageHashesDigest"] = json!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        let program = Program { name: Some("Example".to_owned()), url: Some("https://example.org".to_owned()) };
        expected["programName"] = json!("Example");
        expected["programUrl"] = json!("https://example.org");
        assert_eq!(
            recorded(&row, &of(Some(Vec::new())), (Some(&program), None), &Claim::default()).unwrap(),
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
        assert_eq!(recorded(&row, &of(Some(Vec::new())), (None, None), &claim).unwrap(), claimed.to_string());
        (row.pre_approval_id, row.repeats_id) = (Some(id(7)), Some(id(8)));
        expected["preApprovalUuid"] = json!(id(7));
        expected["repeatsUuid"] = json!(id(8));
        expected["items"] = json!(2);
        expected.as_object_mut().and_then(|members| members.remove("pageHashesDigest")).unwrap();
        let item = Item { name: "n".to_owned(), digest: vec![1] };
        assert_eq!(
            recorded(&row, &Contents::Each(vec![item.clone(), item]), (None, None), &Claim::default()).unwrap(),
            expected.to_string()
        );
    }
}
