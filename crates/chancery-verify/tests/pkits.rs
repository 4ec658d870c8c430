//! NIST's Public Key Interoperability Test Suite: every test of it is decided as its document demands.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf, time::Instant};

use chancery_verify::path::{Crl, CrlSettings, Link, PathSettings, PolicySettings, Purpose, find_path};
use der::{
    Decode, Encode, Reader, SliceReader,
    asn1::{AnyRef, ObjectIdentifier},
};

/// 2026-11-23 00:00:00 UTC; what is to be valid in the suite is so until 2030.
const NOW_MS: i64 = 1_795_392_000_000;

/// Tests that are decided otherwise, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("4.1.4", "DSA signatures are not verified: no certificate may rest on them any more (FIPS 186-5)"),
    ("4.1.5", "DSA signatures are not verified, nor are the parameters of such keys inherited"),
];

fn file(name: &str) -> Vec<u8> {
    fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/pkits").join(name)).unwrap()
}

/// The DER values of a file, one after the other.
fn values(name: &str) -> Vec<Vec<u8>> {
    let bytes = file(name);
    let mut reader = SliceReader::new(&bytes).unwrap();
    let mut found = Vec::new();
    while !reader.is_finished() {
        found.push(AnyRef::decode(&mut reader).unwrap().to_der().unwrap());
    }
    found
}

fn policy(number: &str) -> ObjectIdentifier {
    format!("2.16.840.1.101.3.2.1.48.{number}").parse().unwrap()
}

fn settings(given: &str) -> PolicySettings {
    let (wanted, flags) = given.split_once('+').unwrap_or((given, ""));
    let wanted = wanted.trim_matches('-');
    PolicySettings {
        wanted: (!wanted.is_empty()).then(|| wanted.split(',').map(policy).collect()),
        explicit: flags == "explicit",
        inhibit_mapping: flags == "inhibit-mapping",
        inhibit_any: flags == "inhibit-any",
    }
}

#[test]
fn every_test_of_pkits_is_decided_as_it_demands() {
    let links: Vec<_> = values("certificates.der").iter().map(|der| Link::read(der)).collect();
    let crls: Vec<_> = values("lists.der").iter().filter_map(|der| Crl::read(der)).collect();
    let others: Vec<_> = links.iter().flatten().cloned().collect();
    let tests = String::from_utf8(file("tests.txt")).unwrap();
    let is_anchor = |link: &&Link| link.subject_text().starts_with("CN=Trust Anchor,");
    let roots = [others.iter().find(is_anchor).unwrap().clone()];
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in tests.lines() {
        let [id, place, name, given, expected] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let settings = PathSettings {
            at_ms: NOW_MS,
            purpose: Purpose::Any,
            allow_weak: false,
            crls: Some(CrlSettings { lists: &crls, now_ms: NOW_MS }),
            policies: settings(given),
        };
        let start = Instant::now();
        let leaf = &links[place.parse::<usize>().unwrap()];
        let found = leaf.as_ref().map(|leaf| find_path(leaf, &others, &roots, &settings));
        assert!(start.elapsed().as_secs() < 50, "{line}");
        count += 1;
        let is_excepted = EXCEPTIONS.iter().any(|(excepted, _)| *excepted == id);
        if matches!(found, Some(Ok(_))) != ((expected == "valid") ^ is_excepted) {
            wrong.push(format!("{id} {name} {given}: {expected}, but {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 230, "{count}");
}
