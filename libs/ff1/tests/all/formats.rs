//! The formats of vectors that `check_vectors` reads, and what it makes of odd ones.

use std::io::Write;

use chancery_ff1::Kernel;

use crate::check::check;
use crate::vectors::parse;

/// NIST's second sample and cases around it, as wycheproof writes them.
const WYCHEPROOF: &str = r#"{
  "algorithm": "AES-FF1",
  "testGroups": [
    { "type": "FpeStrTest", "radix": 10, "alphabet": "0123456789", "keySize": 128, "msgSize": 10, "tests": [
      { "tcId": 1, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "39383736353433323130",
        "msg": "0123456789", "ct": "6124200773", "result": "valid" },
      { "tcId": 2, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "",
        "msg": "01234a6789", "ct": "", "result": "invalid" },
      { "tcId": 3, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "", "msg": "", "ct": "", "result": "valid" },
      { "tcId": 4, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "", "msg": "12345", "ct": "54321",
        "result": "valid" } ] },
    { "type": "FpeListTest", "radix": 10, "keySize": 128, "msgSize": 10, "tests": [
      { "tcId": 5, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "39383736353433323130",
        "msg": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "ct": [6, 1, 2, 4, 2, 0, 0, 7, 7, 3], "result": "valid" },
      { "tcId": 6, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "",
        "msg": [0, 1, 2, 3, 4, 5, 6, 7, 8, 10], "ct": [], "result": "invalid" },
      { "tcId": 7, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "",
        "msg": [0, 1, 2, 3, 4, 5, 6, 7, 8, 70000], "ct": [], "result": "invalid" },
      { "tcId": 8, "key": "2b7e151628aed2a6abf7158809cf4f3c", "tweak": "", "msg": [], "ct": [], "result": "valid" } ] }
  ]
}"#;

#[test]
fn wycheproof_plain_and_compressed() {
    let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    compressed.write_all(WYCHEPROOF.as_bytes()).unwrap();
    for file in [WYCHEPROOF.as_bytes(), &compressed.finish().unwrap()] {
        let cases = parse(file).unwrap();
        assert_eq!(cases.len(), 8);
        for (case, kernel) in cases.iter().flat_map(|case| Kernel::available().map(move |kernel| (case, kernel))) {
            assert_eq!(check(case, kernel), Ok(()), "{} on {}", case.name, kernel.name());
        }
    }
}

#[test]
fn an_invalid_case_that_is_accepted_fails() {
    let spoilt = WYCHEPROOF.replace("01234a6789", "0123406789").replace("8, 10]", "8, 9]");
    let failed = |case: &&crate::vectors::Case| check(case, Kernel::Portable).is_err();
    let cases = parse(spoilt.as_bytes()).unwrap();
    let failed: Vec<&str> = cases.iter().filter(failed).map(|case| case.name.as_str()).collect();
    assert_eq!(failed, ["tcId 2", "tcId 6"]);
}

#[test]
fn other_files_are_errors() {
    for file in [&b"{}"[..], b"", b"\x1f\x8bno gzip", b"{\"testGroups\":[{}]}", b"{\"samples\":[{\"radix\":10}]}"] {
        assert!(parse(file).is_err());
    }
}
