//! The text that a passkey signs to approve something.

use std::{fmt::Write as _, str::FromStr as _};

use chancery_keys::hash;
use chancery_types::{HashType, IdentityId, PolicyId, ProposalId, RequestDecision, SigningRequestId};
use chancery_x509::time::{parse_rfc3339, rfc3339_ms};
use der::{Decode as _, Encode as _};

use crate::{hexadecimal, log::LogKey};

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

/// What else than its content a request may have signed, by the names of the interface, in the order in which an approval
/// has them.
const BESIDES: [&str; 3] = ["pageHashes", "programName", "programUrl"];

/// What the digest is of: the same digest may stand for a list of files and for the file with the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// How many items a manifest has; none where one file is signed.
    pub items: Option<u32>,
    /// What else the digest covers, by the names of the interface.
    pub besides: Vec<&'static str>,
}

impl Content {
    /// A file, or a manifest of so many items, and whether hashes of pages, the name and the address of a program were
    /// approved with it.
    #[must_use]
    pub fn new(items: Option<u32>, is_approved_with: [bool; 3]) -> Self {
        let with = BESIDES.into_iter().zip(is_approved_with);
        Self { items, besides: with.filter_map(|(name, is_there)| is_there.then_some(name)).collect() }
    }

    fn text(&self) -> String {
        let what = self.items.map_or_else(|| "file".to_owned(), |items| format!("manifest {items}"));
        [&[what.as_str()][..], &self.besides].concat().join(" ")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let items = match words.next()? {
            "file" => None,
            "manifest" => Some(words.next()?.parse().ok()?),
            _ => return None,
        };
        let known = |word| BESIDES.into_iter().find(|known| *known == word);
        Some(Self { items, besides: words.map(known).collect::<Option<_>>()? })
    }
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
    /// What that digest is of; none of a proposal, whose text says it.
    pub content: Option<Content>,
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
            ("content", self.content.as_ref().map_or_else(|| "-".to_owned(), Content::text)),
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
        let content = optional(named("content")?, Content::parse)?;
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
        let read = Self {
            installation,
            subject,
            digest,
            content,
            consequence,
            key,
            policy,
            approver,
            session,
            nonce,
            until_ms,
        };
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

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = hash(HashType::Sha2_256, bytes);
    digest.as_bytes().try_into().expect("SHA-256 has 32 bytes")
}
