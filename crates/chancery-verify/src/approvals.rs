//! Approvals that people sign with their passkeys: the text that is signed, and whether somebody whose key one has pinned
//! signed it. Neither the server nor its database can make such an approval.

use std::collections::BTreeSet;

use chancery_keys::NotGenuine;
use chancery_types::{
    IdentityId, PolicyId, RequestDecision, SigningRequestId,
    wire::{
        passkeys::ApprovalSignature,
        signing_requests::{Approval, SigningRequest},
    },
};
use chancery_x509::time::parse_rfc3339;

use crate::{SignatureFacts, approval_digest, log::LogKey};

mod keys;
mod statement;

pub use keys::{ApproverKeys, NoApproverKeys};
pub use statement::{ApprovalStatement, Content, Subject, approval_challenge, installation_digest, signing_key_digest};

/// Why approvals are not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApproved {
    /// Somebody approved without a passkey, or the signature was left out.
    #[error("an approval of {0} is not signed by all in whose name it was given")]
    Unsigned(String),
    /// No statement at all, or not as one is written.
    #[error("what {0} signed is no statement of an approval")]
    Statement(IdentityId),
    /// A statement about something else.
    #[error("what {0} signed is of another {1}")]
    Other(IdentityId, &'static str),
    /// Somebody whom one does not know.
    #[error("{0} is not among the approvers of the file")]
    Unknown(IdentityId),
    /// The signature, or what was signed besides the statement.
    #[error("the signature of {0} does not hold: {1}")]
    NotGenuine(IdentityId, NotGenuine),
    /// What one approved, the other did not.
    #[error("{0} approved another {1} than those before")]
    Disagrees(IdentityId, &'static str),
    /// Nothing says whether they are the file's.
    #[error("the hashes of pages were not approved, and are not those of a file that is at hand")]
    PageHashes,
    /// One person does not approve twice.
    #[error("{0} approved more than once")]
    Twice(IdentityId),
    /// Fewer than are asked for.
    #[error("there are {given} approvals, and {required} are needed")]
    TooFew {
        /// Those that hold.
        given: u32,
        /// Those that are asked for.
        required: u32,
    },
}

/// What is to have been approved.
#[derive(Clone, Copy, Debug)]
pub struct ToApprove<'a> {
    /// As the interface shows it; of a manifest the whole.
    pub request: &'a SigningRequest,
    /// That of whoever signed.
    pub certificate: &'a [u8],
    /// How it was signed: of a manifest, one of its items.
    pub facts: SignatureFacts,
    /// The hashes of the pages of the file, where that is at hand. Those that a server made of an upload nobody approves
    /// apart: they follow from the file, so they have to be these.
    pub page_hashes: Option<&'a [u8]>,
}

/// Whether everybody whose approval of a request is said to be signed signed that, with a pinned key, whether all of them
/// approved the same, and whether they are as many as are needed. How many that are is no question to a bundle, whose
/// approvals anybody may have left out.
pub fn verify_approvals(
    what: ToApprove<'_>,
    log_key: &LogKey,
    approvers: &ApproverKeys,
    required: u32,
) -> Result<Vec<Vec<IdentityId>>, NotApproved> {
    let request = what.request;
    let expected = Expected {
        installation: installation_digest(log_key),
        request: request.uuid,
        contents: what.contents(),
        consequences: what.facts.consequences(request),
        key: signing_key_digest(what.certificate),
        policy: request.policy_uuid,
    };
    let mut seen = BTreeSet::new();
    let mut verified = Vec::new();
    let mut common = None;
    // Those of before the policy demanded signatures do not count, here as there.
    let is_signed =
        |approval: &&Approval| approval.decision == RequestDecision::Approve && !approval.signatures.is_empty();
    for approval in request.approvals.iter().filter(is_signed) {
        let mut session: Vec<_> = approval.identities.iter().map(|identity| identity.uuid).collect();
        session.sort_unstable();
        let mut signers: Vec<_> = approval.signatures.iter().map(|signature| signature.identity_uuid).collect();
        signers.sort_unstable();
        if signers != session || session.is_empty() {
            let names: Vec<_> = session.iter().map(ToString::to_string).collect();
            return Err(NotApproved::Unsigned(names.join(" and ")));
        }
        for signature in &approval.signatures {
            let decided_at_ms = parse_rfc3339(&approval.decided_at);
            let said = expected.check(signature, &session, decided_at_ms)?;
            approvers.check(signature)?;
            if !seen.insert(signature.identity_uuid) {
                return Err(NotApproved::Twice(signature.identity_uuid));
            }
            agrees(common.get_or_insert_with(|| said.clone()), &said)?;
            if !said.content.is_some_and(|content| what.pages_follow(&content)) {
                return Err(NotApproved::PageHashes);
            }
        }
        verified.push(session);
    }
    let given = u32::try_from(verified.len()).unwrap_or(u32::MAX);
    // None at all is no number of approvals.
    let required = required.max(1);
    if given < required { Err(NotApproved::TooFew { given, required }) } else { Ok(verified) }
}

