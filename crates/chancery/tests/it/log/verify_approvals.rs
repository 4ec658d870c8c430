//! `chancery verify --approver-keys`: approvals by a key that is pinned, and what somebody who wrote the bundle puts around
//! them. Signatures and proofs are real, and so are approvals: openssl makes what a passkey would.

use std::fs;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use chancery_testkit::Tool;
use chancery_types::{
    Base64, ExistingSignature, HashType, IdentityId, LogVisibility, SigningFormat,
    wire::signing_requests::{ManifestItem, ManifestSummary, SignedItem, SigningRequest, SubmitRequest},
};
use chancery_verify::{
    ApprovalStatement, Content, Subject, approval_challenge, approval_digest, certificate_of_signer,
    installation_digest, signature_consequence, signing_key_digest,
};
use serde_json::{Value, json};

use super::{
    site::{Site, covered, deploy, submission},
    verify::Case,
    verify_signatures::covered_items,
};

const ORIGIN: &str = "https://kms.example.org";
/// A statement is taken so long; it is as old as the test.
const UNTIL_MS: i64 = 4_102_444_800_000;

fn approver() -> IdentityId {
    IdentityId::from_u128(0xa)
}

/// Makes the approver's key and pins it.
fn enrol(case: &Case) {
    let openssl = |arguments: &str| {
        let _ran = Tool::new("openssl").args(arguments.split(' ')).folder(case.site.path("")).run();
    };
    openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ann.pem");
    openssl("pkey -in ann.pem -pubout -outform DER -out ann.der");
    let key = STANDARD.encode(fs::read(case.site.path("ann.der")).unwrap());
    case.write("pins", format!("origin {ORIGIN}\napprover {} {key} laptop\n", approver()));
}

fn sha256(case: &Case, content: &[u8]) -> Vec<u8> {
    case.write("hashed", content);
    Tool::new("openssl").args(["dgst", "-sha256", "-binary", "hashed"]).folder(case.site.path("")).run().stdout
}

/// The detail of a request as if the approver had signed this of it.
fn approved(case: &Case, request: &SigningRequest, signature: &[u8], (content, digest): (Content, Vec<u8>)) -> Value {
    let said = ApprovalStatement {
        installation: installation_digest(&case.vkey.parse().unwrap()),
        subject: Subject::Request(request.uuid),
        digest,
        content: Some(content),
        consequence: signature_consequence(request.signing_format, request.hash_algorithm, false, false),
        key: signing_key_digest(&certificate_of_signer(signature).unwrap()),
        policy: Some((request.policy_uuid, vec![9; 32])),
        approver: approver(),
        session: vec![approver()],
        nonce: [3; 16],
        until_ms: UNTIL_MS,
    };
    let statement = said.text();
    let challenge = URL_SAFE_NO_PAD.encode(approval_challenge(&statement));
    let client = json!({"type": "webauthn.get", "challenge": challenge, "origin": ORIGIN, "crossOrigin": false});
    let client = client.to_string().into_bytes();
    let data = [&sha256(case, b"kms.example.org")[..], &[5, 0, 0, 0, 3]].concat();
    case.write("message", [&data[..], &sha256(case, &client)].concat());
    let signing = ["pkeyutl", "-sign", "-rawin", "-digest", "sha256", "-inkey", "ann.pem", "-in", "message"];
    let made = Tool::new("openssl").args(signing).folder(case.site.path("")).run().stdout;
    let base64 = |bytes: &[u8]| STANDARD.encode(bytes);
    let mut detail = json!(request);
    detail["approvals"] = json!([{
        "decision": "Approve", "identities": [{"name": "ann", "uuid": approver()}], "note": "",
        "decidedAt": request.submitted_at, "signatures": [{
            "identityUuid": approver(), "statement": statement, "publicKey": "", "credentialId": "AQ==",
            "clientData": base64(&client), "authenticatorData": base64(&data), "signature": base64(&made),
        }],
    }]);
    detail
}

