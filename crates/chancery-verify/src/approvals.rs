//! Approvals that people sign with their passkeys: the text that is signed, and whether somebody whose key one has pinned
//! signed it. Neither the server nor its database can make such an approval.

use std::{collections::BTreeSet, fmt::Write as _, str::FromStr};

use chancery_keys::{Assertion, NotGenuine, Passkey, RelyingParty, hash, verify_assertion};
use chancery_types::{
    Base64, HashType, IdentityId, PolicyId, ProposalId, RequestDecision, SigningRequestId,
    wire::{
        passkeys::ApprovalSignature,
        signing_requests::{Approval, SigningRequest},
    },
};
use chancery_x509::time::{parse_rfc3339, rfc3339_ms};
use der::{Decode as _, Encode as _};

use crate::{approval_digest, hexadecimal, log::LogKey};

/// What stands before a statement where a passkey signs it: no other challenge of ours begins so.
const DOMAIN: &str = "chancery passkey approval 1\n";

/// The first line of a statement; the number changes where its lines do.
const FORM: &str = "chancery signed approval 1";

/// What is approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A signing request.
    Request(SigningRequestId),
    /// A change of a policy, or a pre-approval.
    Proposal(ProposalId),
}

/// What one person signs to approve something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalStatement {
    /// SHA-256 of the key of the installation's log, as text.
    pub installation: [u8; 32],
    /// What is approved.
    pub subject: Subject,
    /// What an approval of it is of.
    pub digest: Vec<u8>,
    /// What follows from the last approval, in words of the interface.
    pub consequence: String,
    /// SHA-256 of the public key (SubjectPublicKeyInfo) that would sign; none of a proposal.
    pub key: Option<[u8; 32]>,
    /// The policy and its state; none of a proposal, whose digest covers what it changes.
    pub policy: Option<(PolicyId, Vec<u8>)>,
    /// Who signs this.
    pub approver: IdentityId,
    /// All in whose name the approval is given, by their ids.
    pub session: Vec<IdentityId>,
    /// Never used before.
    pub nonce: [u8; 16],
    /// From when on it is not taken, in milliseconds since 1970 UTC.
    pub until_ms: i64,
}

impl ApprovalStatement {
    /// The text.
    #[must_use]
    pub fn text(&self) -> String {
        let (kind, id) = match self.subject {
            Subject::Request(id) => ("request", id.to_string()),
            Subject::Proposal(id) => ("proposal", id.to_string()),
        };
        let session: Vec<_> = self.session.iter().map(ToString::to_string).collect();
        let key = self.key.map_or_else(|| "-".to_owned(), |key| hexadecimal(&key));
        let policy = self.policy.as_ref();
        let policy = policy.map_or_else(|| "-".to_owned(), |(id, digest)| format!("{id} {}", hexadecimal(digest)));
        let lines = [
            ("installation", hexadecimal(&self.installation)),
            (kind, id),
            ("decision", RequestDecision::Approve.to_string()),
            ("digest", hexadecimal(&self.digest)),
            ("consequence", self.consequence.clone()),
            ("key", key),
            ("policy", policy),
            ("approver", self.approver.to_string()),
            ("session", session.join(" ")),
            ("nonce", hexadecimal(&self.nonce)),
            ("until", rfc3339_ms(self.until_ms)),
        ];
        let mut text = format!("{FORM}\n");
        for (name, value) in lines {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name} {value}");
        }
        text
    }

    /// Reads a text. None where it is not the one text of what it says.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != FORM {
            return None;
        }
        let mut next = || lines.next()?.split_once(' ');
        let installation = bytes(next().filter(|(name, _)| *name == "installation")?.1)?;
        let subject = match next()? {
            ("request", id) => Subject::Request(id.parse().ok()?),
            ("proposal", id) => Subject::Proposal(id.parse().ok()?),
            _ => return None,
        };
        let mut named = |name: &str| next().filter(|(found, _)| *found == name).map(|(_, value)| value);
        named("decision")?;
        let digest = hex::decode(named("digest")?).ok()?;
        let consequence = named("consequence")?.to_owned();
        let key = optional(named("key")?, bytes)?;
        let policy = optional(named("policy")?, |value| {
            let (id, digest) = value.split_once(' ')?;
            Some((id.parse().ok()?, hex::decode(digest).ok()?))
        })?;
        let approver = named("approver")?.parse().ok()?;
        let session: Result<Vec<_>, _> = named("session")?.split(' ').map(IdentityId::from_str).collect();
        let session = session.ok()?;
        let nonce = bytes(named("nonce")?)?;
        let until_ms = parse_rfc3339(named("until")?)?;
        let read = Self { installation, subject, digest, consequence, key, policy, approver, session, nonce, until_ms };
        (read.text() == text).then_some(read)
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex::decode(text).ok()?.try_into().ok()
}

