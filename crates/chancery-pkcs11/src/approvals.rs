//! Policies that demand approvals. Approvers of a bare C_Sign would see a digest and nothing else, and tools put a new
//! signing time into every try. So nobody is asked: what has been approved already is used, and all else is refused.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

use chancery_types::{
    Base64, PolicyId, ProposalKind, ProposalState, SigningRequestId, SigningRequestState, shell_word,
    wire::{proposals::ProposalQuery, signing_requests::SigningRequestQuery},
};
use cryptoki_sys::CKR_FUNCTION_REJECTED;
use sha2::{Digest as _, Sha512};

use crate::{
    failure::{Failure, Result},
    operation::{Content, Wanted},
    server::Server,
};

/// How many of the newest signed requests are looked into for manifests.
const LOOKED_AT_MAX: usize = 200;

/// The newest that a list answers at a time, at most.
const PAGE: u32 = 1_000;

/// The signatures of requests that people approved, which do not change.
#[derive(Default)]
pub(crate) struct Approvals(Mutex<Approved>);

#[derive(Default)]
struct Approved {
    seen: HashSet<SigningRequestId>,
    signatures: HashMap<(PolicyId, Vec<u8>), Vec<u8>>,
}

/// What people approve of a content. Keys that sign messages have policies with SHA-512.
pub(crate) fn digest(content: &Content) -> Vec<u8> {
    match content {
        Content::Digest(digest) => digest.clone(),
        Content::Message(message) => Sha512::digest(message).to_vec(),
    }
}

impl Approvals {
    /// The signature of this digest in a request or a manifest that people approved.
    pub(crate) fn signature(&self, server: &Server, wanted: &Wanted<'_>, digest: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut approved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = (wanted.policy.obj_info.uuid, digest.to_vec());
        if !approved.signatures.contains_key(&id) {
            approved.read(server, wanted)?;
        }
        Ok(approved.signatures.get(&id).cloned())
    }
}

impl Approved {
    /// Takes in what was approved since.
    fn read(&mut self, server: &Server, wanted: &Wanted<'_>) -> Result<()> {
        let policy = wanted.policy.obj_info.uuid;
        let query = SigningRequestQuery {
            state: Some(SigningRequestState::Signed),
            page_size: Some(PAGE),
            ..SigningRequestQuery::default()
        };
        let signed = server.call(|client| client.signing_requests_of(wanted.key.service, &query))?.items;
        let new = signed.into_iter().filter(|stub| stub.policy_uuid == policy).take(LOOKED_AT_MAX);
        // Of two signatures of a digest the newer one stays.
        for stub in new.collect::<Vec<_>>().into_iter().rev() {
            if self.seen.contains(&stub.uuid) {
                continue;
            }
            let request = server.call(|client| client.signing_request(stub.uuid))?;
            if request.manifest.is_some() {
                for item in server.call(|client| client.signed_items(stub.uuid))? {
                    if let Some(Base64(signature)) = item.signature {
                        self.signatures.insert((policy, item.digest.0), signature);
                    }
                }
            } else {
                self.signatures.insert((policy, request.digest.0), request.signature.0);
            }
            self.seen.insert(stub.uuid);
        }
        Ok(())
    }
}

/// Whether approvals were given beforehand that may stand for this. The server has the last word.
pub(crate) fn is_granted(server: &Server, wanted: &Wanted<'_>, digest: &[u8]) -> Result<bool> {
    let policy_uuid = Some(wanted.policy.obj_info.uuid);
    let kind = Some(ProposalKind::PreApproval);
    let query = ProposalQuery { kind, policy_uuid, page_size: Some(PAGE), ..ProposalQuery::default() };
    let all = server.call(|client| client.proposals(&query))?.items;
    for stub in all.iter().filter(|stub| stub.state == ProposalState::Active) {
        let proposal = server.call(|client| client.proposal(stub.obj_info.uuid))?;
        let Some(grant) = proposal.pre_approval else { continue };
        let is_for_digest = || {
            let is_used = grant.used_digests.iter().any(|used| used.digest.0 == digest);
            // The content is the text that people approved; digests stand in it as they travel.
            proposal.content.contains(&Base64::encode(digest)) && !is_used
        };
        if grant.submitter_uuid.is_some() || is_for_digest() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What is told where nothing was approved.
pub(crate) fn needed(wanted: &Wanted<'_>) -> Failure {
    let Wanted { key, policy, .. } = wanted;
    let says = format!(
        "the policy {} of the service {service} demands approvals ({}), and people would be shown a digest and nothing else. \
         Have the file signed by `chancery sign FILE --service {word}`, or its digest or this identity approved beforehand",
        policy.obj_info.name,
        policy.num_approvals,
        service = key.service_name,
        word = shell_word(&key.service_name),
    );
    Failure::told(CKR_FUNCTION_REJECTED, says)
}