/// A signature over another program's name than the one that was approved, and what else a bundle may show of one.
#[test]
fn what_was_approved_is_what_the_signature_says() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let (root, targets) = deploy(&client, &[(SigningFormat::Powershell, LogVisibility::Public)]);
    let case = Case::new(site);
    case.write("root.pem", &root);
    enrol(&case);
    case.write("x.ps1", "Write-Output 1\r\n");
    let path = case.site.path("x.ps1");
    let hash = HashType::Sha2_256;
    let mut file =
        chancery_client::File::open(path, SigningFormat::Powershell, hash, ExistingSignature::Replace).unwrap();
    let digest = file.digest().unwrap();
    let sign = |name: &str, url: Option<&str>| {
        let plain = submission(targets[0], "x.ps1", Some(&digest), None);
        let (program_name, program_url) = (Some(name.to_owned()), url.map(str::to_owned));
        let id = client.submit(&SubmitRequest { program_name, program_url, ..plain }).unwrap().uuid;
        covered(&client, id)
    };
    let (good, evil) = (sign("Good Product", None), sign("EVIL Product", Some("http://evil.example/")));
    let what =
        (Content::new(None, [false, true, false]), approval_digest(&digest, [("programName", &b"Good Product"[..])]));
    let detail = approved(&case, &good, &good.signature.0, what);
    let plain = ["--bundle", "x.json", "--file", "x.ps1"];
    let pinned = [&plain[..], &["--approver-keys", "pins", "--approvals", "1"]].concat();
    case.write("x.json", detail.to_string());
    case.verified(&pinned, &[&format!("by {}", approver()), "not checked: no --root", "verified"]);
    case.verified(&[&pinned[..], &["--root", "root.pem"]].concat(), &["CN=Signer 0", "verified"]);
    case.refused(&[&pinned[..5], &["pins", "--approvals", "2"]].concat(), 1, "there are 1 approvals, and 2 are");

    // Logged, of the same file, by the same key: and of somebody else's program.
    let evil = json!(evil);
    let mut mixed = detail.clone();
    for member in ["signature", "decidedAt", "inclusionProof"] {
        mixed[member] = evil[member].clone();
    }
    let another = "the signature says another programName or programUrl than the bundle";
    case.write("x.json", mixed.to_string());
    case.refused(&pinned, 1, another);
    case.refused(&plain, 1, another);
    mixed["programName"] = evil["programName"].clone();
    mixed["programUrl"] = evil["programUrl"].clone();
    case.write("x.json", mixed.to_string());
    case.verified(&plain, &["verified"]);
    case.refused(&pinned, 1, "is of another digest");
    for (member, value, why) in [
        ("programName", Value::Null, another),
        ("programUrl", json!("http://evil.example/"), another),
        ("pageHashes", json!("AAAA"), "the signature says another pageHashes"),
        ("hashAlgorithm", json!("Sha2_512"), "the signature says another hashAlgorithm"),
        ("approvals", json!([]), "there are 0 approvals, and 1 are"),
    ] {
        let mut changed = detail.clone();
        changed[member] = value;
        // Nothing asks how many approvals a bundle says that it took.
        changed["approvalsRequired"] = json!(0);
        case.write("x.json", changed.to_string());
        // Of a file, since what a hash makes of it is the digest.
        let by_digest =
            ["--bundle", "x.json", "--digest", &hex(&digest), "--approver-keys", "pins", "--approvals", "1"];
        case.refused(&by_digest, 1, why);
    }
    assert!(server.stop().success());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file with the lines of a manifest has its digest. Whoever approved the file approved no signature on what it lists.
#[test]
fn an_approved_list_is_no_approved_manifest() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let (_, targets) = deploy(&client, &[(SigningFormat::Cms, LogVisibility::Public)]);
    let case = Case::new(site);
    enrol(&case);
    case.write("evil.bin", "evil");
    let logged = |content: &[u8]| {
        let id = client.submit(&submission(targets[0], "a file", None, Some(content))).unwrap().uuid;
        covered(&client, id)
    };
    let evil = logged(b"evil");
    let lines = format!("{}  evil.bin\n", hex(&evil.digest.0));
    let list = logged(lines.as_bytes());
    let signature = list.signature.0.clone();
    let of_file = (Content::new(None, [false; 3]), list.digest.0.clone());
    let mut forged = approved(&case, &list, &signature, of_file);
    case.write("list", &lines);
    case.write("bundle.json", forged.to_string());
    let keys = ["--approver-keys", "pins", "--approvals", "1"];
    case.verified(&[&["--bundle", "bundle.json", "--file", "list"], &keys[..]].concat(), &["approved", "verified"]);

    let item = SignedItem {
        name: "evil.bin".to_owned(),
        digest: evil.digest.clone(),
        state: evil.state,
        signature: Some(evil.signature.clone()),
        inclusion_proof: Some(evil.inclusion_proof.clone()),
        change: None,
    };
    case.write("items.json", json!({"response": {"items": [item], "total": 1}}).to_string());
    let of_item = ["--bundle", "bundle.json", "--items", "items.json", "--item", "evil.bin", "--file", "evil.bin"];
    let of_item = [&of_item[..], &keys].concat();
    case.refused(&of_item, 2, "it is no manifest");
    forged["manifest"] = json!(ManifestSummary { total: 1, signed: 1, failed: 0 });
    forged["decidedAt"] = json!(evil.decided_at);
    forged["signature"] = json!("");
    case.write("bundle.json", forged.to_string());
    case.refused(&of_item, 1, "is of another content");

    // The manifest itself, and another number of items than were approved.
    let items = vec![ManifestItem { name: "evil.bin".to_owned(), digest: Base64(evil.digest.0.clone()) }];
    let id = client.submit_manifest("release", targets[0].service, targets[0].policy, items).unwrap().uuid;
    let items = covered_items(&client, id);
    let signature = items[0].signature.clone().unwrap().0;
    case.write("items.json", json!({"response": {"items": items, "total": 1}}).to_string());
    let manifest = client.signing_request(id).unwrap();
    for (count, is_approved) in [(1, true), (2, false)] {
        let what = (Content::new(Some(count), [false; 3]), manifest.digest.0.clone());
        case.write("bundle.json", approved(&case, &manifest, &signature, what).to_string());
        if is_approved {
            case.verified(&of_item, &["its 1 items", "approved", "verified"]);
        } else {
            case.refused(&of_item, 1, "is of another content");
        }
    }
    assert!(server.stop().success());
}
