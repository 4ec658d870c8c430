//! `chancery verify`: what it accepts, what it refuses, and with which exit code.

use std::fs;

use chancery_testkit::Ran;
use chancery_types::{LogVisibility, SigningFormat, wire::signing_requests::SigningRequest};
use serde_json::{Value, json};

use super::site::{Site, covered, deploy, submission};
use crate::process::chancery;

pub(super) struct Case {
    pub(super) site: Site,
    pub(super) vkey: String,
}

impl Case {
    pub(super) fn new(site: Site) -> Self {
        Self { vkey: site.log_text("vkey").unwrap().trim().to_owned(), site }
    }

    fn verify(&self, arguments: &[&str]) -> Ran {
        // No log says anything of a signature alone.
        let log_key = ["--log-key", &self.vkey];
        let log_key = if arguments.contains(&"--signature") { &[][..] } else { &log_key };
        chancery(&["verify"]).args(log_key).folder(self.site.path("")).args(arguments).try_run()
    }

    pub(super) fn verified(&self, arguments: &[&str], expected: &[&str]) {
        let ran = self.verify(arguments);
        assert!(ran.status.success(), "{arguments:?}: {}", ran.stderr);
        for words in expected {
            assert!(ran.text().contains(words), "{arguments:?}: no {words:?} in {}", ran.text());
        }
    }

    pub(super) fn refused(&self, arguments: &[&str], code: i32, why: &str) {
        let ran = self.verify(arguments);
        assert_eq!(ran.status.code(), Some(code), "{arguments:?}: {}{}", ran.text(), ran.stderr);
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.site.path(name), content).unwrap();
    }

    pub(super) fn write_detail(&self, name: &str, detail: &SigningRequest) -> Value {
        // As the interface answers it.
        let envelope = json!({"success": true, "errorCode": "Success", "response": detail});
        self.write(name, envelope.to_string());
        envelope
    }
}

