//! Many files by one request: `sign --manifest`.

use std::{fs, thread::scope};

use serde_json::Value;

use super::place::Place;

const SIGN: &str = "chancery sign dist/a.tar dist/b.tar dist/c.tar --manifest --service 'demo releases'";

fn verified(place: &Place, name: &str) {
    let line = format!(
        "openssl cms -verify -binary -inform DER -in {name}.p7s -content {name} -CAfile root.pem -purpose any -out /dev/null"
    );
    assert_eq!(place.sh(&line).code, Some(0), "{name}");
}

fn requests(place: &Place) -> u64 {
    place.json("chancery request list")["total"].as_u64().unwrap()
}

#[test]
fn a_manifest_is_approved_once_and_signs_every_file() {
    let place = Place::logged_in();
    place.sh("mkdir dist && chancery cert download 'Chancery Demo Root' --out root.pem").done();
    for name in ["a", "b", "c"] {
        place.write(&format!("dist/{name}.tar"), name);
    }
    refused(&place);
    waited_for(&place);
    taken_up(&place);
    changed_meanwhile(&place);
    new_since_the_last(&place);
    at_once(&place);
}

/// What cannot be a manifest is refused before anything is submitted.
fn refused(place: &Place) {
    let before = requests(place);
    let upload = place.sh(&format!("{SIGN} --upload")).failed(2);
    assert!(upload.contains("--upload and --manifest"), "{upload}");
    let pages = place.sh(&format!("{SIGN} --page-hashes")).failed(2);
    assert!(pages.contains("--page-hashes and --manifest"), "{pages}");
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256 --num-approvals 0";
    place.sh(&format!("{service} --name scripts --subject CN=Scripts --format Powershell")).done();
    place.write("dist/install.ps1", "Write-Output 'hello'\r\n");
    let two = place.sh(&format!("{SIGN} --service scripts dist/install.ps1")).failed(2);
    assert!(two.contains("dist/install.ps1 goes to scripts") && two.contains("Nothing was submitted"), "{two}");
    // Of such a name sha256sum prints another line than of others.
    place.write("dist/a\\b.tar", "x");
    let escaped = place.sh(&format!("{SIGN} 'dist/a\\b.tar'")).failed(2);
    assert!(escaped.contains("has a backslash"), "{escaped}");
    assert!(place.sh("sha256sum 'dist/a\\b.tar'").done().starts_with('\\'));
    assert_eq!(requests(place), before);
}

fn waited_for(place: &Place) {
    let before = requests(place);
    let said = scope(|scope| {
        let waiting =
            scope.spawn(|| place.sh(&format!("{SIGN} --name 'release 2.0' --note 'tag v2' --wait --timeout 60s")));
        place.until_waiting(1);
        let seen = place.sh("chancery approve --server-profile approver").done();
        let lines = place.sh("sha256sum dist/a.tar dist/b.tar dist/c.tar | sha256sum").done();
        let digest = lines.split(' ').next().unwrap();
        for line in
            ["file        release 2.0", "claim       note: tag v2", "manifest    3 files: chancery request items "]
        {
            assert!(seen.contains(line), "{line}: {seen}");
        }
        assert!(seen.contains(&format!("digest      {digest}  of the manifest's lines")), "{digest}: {seen}");
        let items = place.json("chancery request items 'release 2.0'");
        assert_eq!((&items["total"], &items["items"][1]["name"]), (&3.into(), &"dist/b.tar".into()));
        place.write("other.tar", "another one");
        let approve = "chancery approve 'release 2.0' --yes --server-profile approver --file";
        let other = place.sh(&format!("{approve} other.tar")).failed(1);
        assert!(other.contains("the manifest has no such file; nothing was decided"), "{other}");
        let approved = place.sh(&format!("{approve} dist/b.tar"));
        assert!(approved.err.contains("The manifest has this file as dist/b.tar."), "{approved:?}");
        approved.done();
        waiting.join().unwrap()
    });
    assert!(said.err.contains("manifest of dist/a.tar, dist/b.tar, dist/c.tar: request "), "{said:?}");
    assert_eq!(said.done().matches("signed and verified").count(), 3);
    ["dist/a.tar", "dist/b.tar", "dist/c.tar"].iter().for_each(|name| verified(place, name));
    assert_eq!(requests(place), before + 1);
}

