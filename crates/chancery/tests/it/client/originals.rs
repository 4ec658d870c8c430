//! What is signed is the file that was there when the request was made, and nothing else.

use std::{fs, thread::scope};

use chancery_client::Client;
use chancery_testkit::Tool;
use chancery_types::{
    Base64,
    wire::signing_requests::{SigningRequest, SubmitRequest},
};

use super::place::{Place, Said};

const RELEASES: &str = "--service 'demo releases'";
const APPROVER: &str = "--server-profile approver";

#[test]
fn a_file_that_changes_while_people_decide_is_not_signed() {
    let place = Place::logged_in();
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256";
    place.sh(&format!("{service} --name scripts --subject CN=Scripts --format Powershell --num-approvals 1")).done();
    for name in ["changed.tar", "replaced.tar", "gone.tar", "kept.tar", "script.ps1"] {
        place.write(name, format!("{name} as it was approved"));
    }
    let lines = [
        "changed.tar --service 'demo releases'",
        "replaced.tar --service 'demo releases' --out other.p7s",
        "gone.tar --service 'demo releases'",
        "script.ps1 --service scripts",
        "kept.tar --service 'demo releases' --upload",
    ];
    let said: Vec<Said> = scope(|scope| {
        let place = &place;
        let sign = |line| scope.spawn(move || place.sh(&format!("chancery sign {line} --wait --timeout 60s")));
        let waiting: Vec<_> = lines.into_iter().map(sign).collect();
        place.until_waiting(lines.len());
        place.write("changed.tar", "something else and longer");
        place.sh("echo 'a newer one' > new && mv new replaced.tar && rm gone.tar && echo evil > new && mv new script.ps1").done();
        let names = "changed.tar replaced.tar gone.tar script.ps1 kept.tar";
        place.sh(&format!("chancery approve {names} --yes {APPROVER}")).done();
        waiting.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (said, why) in said.into_iter().zip([
        "it was changed since it was measured",
        "another file is there since it was measured, or none",
        "another file is there since it was measured, or none",
        "another file is there since it was measured, or none",
        "",
    ]) {
        if why.is_empty() {
            said.done();
            continue;
        }
        assert!(said.out.is_empty(), "{said:?}");
        let failed = said.failed(1);
        assert!(failed.contains(why) && failed.contains("--request"), "{failed}");
    }
    for name in ["changed.tar.p7s", "other.p7s", "gone.tar.p7s"] {
        assert!(!place.path(name).exists(), "{name}");
    }
    assert_eq!(fs::read_to_string(place.path("script.ps1")).unwrap(), "evil\n");
    assert!(place.path("kept.tar.p7s").exists());
}

#[test]
fn what_is_no_file_is_refused_and_keeps_nobody() {
    let place = Place::logged_in();
    place.sh("mkfifo fifo").done();
    for line in [
        "chancery sign fifo --service 'demo signing'",
        "printf 'MZ and more' | chancery sign /dev/stdin --service 'demo signing' --out x.p7s",
        "chancery sign . --service 'demo signing' --out x.p7s",
    ] {
        let refused = place.sh(&format!("timeout 20 sh -c \"{line}\"")).failed(2);
        assert!(refused.contains("a regular file is expected") && refused.contains("into a file"), "{refused}");
    }
    place.write("app.tar", "an application");
    place.sh(&format!("chancery sign app.tar {RELEASES}")).failed(8);
    let refused = place.sh(&format!("timeout 20 chancery approve app.tar --yes --file fifo {APPROVER}")).failed(2);
    assert!(refused.contains("a regular file is expected"), "{refused}");
}

/// A program for Windows that comes with the tests' Python.
fn program() -> Vec<u8> {
    let venv = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/lib");
    let python = fs::read_dir(venv).unwrap().flatten().next().unwrap().path();
    fs::read(python.join("site-packages/pip/_vendor/distlib/w64.exe")).unwrap()
}

/// How many signatures `osslsigncode` finds good.
fn signatures(place: &Place, name: &str) -> usize {
    let verify = ["verify", "-in", name, "-CAfile", "root.pem"];
    let ran = Tool::new("osslsigncode").args(verify).folder(place.folder()).try_run();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    String::from_utf8_lossy(&ran.stdout).lines().filter(|line| line.trim() == "Signature verification: ok").count()
}

#[test]
fn programs_are_signed_with_their_own_pages_and_beside_others() {
    let place = Place::logged_in();
    place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256 --format Authenticode";
    place.sh(&format!("{service} --name programs --subject CN=Programs --num-approvals 0")).done();
    place.sh(&format!("{service} --name approved --subject CN=Approved --num-approvals 1")).done();
    place.write("setup.exe", program());
    place.sh("chancery sign setup.exe --service programs --page-hashes").done();
    assert_eq!(signatures(&place, "setup.exe"), 1);
    // Only its digest travels, and what becomes of the other signature is decided here.
    place.sh("chancery sign setup.exe --service programs --append").done();
    assert_eq!(signatures(&place, "setup.exe"), 2);
    place.sh("chancery sign setup.exe --service programs --append --upload").done();
    assert_eq!(signatures(&place, "setup.exe"), 3);
    other_pages(&place);
}

/// Somebody submits a program's digest with the page hashes of another one.
fn other_pages(place: &Place) {
    let mut other = program();
    let last = other.len() / 2;
    other[last] ^= 1;
    place.write("other.exe", &other);
    place.write("setup.exe", program());
    let submitted = |file: &str| -> SigningRequest {
        let waits = place.sh(&format!("chancery sign {file} --service approved --page-hashes --output json")).out;
        let body: serde_json::Value = serde_json::from_str(&waits).unwrap();
        serde_json::from_value(body["response"].clone()).unwrap()
    };
    let (honest, foreign) = (submitted("setup.exe"), submitted("other.exe"));
    assert_ne!(honest.page_hashes, foreign.page_hashes);
    let client = Client::new(&place.base(), &fs::read(place.path("ca.pem")).unwrap()).unwrap();
    client.log_in("Admin1", place.demo.text("/admins/0/password")).unwrap();
    client.log_in("Admin2", place.demo.text("/admins/1/password")).unwrap();
    client.take_token().unwrap();
    let request = SubmitRequest {
        digest: Some(honest.digest.clone()),
        page_hashes: foreign.page_hashes.clone(),
        ..SubmitRequest::new("mixed.exe".to_owned(), honest.service_uuid, honest.policy_uuid)
    };
    let mixed = client.submit(&request).unwrap().uuid;
    let approve = format!("--yes {APPROVER}");
    let refused = place.sh(&format!("chancery approve {mixed} --file setup.exe {approve}")).failed(1);
    assert!(refused.contains("page hashes that shall be signed are of another program"), "{refused}");
    let request = SubmitRequest {
        digest: Some(Base64(honest.digest.0.clone())),
        ..SubmitRequest::new("bare.exe".to_owned(), honest.service_uuid, honest.policy_uuid)
    };
    let bare = client.submit(&request).unwrap().uuid;
    let uuid = honest.uuid;
    // The checksum of the program, which Authenticode does not sign.
    let mut other = fs::read(place.path("setup.exe")).unwrap();
    let header = u32::from_le_bytes(other[0x3c..0x40].try_into().unwrap()) as usize;
    other[header + 88] ^= 1;
    fs::write(place.path("other.exe"), other).unwrap();
    let show = format!("chancery approve {uuid} --file other.exe {APPROVER} < /dev/null");
    let shown = place.sh(&show);
    assert!(shown.err.contains("The part of other.exe that Authenticode signs is the one"), "{shown:?}");
    assert!(shown.err.contains("is another than the submitter claims"), "{shown:?}");
    let approved = place.sh(&format!("chancery approve {uuid} --file setup.exe {approve}"));
    assert!(approved.err.contains("has the SHA-256 that the submitter claims"), "{approved:?}");
    approved.done();
    place.sh(&format!("chancery approve {mixed} {bare} {approve}")).done();
    for (request, options, why) in [
        (mixed, "--page-hashes", "of the page hashes of another program"),
        (mixed, "", "of the page hashes of another program"),
        (bare, "--page-hashes", "it is without page hashes"),
    ] {
        let line = format!("chancery sign setup.exe --service approved --request {request} {options}");
        let refused = place.sh(&line).failed(1);
        assert!(refused.contains(why), "{refused}");
    }
    assert_eq!(fs::read(place.path("setup.exe")).unwrap(), program());
    place.sh(&format!("chancery sign setup.exe --service approved --page-hashes --request {uuid}")).done();
    assert_eq!(signatures(place, "setup.exe"), 1);
}