/// Whether two approved the same, each with a nonce, a time and a session of its own.
fn agrees(first: &ApprovalStatement, said: &ApprovalStatement) -> Result<(), NotApproved> {
    // Whatever statements come to say has to be the same, unless it is named here.
    let ApprovalStatement {
        installation,
        subject,
        digest,
        content,
        consequence,
        key,
        policy,
        approver: _,
        session: _,
        nonce: _,
        until_ms: _,
    } = first;
    let all = [
        (*installation == said.installation, "installation"),
        (*subject == said.subject, "request"),
        (*digest == said.digest, "digest"),
        (*content == said.content, "content"),
        (*consequence == said.consequence, "consequence"),
        (*key == said.key, "signing key"),
        (*policy == said.policy, "state of the policy"),
    ];
    match all.iter().find(|(is_same, _)| !is_same) {
        Some((_, what)) => Err(NotApproved::Disagrees(said.approver, what)),
        None => Ok(()),
    }
}

impl ToApprove<'_> {
    /// What an approval of this may be of, and its digest: with the hashes of pages, and without.
    fn contents(&self) -> Vec<(Content, Vec<u8>)> {
        let request = self.request;
        let digest = &request.digest.0;
        let pages = request.page_hashes.as_ref().map(|pages| pages.0.as_slice());
        let (name, url) = (request.program_name.as_deref(), request.program_url.as_deref());
        let items = request.manifest.as_ref().map(|manifest| manifest.total);
        let with = |pages: Option<&[u8]>| {
            let all = [
                ("pageHashes", pages),
                ("programName", name.map(str::as_bytes)),
                ("programUrl", url.map(str::as_bytes)),
            ];
            let content = Content::new(items, all.map(|(_, content)| content.is_some()));
            let parts: Vec<_> = all.into_iter().filter_map(|(part, content)| Some((part, content?))).collect();
            (content, if parts.is_empty() { digest.clone() } else { approval_digest(digest, parts) })
        };
        vec![with(pages), with(None)]
    }

    /// Whether the hashes of pages that are signed, if any are, were approved or are those of the file.
    fn pages_follow(&self, approved: &Content) -> bool {
        let signed = self.request.page_hashes.as_ref().map(|pages| pages.0.as_slice());
        signed.is_none() || approved.besides.contains(&"pageHashes") || signed == self.page_hashes
    }
}

/// What statements have to say.
struct Expected {
    installation: [u8; 32],
    request: SigningRequestId,
    contents: Vec<(Content, Vec<u8>)>,
    consequences: Vec<String>,
    key: Option<[u8; 32]>,
    policy: PolicyId,
}

impl Expected {
    fn check(
        &self,
        signature: &ApprovalSignature,
        session: &[IdentityId],
        decided_at_ms: Option<i64>,
    ) -> Result<ApprovalStatement, NotApproved> {
        let id = signature.identity_uuid;
        let found = ApprovalStatement::parse(&signature.statement).ok_or(NotApproved::Statement(id))?;
        let is_in_time = decided_at_ms.is_some_and(|decided| decided <= found.until_ms);
        let of_digest = || self.contents.iter().filter(|(_, digest)| *digest == found.digest);
        let all = [
            (found.installation == self.installation, "installation"),
            (found.subject == Subject::Request(self.request), "request"),
            (of_digest().next().is_some(), "digest"),
            (of_digest().any(|(content, _)| found.content.as_ref() == Some(content)), "content"),
            (self.consequences.contains(&found.consequence), "consequence"),
            (found.key.is_some() && found.key == self.key, "signing key"),
            (found.policy.as_ref().is_some_and(|(policy, _)| *policy == self.policy), "policy"),
            (found.approver == id, "approver"),
            (found.session == session, "session"),
            (is_in_time, "time"),
        ];
        match all.iter().find(|(is_same, _)| !is_same) {
            Some((_, what)) => Err(NotApproved::Other(id, what)),
            None => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests;