fn optional<T>(text: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "-" { Some(None) } else { read(text).map(Some) }
}

/// What a passkey signs of a statement.
#[must_use]
pub fn approval_challenge(statement: &str) -> [u8; 32] {
    sha256(format!("{DOMAIN}{statement}").as_bytes())
}

/// By what statements name an installation: SHA-256 of its log's key, as text.
#[must_use]
pub fn installation_digest(log_key: &LogKey) -> [u8; 32] {
    sha256(log_key.to_string().as_bytes())
}

/// By what statements name the key that signs: SHA-256 of the public key of its certificate. None where that cannot be read.
#[must_use]
pub fn signing_key_digest(certificate: &[u8]) -> Option<[u8; 32]> {
    let certificate = x509_cert::Certificate::from_der(certificate).ok()?;
    Some(sha256(&certificate.tbs_certificate().subject_public_key_info().to_der().ok()?))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = hash(HashType::Sha2_256, bytes);
    digest.as_bytes().try_into().expect("SHA-256 has 32 bytes")
}

/// The public keys of approvers, as somebody has pinned them, and the site on which they approve.
#[derive(Clone, Debug)]
pub struct ApproverKeys {
    party: RelyingParty,
    keys: Vec<(IdentityId, Vec<u8>)>,
}

/// Why a text holds no keys of approvers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoApproverKeys {
    /// A line of no known form.
    #[error("line {0} is neither `origin https://…` nor `approver UUID KEY`")]
    Line(usize),
    /// It has to be known on whose pages they sign.
    #[error("it has not one line `origin https://…`, the address at which the console is reached")]
    Origin,
    /// There is nothing to verify by.
    #[error("it has no line `approver UUID KEY`")]
    Empty,
}

impl FromStr for ApproverKeys {
    type Err = NoApproverKeys;

    /// A line `origin https://…`, and lines `approver UUID KEY` with what follows for people. Empty lines and those that begin
    /// with `#` say nothing.
    fn from_str(text: &str) -> Result<Self, NoApproverKeys> {
        let (mut parties, mut keys) = (Vec::new(), Vec::new());
        for (index, line) in text.lines().enumerate() {
            let mut words = line.split_whitespace();
            let refused = || NoApproverKeys::Line(index + 1);
            match (words.next(), words.next(), words.next()) {
                (None, ..) => {}
                (Some(word), ..) if word.starts_with('#') => {}
                (Some("origin"), Some(origin), None) => {
                    parties.push(RelyingParty::of_origin(origin).map_err(|_| refused())?);
                }
                (Some("approver"), Some(id), Some(key)) => {
                    let id = id.parse().map_err(|_| refused())?;
                    keys.push((id, Base64::decode(key).ok_or_else(refused)?.0));
                }
                _ => return Err(refused()),
            }
        }
        let [party] = parties.as_slice() else { return Err(NoApproverKeys::Origin) };
        if keys.is_empty() {
            return Err(NoApproverKeys::Empty);
        }
        Ok(Self { party: party.clone(), keys })
    }
}

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

