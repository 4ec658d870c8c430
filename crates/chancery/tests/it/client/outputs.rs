//! Where results go: files, links, pipes, standard output; and what must not be written over.

use std::{fs, path::Path};

use super::place::Place;

const SIGN: &str = "chancery sign tool.bin --service 'demo signing'";
const REQUEST: &str = "chancery cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' --subject CN=a.example.org --san DNS:a.example.org";

fn is_signature(path: &Path) -> bool {
    fs::read(path).is_ok_and(|content| content.first() == Some(&0x30))
}

#[test]
fn results_go_where_they_are_sent() {
    let place = Place::logged_in();
    place.write("tool.bin", "a tool");
    place.sh("mkdir signed && ln -s signed/tool.p7s link && mkfifo fifo").done();
    for _ in 0..2 {
        place.sh(&format!("{SIGN} --out link")).done();
        assert!(place.path("link").is_symlink() && is_signature(&place.path("signed/tool.p7s")));
    }
    place.sh(&format!("cat fifo > piped & {SIGN} --out fifo; wait")).done();
    assert!(is_signature(&place.path("piped")));
    place.sh(&format!("test -p fifo && {SIGN} --out - > standard && {SIGN} --out /dev/stdout > second")).done();
    assert!(is_signature(&place.path("standard")) && is_signature(&place.path("second")));
    place
        .sh("chancery cert download 'Chancery Demo Root' --out /dev/stdout >> download && grep -q BEGIN download")
        .done();
    let both = place.sh(&format!("{SIGN} --out - --output json")).failed(2);
    assert!(both.contains("--output json"), "{both}");

    over_themselves(&place);
    no_room(&place);
    certificates(&place);
    requests_for_others(&place);
}

/// A file that may not grow any more is told, and leaves nothing behind.
fn no_room(place: &Place) {
    let export = "bash -c 'ulimit -f 1; chancery audit export --out small.jsonl'";
    let full = place.sh(export).failed(1);
    assert!(full.contains("small.jsonl") && full.contains("File too large"), "{full}");
    assert_eq!(place.sh("ls -A | grep -c small").out.trim(), "0");
}

/// Nothing is submitted for what would be written over another file.
fn over_themselves(place: &Place) {
    let before = place.json("chancery request list")["total"].clone();
    for out in ["tool.bin", "./signed/../tool.bin"] {
        let same = place.sh(&format!("{SIGN} --out {out}")).failed(2);
        assert!(same.contains("would replace tool.bin") && same.contains("Nothing was submitted"), "{same}");
    }
    place.sh("mkdir a b && cp tool.bin a/x && cp tool.bin b/x").done();
    let twice = place.sh("chancery sign a/x b/x --service 'demo signing' --out signed").failed(2);
    assert!(twice.contains("a/x and b/x would both go to signed/x.p7s"), "{twice}");
    place.write("tool.bin.p7s", "another file");
    let chain = place.sh("chancery sign tool.bin tool.bin.p7s --service 'demo signing'").failed(2);
    assert!(chain.contains("would replace tool.bin.p7s"), "{chain}");
    let folder = place.sh("chancery sign a/x tool.bin --service 'demo signing' --out none").failed(2);
    assert!(folder.contains("several files need one"), "{folder}");
    assert_eq!(place.json("chancery request list")["total"], before);
    assert_eq!(fs::read_to_string(place.path("tool.bin")).unwrap(), "a tool");
}

/// A request for another authority is made without a server, and has the names in itself.
fn requests_for_others(place: &Place) {
    let request = "XDG_CONFIG_HOME=$PWD/nobody chancery cert request --subject 'CN=b.example.org,O=Example' --san DNS:b.example.org --san IP:192.0.2.1";
    for kind in ["ec-p256", "ec-p384", "ed25519", "rsa3072"] {
        let said = place.sh(&format!("{request} --key {kind} --key-out b-{kind}.key --csr-out b-{kind}.csr")).done();
        assert_eq!(said, format!("written: b-{kind}.csr\n"));
        let read = place.sh(&format!("openssl req -in b-{kind}.csr -verify -noout -text")).done();
        for names in ["O = Example, CN = b.example.org", "DNS:b.example.org, IP Address:192.0.2.1"] {
            assert!(read.contains(names), "{kind}: {read}");
        }
        let own = place.sh(&format!("openssl req -in b-{kind}.csr -noout -pubkey")).done();
        assert_eq!(place.sh(&format!("openssl pkey -in b-{kind}.key -pubout")).done(), own);
    }
    let piped = place.sh(&format!("{request} --key-out piped.key --csr-out - | openssl req -verify -noout")).failed(0);
    assert!(piped.contains("verify OK"), "{piped}");
    for (options, why) in [
        ("--csr-out c.csr", "--key-out"),
        ("--key-out c.key --csr-out ./c.key", "would go to the same file"),
        ("--key-out c.key --csr-out c.csr --issuer 'Chancery Demo Root'", "cannot be used with"),
        ("--key-out c.key --csr-out c.csr --san DNS:-", "--san DNS:-: A subject alternative name is"),
        ("--key-out c.key --csr-out none/c.csr", "there is no such folder"),
        ("--key-out c.key", "--issuer"),
    ] {
        let refused = place.sh(&format!("{request} {options}")).failed(2);
        assert!(refused.contains(why), "{options}: {refused}");
        assert!(!place.path("c.key").exists(), "{options}");
    }
    let nameless = place.sh("chancery cert request --key-out c.key --csr-out c.csr").failed(2);
    assert!(nameless.contains("a request needs a name"), "{nameless}");
    let full = place.sh("chancery cert request --subject CN=a --key-out c.key --csr-out /dev/full").failed(1);
    assert!(full.contains("--csr-out /dev/full"), "{full}");
    assert!(!place.path("c.key").exists());
}

fn certificates(place: &Place) {
    for (options, why) in [
        ("--key-out x --out x", "the certificate would go to the same file"),
        ("--key-out x --out ./signed/../x", "the certificate would go to the same file"),
        ("--key-out tool.bin --out x", "there is something already"),
        ("--key-out none/x --out x", "--key-out none/x: there is no such folder"),
        ("--key-out x --out none/x", "--out none/x: there is no such folder"),
    ] {
        let refused = place.sh(&format!("{REQUEST} {options}")).failed(2);
        assert!(refused.contains(why), "{refused}");
        assert!(!place.path("x").exists(), "{options}");
    }
    // A key for which nothing is issued does not stand in the way of the next try.
    place.sh(&format!("{REQUEST} --key-out new.key --out new.pem --server-profile approver")).failed(5);
    assert!(!place.path("new.key").exists());
    for kind in ["ec-p256", "ec-p384", "ed25519", "rsa3072"] {
        place.sh(&format!("{REQUEST} --key {kind} --key-out {kind}.key --out {kind}.pem")).done();
        // Version 1 is what OpenSSL 3.0 and GnuTLS read.
        let version = place.sh(&format!("openssl asn1parse -in {kind}.key | sed -n 2p")).done();
        assert!(version.trim_end().ends_with("INTEGER           :00"), "{kind}: {version}");
        place.sh(&format!("certtool --key-info --infile {kind}.key | grep -q 'Public Key ID'")).done();
        let public = place.sh(&format!("openssl pkey -in {kind}.key -pubout")).done();
        assert_eq!(place.sh(&format!("openssl x509 -in {kind}.pem -noout -pubkey")).done(), public);
    }
}