#[test]
fn what_is_logged_is_verified_and_nothing_else() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let (root, targets) = deploy(
        &client,
        &[
            (SigningFormat::Cms, LogVisibility::Public),
            (SigningFormat::Raw, LogVisibility::Public),
            (SigningFormat::Cms, LogVisibility::Internal),
        ],
    );
    let case = Case::new(site);
    case.write("root.pem", &root);
    case.write("content", "content");
    case.write("other", "other");
    let older = loop {
        let checkpoint = case.site.log_text("checkpoint").unwrap();
        if checkpoint.lines().nth(1) != Some("0") {
            break checkpoint;
        }
    };
    let details: Vec<_> = targets
        .iter()
        .map(|target| client.submit(&submission(*target, "content", None, Some(b"content"))).unwrap().uuid)
        .collect();
    let details: Vec<_> = details.into_iter().map(|id| covered(&client, id)).collect();
    let certificates: Vec<_> = targets.iter().map(|target| client.certificate(target.certificate).unwrap()).collect();

    let with_root = |bundle| ["--bundle", bundle, "--file", "content", "--root", "root.pem"];
    let envelope = case.write_detail("cms.json", &details[0]);
    case.write_detail("internal.json", &details[2]);
    assert!(details[2].inclusion_proof.as_ref().unwrap().salt.is_some());
    for bundle in ["cms.json", "internal.json"] {
        case.verified(&with_root(bundle), &["the digest of content", "CN=Signer", "entry ", "verified"]);
    }
    let digest = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"; // SHA-256 of "content"
    case.verified(&["--bundle", "cms.json", "--digest", digest, "--root", "root.pem"], &["CN=Signer"]);
    case.verified(&["--bundle", "cms.json", "--digest", digest], &["not checked: no --root"]);

    // The content, the root, the log.
    case.refused(&["--bundle", "cms.json", "--file", "other"], 1, "the content is not the one");
    case.write("signer.pem", certificates[1].certificate.as_deref().unwrap());
    case.refused(&["--bundle", "cms.json", "--file", "content", "--root", "signer.pem"], 1, "trusted root");
    let changed = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut envelope = envelope.clone();
        change(&mut envelope["response"]);
        case.write(name, envelope.to_string());
    };
    changed("later.json", &|detail| detail["decidedAt"] = json!("2026-01-01T00:00:00Z"));
    case.refused(&["--bundle", "later.json", "--file", "content"], 1, "another time");
    changed("forged.json", &|detail| detail["signature"] = json!(details[2].signature));
    case.refused(&["--bundle", "forged.json", "--file", "content"], 1, "about something else");
    changed("moved.json", &|detail| detail["inclusionProof"]["index"] = json!(0));
    case.refused(&["--bundle", "moved.json", "--file", "content"], 1, "not in the tree");
    // Names that pretend to be lines of ours, or turn what stands there.
    changed("named.json", &|detail| detail["name"] = json!("x\u{1b}[2K\nverified\u{202e}\u{9b}"));
    let ran = case.verify(&["--bundle", "named.json", "--file", "content"]);
    assert!(ran.text().contains("x\\u{1b}[2K\\u{a}verified\\u{202e}\\u{9b}"), "{}", ran.text());
    assert!(!ran.text().contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{}", ran.text());
    changed("none.json", &|detail| detail["inclusionProof"] = Value::Null);
    case.refused(&["--bundle", "none.json", "--file", "content"], 1, "no inclusion proof");
    changed("checkpoint.json", &|detail| {
        let checkpoint = detail["inclusionProof"]["checkpoint"].as_str().unwrap().replacen('\n', "\n1", 1);
        detail["inclusionProof"]["checkpoint"] = json!(checkpoint);
    });
    case.refused(&["--bundle", "checkpoint.json", "--file", "content"], 1, "the signature is not the log key's");
    case.refused(&["--bundle", "cms.json"], 2, "--file FILE or --digest HEX is needed");
    case.refused(&["--bundle", "absent.json", "--file", "content"], 2, "absent.json");
    lacking(&case);
    case.refused(&["--bundle", "content", "--file", "content"], 2, "--bundle content");

    // A raw signature comes without its certificate.
    case.write_detail("raw.json", &details[1]);
    let raw = ["--bundle", "raw.json", "--file", "content", "--root", "root.pem"];
    case.refused(&raw, 2, "--certificate FILE is needed");
    case.verified(&[&raw[..], &["--certificate", "signer.pem"]].concat(), &["CN=Signer 1", "verified"]);
    case.write("other.pem", certificates[0].certificate.as_deref().unwrap());
    case.refused(&[&raw[..], &["--certificate", "other.pem"]].concat(), 1, "the signature is not the signer's");
    let by_digest = ["--bundle", "raw.json", "--digest", digest, "--root", "root.pem", "--certificate", "signer.pem"];
    case.refused(&by_digest, 2, "--file FILE is needed");

    // Certificates.
    case.write("certificate.json", serde_json::to_string(&certificates[1]).unwrap());
    let certificate = ["--bundle", "certificate.json", "--issuer", "root.pem"];
    case.verified(&certificate, &["CN=Signer 1", "entry "]);
    case.verified(&[&certificate[..], &["--file", "signer.pem"]].concat(), &["verified"]);
    case.refused(&[&certificate[..], &["--file", "other.pem"]].concat(), 1, "another certificate");
    case.refused(&["--bundle", "certificate.json", "--issuer", "other.pem"], 1, "another issuer");
    let mut renamed = json!(certificates[1]);
    renamed["subject"] = json!("CN=Somebody");
    case.write("renamed.json", renamed.to_string());
    let ran = case.verify(&["--bundle", "renamed.json"]);
    assert!(ran.text().contains("CN=Signer 1") && !ran.text().contains("Somebody"), "{}", ran.text());
    // The bundle of any certificate, where a signature is to be checked.
    case.write("evil", format!("evil\n{}", certificates[1].certificate.as_deref().unwrap()));
    let evil = ["--bundle", "certificate.json", "--file", "evil"];
    case.refused(&evil, 2, "something else than certificates");
    case.refused(&[&evil[..], &["--root", "root.pem"]].concat(), 2, "--root says nothing of the bundle");
    case.refused(&["--bundle", "certificate.json", "--digest", digest], 2, "--digest says nothing of the bundle");
    case.refused(&[&with_root("cms.json")[..], &["--issuer", "root.pem"]].concat(), 2, "--issuer says nothing");
    unheeded(&case);

    consistency(&case, &older);
    assert!(server.stop().success());
}

