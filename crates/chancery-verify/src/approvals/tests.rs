//! A request whose two approvals openssl signed, and everything that somebody could change of it.

use std::path::PathBuf;

use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::{Base64, HashType, ProposalId, SigningFormat, wire::ObjInfo};
use serde_json::{Value, json};

use super::{statement::sha256, *};

mod keys;

const ORIGIN: &str = "https://kms.example.org";
const ANN: u128 = 0xa;
const BOB: u128 = 0xb;

/// Somebody with a key of openssl's.
struct Signer {
    id: IdentityId,
    folder: TempDir,
    public_key: Vec<u8>,
}

impl Signer {
    fn new(id: u128, algorithm: &[&str]) -> Self {
        let folder = temp_dir();
        let key = folder.path().join("key.pem");
        let _made = Tool::new("openssl").arg("genpkey").args(algorithm).arg("-out").arg(&key).run();
        let public = Tool::new("openssl").args(["pkey", "-pubout", "-outform", "DER", "-in"]).arg(&key).run();
        Self { id: IdentityId::from_u128(id), public_key: public.stdout, folder }
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// What its passkey signs of a text.
    fn sign(&self, statement: &str) -> ApprovalSignature {
        let challenge = base64url(&approval_challenge(statement));
        let client_data =
            json!({"type": "webauthn.get", "challenge": challenge, "origin": ORIGIN, "crossOrigin": false});
        let client_data = client_data.to_string().into_bytes();
        let authenticator_data = [&sha256(b"kms.example.org")[..], &[5, 0, 0, 0, 3]].concat();
        let message = [&authenticator_data[..], &sha256(&client_data)].concat();
        let file = self.folder.path().join("message");
        std::fs::write(&file, &message).unwrap();
        let signed = Tool::new("openssl").args(["pkeyutl", "-sign", "-rawin", "-inkey"]).arg(self.key());
        let is_ed25519 = self.public_key.len() == 44;
        let signed = if is_ed25519 { signed } else { signed.args(["-digest", "sha256"]) };
        let signature = signed.arg("-in").arg(&file).run().stdout;
        ApprovalSignature {
            identity_uuid: self.id,
            statement: statement.to_owned(),
            public_key: Base64(self.public_key.clone()),
            credential_id: Base64(vec![1]),
            client_data: Base64(client_data),
            authenticator_data: Base64(authenticator_data),
            signature: Base64(signature),
        }
    }

    fn pinned(&self) -> String {
        format!("approver {} {} laptop\n", self.id, Base64::encode(&self.public_key))
    }
}

/// In base64url without padding.
fn base64url(bytes: &[u8]) -> String {
    Base64::encode(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

type Verified = Result<Vec<Vec<IdentityId>>, NotApproved>;

/// A request that two have approved, and the certificate that signed it.
struct Bundle {
    request: SigningRequest,
    certificate: Vec<u8>,
    signers: [Signer; 2],
}

fn statement(certificate: &[u8], approver: IdentityId) -> ApprovalStatement {
    ApprovalStatement {
        installation: installation_digest(&log_key()),
        subject: Subject::Request(SigningRequestId::from_u128(1)),
        digest: vec![7; 32],
        content: Some(Content::new(None, [false; 3])),
        consequence: "Signature CMS Sha2_256".to_owned(),
        key: signing_key_digest(certificate),
        policy: Some((PolicyId::from_u128(2), vec![9; 32])),
        approver,
        session: vec![approver],
        nonce: [3; 16],
        until_ms: 1_782_043_500_500,
    }
}

fn log_key() -> LogKey {
    LogKey::new("example.org/log", [7; 32]).unwrap()
}

impl Bundle {
    fn new() -> Self {
        let folder = temp_dir();
        let certificate = folder.path().join("c.der");
        let _made = Tool::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
            .args(["-subj", "/CN=signer", "-outform", "DER", "-keyout", "/dev/null", "-out"])
            .arg(&certificate)
            .run();
        let certificate = std::fs::read(certificate).unwrap();
        let ec = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
        let signers = [Signer::new(ANN, &ec), Signer::new(BOB, &["-algorithm", "ED25519"])];
        let approvals: Vec<_> =
            signers.iter().map(|signer| approval(signer, &statement(&certificate, signer.id))).collect();
        Self { request: request(&approvals), certificate, signers }
    }

    fn pinned(&self) -> ApproverKeys {
        let lines = format!("# ours\norigin {ORIGIN}\n\n{}{}", self.signers[0].pinned(), self.signers[1].pinned());
        lines.parse().unwrap()
    }

    fn verify(&self) -> Verified {
        self.check(&self.request, &log_key(), &self.pinned(), 2)
    }

    fn check(&self, request: &SigningRequest, log_key: &LogKey, keys: &ApproverKeys, required: u32) -> Verified {
        let facts = SignatureFacts { is_rsa_pss: Some(false), is_stamped: false };
        let what = ToApprove { request, certificate: &self.certificate, facts, page_hashes: None };
        verify_approvals(what, log_key, keys, required)
    }

    /// The same where ann's statement says something else, and she signs that.
    fn saying(&self, change: impl FnOnce(&mut ApprovalStatement)) -> Verified {
        let mut said = statement(&self.certificate, self.signers[0].id);
        change(&mut said);
        let mut request = self.request.clone();
        request.approvals[0].signatures = vec![self.signers[0].sign(&said.text())];
        self.check(&request, &log_key(), &self.pinned(), 2)
    }

    fn changed(&self, change: impl FnOnce(&mut SigningRequest)) -> Verified {
        let mut request = self.request.clone();
        change(&mut request);
        self.check(&request, &log_key(), &self.pinned(), 2)
    }
}

fn approval(signer: &Signer, said: &ApprovalStatement) -> Value {
    json!({
        "decision": "Approve", "identities": [ObjInfo { name: "somebody".to_owned(), uuid: signer.id }], "note": "",
        "decidedAt": "2026-06-21T12:00:01Z", "signatures": [signer.sign(&said.text())],
    })
}

fn request(approvals: &[Value]) -> SigningRequest {
    let uuid = |n: u128| SigningRequestId::from_u128(n).to_string();
    let digest = Base64::encode(&[7; 32]);
    let body = json!({
        "objInfo": {"name": "r", "uuid": uuid(1)}, "uuid": uuid(1), "name": "r", "state": "Signed", "approvalState": "Approved",
        "serviceUuid": uuid(3), "policyUuid": uuid(2), "signingPolicyUuid": uuid(2), "signingFormat": "CMS",
        "hashAlgorithm": "Sha2_256", "digest": digest, "approvalDigest": digest, "signature": "", "submittedAt": "",
        "submittedBy": [], "approvalsRequired": 2, "approvals": approvals,
    });
    serde_json::from_value(body).unwrap()
}

#[test]
fn a_statement_has_one_text() {
    let said = ApprovalStatement {
        session: vec![IdentityId::from_u128(BOB), IdentityId::from_u128(ANN)],
        ..statement(&[], IdentityId::from_u128(ANN))
    };
    for said in [
        said.clone(),
        ApprovalStatement { content: Some(Content::new(Some(12), [false; 3])), ..said.clone() },
        ApprovalStatement { content: Some(Content::new(None, [true; 3])), ..said.clone() },
        ApprovalStatement {
            content: None,
            key: None,
            policy: None,
            subject: Subject::Proposal(ProposalId::from_u128(9)),
            ..said
        },
    ] {
        let text = said.text();
        assert_eq!(ApprovalStatement::parse(&text), Some(said), "{text}");
        for other in [
            text.replace('\n', "\r\n"),
            format!("{text}\n"),
            text.trim_end().to_owned(),
            text.replace("decision Approve", "decision Deny"),
            text.to_uppercase(),
            text.replacen("digest", "digset", 1),
            text.replacen(" 1\n", " 2\n", 1),
            text.replacen("content ", "content 1", 1),
            text.replacen("content ", "content manifest ", 1),
        ] {
            assert_eq!(ApprovalStatement::parse(&other), None, "{other}");
        }
    }
    assert_eq!(ApprovalStatement::parse(""), None);
}

#[test]
fn approvals_that_are_signed_are_verified_without_the_installation() {
    let bundle = Bundle::new();
    let ids = [ANN, BOB].map(IdentityId::from_u128);
    assert_eq!(bundle.verify(), Ok(ids.map(|id| vec![id]).to_vec()));
    let three = bundle.check(&bundle.request, &log_key(), &bundle.pinned(), 3);
    assert_eq!(three, Err(NotApproved::TooFew { given: 2, required: 3 }));
    // What the bundle says of how many it takes is anybody's.
    let one = bundle.changed(|request| {
        request.approvals.pop();
        request.approvals_required = 1;
    });
    assert_eq!(one, Err(NotApproved::TooFew { given: 1, required: 2 }));
    let mut none = bundle.request.clone();
    none.approvals.clear();
    let none = bundle.check(&none, &log_key(), &bundle.pinned(), 0);
    assert_eq!(none, Err(NotApproved::TooFew { given: 0, required: 1 }));
}

#[test]
fn what_was_changed_afterwards_is_found() {
    let bundle = Bundle::new();
    let ann = bundle.signers[0].id;
    let other = |what| Err(NotApproved::Other(ann, what));
    assert_eq!(bundle.changed(|request| request.digest = Base64(vec![8; 32])), other("digest"));
    assert_eq!(bundle.changed(|request| request.program_name = Some("x".to_owned())), other("digest"));
    assert_eq!(bundle.changed(|request| request.uuid = SigningRequestId::from_u128(5)), other("request"));
    assert_eq!(bundle.changed(|request| request.policy_uuid = PolicyId::from_u128(5)), other("policy"));
    let late = bundle.changed(|request| request.approvals[0].decided_at = "2026-06-21T12:05:01Z".to_owned());
    assert_eq!(late, other("time"));
    let renamed = bundle.changed(|request| {
        let id = bundle.signers[1].id;
        request.approvals[0].identities[0].uuid = id;
        request.approvals[0].signatures[0].identity_uuid = id;
    });
    assert_eq!(renamed, Err(NotApproved::Other(bundle.signers[1].id, "approver")));
    assert_eq!(
        bundle.changed(|request| request.approvals[1] = request.approvals[0].clone()),
        Err(NotApproved::Twice(ann))
    );
    // Nobody has to believe what nobody signed.
    let unsigned = bundle.changed(|request| request.approvals[0].signatures.clear());
    assert_eq!(unsigned, Err(NotApproved::TooFew { given: 1, required: 2 }));
    let alone = bundle.changed(|request| {
        let second = request.approvals[1].identities[0].clone();
        request.approvals[0].identities.push(second);
    });
    assert!(matches!(alone, Err(NotApproved::Unsigned(_))), "{alone:?}");
    let genuine = |why| Err(NotApproved::NotGenuine(ann, why));
    let in_first =
        |change: fn(&mut ApprovalSignature)| bundle.changed(|request| change(&mut request.approvals[0].signatures[0]));
    assert_eq!(in_first(|one| one.authenticator_data.0[36] ^= 1), genuine(NotGenuine::Signature), "the counter");
    assert_eq!(in_first(|one| one.authenticator_data.0[32] = 1), genuine(NotGenuine::NotVerified));
    assert_eq!(in_first(|one| one.authenticator_data.0[0] ^= 1), genuine(NotGenuine::RelyingParty));
    assert_eq!(in_first(|one| one.client_data.0.push(b' ')), genuine(NotGenuine::Signature));
    assert_eq!(in_first(|one| one.signature.0.clear()), genuine(NotGenuine::Signature));
    let nonce = |one: &mut ApprovalSignature| one.statement = one.statement.replace("nonce 03", "nonce 04");
    assert_eq!(in_first(nonce), genuine(NotGenuine::Challenge));
    assert_eq!(in_first(|one| one.statement.push('x')), Err(NotApproved::Statement(ann)));
    // The public key that stands in the bundle says nothing: the pinned one does.
    assert_eq!(in_first(|one| one.public_key.0.clear()).map(|all| all.len()), Ok(2));
}

#[test]
fn what_was_signed_of_something_else_is_no_approval_of_this() {
    let bundle = Bundle::new();
    let ann = bundle.signers[0].id;
    let other = |what| Err(NotApproved::Other(ann, what));
    assert_eq!(bundle.saying(|_| ()).map(|all| all.len()), Ok(2));
    assert_eq!(bundle.saying(|said| said.installation[0] ^= 1), other("installation"));
    assert_eq!(bundle.saying(|said| said.digest = vec![8; 32]), other("digest"));
    for content in [Content::new(Some(1), [false; 3]), Content::new(None, [false, true, false])] {
        assert_eq!(bundle.saying(|said| said.content = Some(content)), other("content"));
    }
    assert_eq!(bundle.saying(|said| said.content = None), other("content"));
    for consequence in ["Signature CMS Sha2_512", "Signature Raw Sha2_256", "Signature CMS Sha2_256 timeStamp"] {
        let said = bundle.saying(|said| said.consequence = consequence.to_owned());
        assert_eq!(said, other("consequence"), "{consequence}");
    }
    assert_eq!(bundle.saying(|said| said.key = Some([0; 32])), other("signing key"));
    assert_eq!(bundle.saying(|said| said.key = None), other("signing key"));
    assert_eq!(bundle.saying(|said| said.policy = None), other("policy"));
    let proposal = Subject::Proposal(ProposalId::from_u128(1));
    assert_eq!(bundle.saying(|said| said.subject = proposal), other("request"));
    assert_eq!(bundle.saying(|said| said.approver = IdentityId::from_u128(BOB)), other("approver"));
    assert_eq!(bundle.saying(|said| said.session.push(IdentityId::from_u128(BOB))), other("session"));
    assert_eq!(bundle.saying(|said| said.until_ms = 0), other("time"));
    let of_other_log = LogKey::new("example.org/other", [7; 32]).unwrap();
    let found = bundle.check(&bundle.request, &of_other_log, &bundle.pinned(), 2);
    assert_eq!(found, other("installation"));
}

#[test]
fn approvals_of_one_bundle_are_of_one_state_of_the_policy() {
    let bundle = Bundle::new();
    let bob = bundle.signers[1].id;
    let of_other = bundle.saying(|said| said.policy = Some((PolicyId::from_u128(2), vec![8; 32])));
    assert_eq!(of_other, Err(NotApproved::Disagrees(bob, "state of the policy")));
}

#[test]
fn what_is_told_of_a_signature_is_how_it_was_made() {
    let bundle = Bundle::new();
    let told = |is_rsa_pss, is_stamped, hash, format| {
        let request = SigningRequest { hash_algorithm: hash, signing_format: format, ..bundle.request.clone() };
        SignatureFacts { is_rsa_pss, is_stamped }.consequences(&request)
    };
    let (sha, shake) = (HashType::Sha2_256, HashType::Shake128);
    assert_eq!(told(Some(false), false, sha, SigningFormat::Cms), ["Signature CMS Sha2_256"]);
    assert_eq!(told(Some(true), false, sha, SigningFormat::Cms), ["Signature CMS Sha2_256 rsaPss"]);
    let of_shake = told(Some(true), false, shake, SigningFormat::Cms);
    assert_eq!(of_shake, ["Signature CMS Shake128", "Signature CMS Shake128 rsaPss"], "by PSS alone, said or not");
    let stamped = told(Some(false), true, sha, SigningFormat::Cms);
    assert_eq!(stamped, ["Signature CMS Sha2_256", "Signature CMS Sha2_256 timeStamp"]);
    assert_eq!(told(None, false, sha, SigningFormat::Raw).len(), 2, "it does not say how RSA made it");
}

/// One of a PE file with hashes of its pages: approved by name, or those of the file.
#[test]
fn hashes_of_pages_were_approved_or_are_those_of_the_file() {
    let bundle = Bundle::new();
    let mut request = bundle.request.clone();
    request.page_hashes = Some(Base64(vec![5; 40]));
    let check = |request: &SigningRequest, page_hashes: Option<&[u8]>| {
        let facts = SignatureFacts { is_rsa_pss: Some(false), is_stamped: false };
        let what = ToApprove { request, certificate: &bundle.certificate, facts, page_hashes };
        verify_approvals(what, &log_key(), &bundle.pinned(), 2).map(|all| all.len())
    };
    assert_eq!(check(&request, Some(&[5; 40])), Ok(2), "made of the upload");
    assert_eq!(check(&request, Some(&[6; 40])), Err(NotApproved::PageHashes));
    assert_eq!(check(&request, None), Err(NotApproved::PageHashes));
    for (approval, signer) in request.approvals.iter_mut().zip(&bundle.signers) {
        let mut said = statement(&bundle.certificate, signer.id);
        said.digest = approval_digest(&[7; 32], [("pageHashes", &[5; 40][..])]);
        said.content = Some(Content::new(None, [true, false, false]));
        approval.signatures = vec![signer.sign(&said.text())];
    }
    assert_eq!(check(&request, None), Ok(2), "approved");
    request.page_hashes = Some(Base64(vec![6; 40]));
    assert_eq!(check(&request, None), Err(NotApproved::Other(bundle.signers[0].id, "digest")));
}

/// A file whose content is what an approval of something else is of.
#[test]
fn a_digest_is_approved_for_what_it_is_of() {
    let bundle = Bundle::new();
    let mut request = bundle.request.clone();
    request.program_name = Some("Good Product".to_owned());
    for (approval, signer) in request.approvals.iter_mut().zip(&bundle.signers) {
        let mut said = statement(&bundle.certificate, signer.id);
        said.digest = approval_digest(&[7; 32], [("programName", &b"Good Product"[..])]);
        approval.signatures = vec![signer.sign(&said.text())];
    }
    let found = bundle.check(&request, &log_key(), &bundle.pinned(), 2);
    assert_eq!(found, Err(NotApproved::Other(bundle.signers[0].id, "content")));
}