/// Whether everybody whose approval of a request is said to be signed signed that, with a pinned key, and whether they are as
/// many as are needed: so many as one asks for, or as the request says that it takes. `certificate` is that of whoever signed.
pub fn verify_approvals(
    request: &SigningRequest,
    certificate: &[u8],
    log_key: &LogKey,
    approvers: &ApproverKeys,
    required: Option<u32>,
) -> Result<Vec<Vec<IdentityId>>, NotApproved> {
    let expected = Expected {
        installation: installation_digest(log_key),
        request: request.uuid,
        digests: digests_of(request),
        key: signing_key_digest(certificate),
        policy: request.policy_uuid,
    };
    let mut seen = BTreeSet::new();
    let mut verified = Vec::new();
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
            expected.check(signature, &session, decided_at_ms)?;
            approvers.check(signature)?;
            if !seen.insert(signature.identity_uuid) {
                return Err(NotApproved::Twice(signature.identity_uuid));
            }
        }
        verified.push(session);
    }
    let given = u32::try_from(verified.len()).unwrap_or(u32::MAX);
    // A bundle that says that none are needed proves nothing of approvals.
    let required = required.unwrap_or(request.approvals_required).max(1);
    if given < required { Err(NotApproved::TooFew { given, required }) } else { Ok(verified) }
}

/// What an approval of this may be of: the digest, with all else that is signed.
fn digests_of(request: &SigningRequest) -> Vec<Vec<u8>> {
    let digest = &request.digest.0;
    let text = |text: &Option<String>| text.as_deref().map(str::as_bytes).map(<[u8]>::to_vec);
    let named = [("programName", text(&request.program_name)), ("programUrl", text(&request.program_url))];
    let with = |pages: Option<Vec<u8>>| {
        let all = [("pageHashes", pages)].into_iter().chain(named.clone());
        let parts: Vec<_> = all.filter_map(|(part, content)| Some((part, content?))).collect();
        let parts: Vec<_> = parts.iter().map(|(part, content)| (*part, content.as_slice())).collect();
        if parts.is_empty() { digest.clone() } else { approval_digest(digest, parts) }
    };
    // Hashes of pages that the server made of an upload follow from the digest, and are not approved apart.
    let pages = request.page_hashes.as_ref().map(|pages| pages.0.clone());
    vec![with(pages), with(None)]
}

/// What statements have to say.
struct Expected {
    installation: [u8; 32],
    request: SigningRequestId,
    digests: Vec<Vec<u8>>,
    key: Option<[u8; 32]>,
    policy: PolicyId,
}

impl Expected {
    fn check(
        &self,
        signature: &ApprovalSignature,
        session: &[IdentityId],
        decided_at_ms: Option<i64>,
    ) -> Result<(), NotApproved> {
        let id = signature.identity_uuid;
        let found = ApprovalStatement::parse(&signature.statement).ok_or(NotApproved::Statement(id))?;
        let is_in_time = decided_at_ms.is_some_and(|decided| decided <= found.until_ms);
        let all = [
            (found.installation == self.installation, "installation"),
            (found.subject == Subject::Request(self.request), "request"),
            (self.digests.contains(&found.digest), "digest"),
            (found.key.is_some() && found.key == self.key, "signing key"),
            (found.policy.is_some_and(|(policy, _)| policy == self.policy), "policy"),
            (found.approver == id, "approver"),
            (found.session == session, "session"),
            (is_in_time, "time"),
        ];
        match all.iter().find(|(is_same, _)| !is_same) {
            Some((_, what)) => Err(NotApproved::Other(id, what)),
            None => Ok(()),
        }
    }
}

impl ApproverKeys {
    /// Whether one of the keys that are pinned for somebody has signed the statement.
    fn check(&self, signed: &ApprovalSignature) -> Result<(), NotApproved> {
        let id = signed.identity_uuid;
        let mut refused = NotApproved::Unknown(id);
        for (_, public_key) in self.keys.iter().filter(|(known, _)| *known == id) {
            let passkey = Passkey { public_key, is_backup_eligible: None };
            let assertion = Assertion {
                client_data: &signed.client_data.0,
                authenticator_data: &signed.authenticator_data.0,
                signature: &signed.signature.0,
            };
            match verify_assertion(&self.party, &approval_challenge(&signed.statement), passkey, assertion) {
                Ok(_) => return Ok(()),
                Err(why) => refused = NotApproved::NotGenuine(id, why),
            }
        }
        Err(refused)
    }
}

#[cfg(test)]
mod tests;