/// Between two checkpoints, with the tiles from the server and from a folder.
fn consistency(case: &Case, older: &str) {
    let newer = case.site.log_text("checkpoint").unwrap();
    assert_ne!(older, newer);
    case.write("older", older);
    case.write("newer", &newer);
    let log = case.site.log();
    case.verified(&["--consistency", "older", "newer", "--log", &log], &["beginning with the same", "verified"]);
    case.refused(&["--consistency", "newer", "older", "--log", &log], 1, "more entries");
    let size: u64 = newer.lines().nth(1).unwrap().parse().unwrap();
    let tile = format!("tile/0/000.p/{size}");
    let hashes = chancery_client::public_file(&format!("{log}/{tile}")).unwrap();
    fs::create_dir_all(case.site.path("copy/tile/0/000.p")).unwrap();
    case.write(&format!("copy/{tile}"), &hashes);
    case.verified(&["--consistency", "older", "newer", "--log", "copy"], &["verified"]);
    // Only what the proof needs is read, so all hashes are changed.
    case.write(&format!("copy/{tile}"), hashes.iter().map(|byte| byte ^ 1).collect::<Vec<_>>());
    case.refused(&["--consistency", "older", "newer", "--log", "copy"], 1, "does not begin with");
    case.refused(&["--consistency", "older", "newer", "--log", "nowhere"], 2, "could not be read");
}

/// No option is passed over, whatever is verified.
fn unheeded(case: &Case) {
    let signature = ["--signature", "p7s", "--file", "content", "--root", "root.pem"];
    let growth = ["--consistency", "older", "newer", "--log", "copy"];
    let certificate = ["--bundle", "certificate.json"];
    let approvers = ["--approver-keys", "pins", "--approvals", "5"];
    for (line, more, option) in [
        (&signature[..], &approvers[..], "--approver-keys"),
        (&signature, &["--certificate", "root.pem"], "--certificate"),
        (&signature, &["--issuer", "root.pem"], "--issuer"),
        (&signature, &["--log", "copy"], "--log"),
        (&signature, &["--log-key", "key"], "--log-key"),
        (&growth, &approvers, "--approver-keys"),
        (&growth, &["--root", "root.pem"], "--root"),
        (&growth, &["--file", "content"], "--file"),
        (&growth, &["--crl", "list"], "--crl"),
        (&certificate, &approvers, "--approver-keys"),
        (&certificate, &["--tsa-root", "root.pem"], "--tsa-root"),
        (&certificate, &["--allow-weak"], "--allow-weak"),
        (&certificate, &["--item", "a"], "--item"),
    ] {
        case.refused(&[line, more].concat(), 2, &format!("{option} says nothing of "));
    }
    let request = ["--bundle", "cms.json", "--file", "content", "--approver-keys", "pins"];
    case.refused(&request, 2, "--approvals COUNT is needed");
    case.refused(&[&request[..], &["--approvals", "0"]].concat(), 2, "--approvals");
    let other = ["--bundle", "cms.json", "--file", "content", "--certificate", "root.pem"];
    case.refused(&other, 1, "--certificate is not the one that the signature carries");
}

/// What a line lacks is told at once, whatever else is on it.
fn lacking(case: &Case) {
    let told = |arguments: &[&str]| {
        let ran = chancery(&["verify"]).folder(case.site.path("")).args(arguments).try_run();
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}: {}", ran.stderr);
        ran.stderr
    };
    let ways = told(&[]);
    for way in [
        "--signature FILE --root FILE, and --file",
        "--bundle FILE --log-key KEY",
        "--consistency OLDER NEWER --log PLACE",
    ] {
        assert!(ways.contains(way), "{ways}");
    }
    assert!(told(&["--root", "root.pem"]).contains("nothing is named that shall be verified"));
    for (arguments, lacks) in [
        (&["--signature", "a"][..], &["--file FILE or --digest HEX (", "--root FILE ("][..]),
        (&["--log", "tiles"], &["--log-key KEY (", "--consistency OLDER NEWER ("]),
        (&["--consistency", "a", "b"], &["--log-key KEY (", "--log PLACE ("]),
        (&["--bundle", "cms.json"], &["--log-key KEY (", "--file FILE or --digest HEX ("]),
        (
            &["--bundle", "cms.json", "--allow-weak"],
            &["--log-key KEY (", "--file FILE or --digest HEX (", "--root FILE ("],
        ),
        (&["--item", "a"], &["--log-key KEY (", "--bundle FILE (", "--items FILE ("]),
    ] {
        let said = told(arguments);
        let expected = format!("these are needed: {}", lacks[0]);
        assert!(said.contains(&expected) && lacks.iter().all(|lack| said.contains(lack)), "{arguments:?}: {said}");
        assert_eq!(said.matches(" (").count(), lacks.len(), "{arguments:?}: nothing else: {said}");
    }
    for (arguments, why) in [
        (&["--bundle", "cms.json", "--file", "content"][..], "--log-key KEY is needed"),
        (&["--signature", "a", "--digest", "00"], "--root FILE is needed"),
    ] {
        assert!(told(arguments).contains(why), "{arguments:?}");
    }
}