/// Left, and gone on with: by the same files in the same order only.
fn taken_up(place: &Place) {
    place.sh("rm dist/*.p7s").done();
    let waits = place.sh(&format!("{SIGN} --output json"));
    let uuid = serde_json::from_str::<Value>(waits.out.lines().next().unwrap()).unwrap();
    let uuid = uuid["response"]["uuid"].as_str().unwrap().to_owned();
    let told = waits.failed(8);
    assert!(told.contains(&format!("chancery sign FILE\u{2026} --manifest --request {uuid}")), "{told}");
    assert_eq!(place.json(&format!("chancery request show {uuid}"))["name"], "a.tar and 2 more");
    let order = "chancery sign dist/b.tar dist/a.tar dist/c.tar --manifest --service 'demo releases'";
    let other = place.sh(&format!("{order} --request {uuid}")).failed(1);
    assert!(other.contains("of other files, or in another order"), "{other}");
    let single = place.sh(&format!("chancery sign dist/a.tar --service 'demo releases' --request {uuid}")).failed(1);
    assert!(single.contains("of another file"), "{single}");
    place.sh(&format!("chancery deny {uuid} --yes --note 'not yet' --server-profile approver")).done();
    let denied = place.sh(&format!("{SIGN} --request {uuid}")).failed(6);
    assert!(denied.contains("denied by Approver1: not yet"), "{denied}");
    assert!(!place.path("dist/a.tar.p7s").exists());
}

/// Whoever decides sees what is new since the manifest that was signed last, which is `again`.
fn new_since_the_last(place: &Place) {
    place.write("dist/d.tar", "d");
    place
        .sh("chancery sign dist/b.tar dist/c.tar dist/d.tar --manifest --service 'demo releases' --name next")
        .failed(8);
    let seen = place.sh("chancery deny next --yes --server-profile approver").done();
    for line in [
        "since       again (",
        "changes     1 new, 1 with another digest, 1 the same, 1 gone",
        "new         dist/d.tar",
        "changed     dist/b.tar",
        "gone        dist/a.tar",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
}

/// One file that was built again keeps its bytes, and the others get their signatures.
fn changed_meanwhile(place: &Place) {
    let said = scope(|scope| {
        let waiting = scope.spawn(|| place.sh(&format!("{SIGN} --wait --timeout 60s --name again")));
        place.until_waiting(1);
        place.write("dist/b.tar", "built again");
        place.sh("chancery approve again --yes --server-profile approver").done();
        waiting.join().unwrap()
    });
    let failed = said.failed(1);
    assert!(failed.contains("dist/b.tar: ") && failed.contains("1 of 3 files have no signature"), "{failed}");
    assert_eq!(fs::read_to_string(place.path("dist/b.tar")).unwrap(), "built again");
    assert!(!place.path("dist/b.tar.p7s").exists());
    ["dist/a.tar", "dist/c.tar"].iter().for_each(|name| verified(place, name));
}

/// Signatures that go into files, and nobody to ask.
fn at_once(place: &Place) {
    place.write("dist/remove.ps1", "Write-Output 'bye'\r\n");
    let said = place.sh("chancery sign dist/install.ps1 dist/remove.ps1 --manifest --service scripts --out .").done();
    assert!(said.contains("./install.ps1\n") && said.contains("./remove.ps1\n"), "{said}");
    for name in ["install.ps1", "remove.ps1"] {
        assert!(fs::read_to_string(place.path(name)).unwrap().contains("# SIG # Begin"));
    }
}
