//! Files that carry their signature inside: each kind with each key and hash that goes into it, uploaded, and by its
//! digest alone.

use std::fmt::Write as _;

use chancery_core::Clock;
use chancery_formats::{Existing, File, Format, Hash};
use chancery_testkit::temp_dir;
use chancery_types::Base64;
use serde_json::json;

use super::compare;
use crate::{
    app::Setup,
    journeys::embedded::{
        SCRIPT, digest, finish, installer,
        jars::{java_archive, large_archive, signers},
        osslsigncode, programs, utf16, verify_script,
    },
    routes::tsa,
    signing::{EC_P256, REQUESTS, Service, Signing, bytes, submission},
};

const HEADER: &str = "
| file | key | hash | accepted by | by the digest alone |
|---|---|---|---|---|
";

/// The kinds of keys, and whether a signature always comes out the same.
const KEYS: [(&str, u32, bool); 4] =
    [("RSA", 1, true), ("EC P-256", 4, false), ("EC P-384", 5, false), ("EC P-521", 6, false)];

const HASHES: [(&str, Hash); 3] = [("Sha2_256", Hash::Sha256), ("Sha2_384", Hash::Sha384), ("Sha2_512", Hash::Sha512)];

/// A file, and how it is signed.
struct Sample {
    name: &'static str,
    file: Vec<u8>,
    existing: Existing,
    page_hashes: bool,
    time_stamp: bool,
    /// How many of the keys sign it, and with how many of the hashes.
    keys: usize,
    hashes: usize,
}

impl Sample {
    fn new(name: &'static str, file: impl Into<Vec<u8>>) -> Self {
        let file = file.into();
        Self { name, file, existing: Existing::Replace, page_hashes: false, time_stamp: false, keys: 2, hashes: 1 }
    }

    fn by_all(self) -> Self {
        Self { keys: KEYS.len(), hashes: HASHES.len(), ..self }
    }
}

/// The same program as a library, and as a driver: what makes it one stands in its header.
fn library(mut program: Vec<u8>) -> Vec<u8> {
    let pe = u32::from_le_bytes(program[0x3c..0x40].try_into().unwrap()) as usize;
    program[pe + 23] |= 0x20;
    program
}

fn driver(mut program: Vec<u8>) -> Vec<u8> {
    let pe = u32::from_le_bytes(program[0x3c..0x40].try_into().unwrap()) as usize;
    program[pe + 24 + 68] = 1;
    program
}

/// What is signed of a format: first what every key and hash signs. All formats but scripts take a second signature.
fn samples(format: Format) -> Vec<Sample> {
    let mut samples = match format {
        Format::Pe => {
            let programs = programs();
            vec![
                Sample::new("exe, 32 bit", programs[0].clone()).by_all(),
                Sample::new("exe, 64 bit", programs[1].clone()),
                Sample::new("exe, ARM64", programs[2].clone()),
                Sample::new("dll", library(programs[1].clone())),
                Sample::new("sys", driver(programs[1].clone())),
                Sample { page_hashes: true, ..Sample::new("exe, page hashes", programs[1].clone()) },
            ]
        }
        Format::Msi => vec![Sample::new("msi", installer()).by_all()],
        Format::Powershell => vec![
            Sample::new("ps1, UTF-8", SCRIPT).by_all(),
            Sample::new("ps1, UTF-16LE", utf16(&format!("\u{feff}{SCRIPT}"))),
            Sample::new("psm1", "function Get-Answer { 42 }\r\nExport-ModuleMember -Function Get-Answer\r\n"),
            Sample::new("psd1", "@{ ModuleVersion = '1.0'; RootModule = 'Answers.psm1' }\r\n"),
        ],
        Format::Jar => vec![
            Sample::new("jar, multi-release", java_archive(&temp_dir())).by_all(),
            Sample { keys: 1, ..Sample::new("jar, 70,000 entries", large_archive(&temp_dir())) },
        ],
    };
    let first = samples[0].file.clone();
    samples.push(Sample { time_stamp: true, ..Sample::new("with a time stamp", first.clone()) });
    if format != Format::Powershell {
        // Signed once already, when its turn comes: by RSA with SHA-256.
        samples.push(Sample { existing: Existing::Append, hashes: 2, ..Sample::new("second signature", first) });
    }
    samples
}

#[tokio::test]
async fn programs_are_accepted_by_a_program_that_we_did_not_write() {
    every_kind("Authenticode", Format::Pe).await;
}

#[tokio::test]
async fn installers_are_accepted_by_a_program_that_we_did_not_write() {
    every_kind("Msi", Format::Msi).await;
}

#[tokio::test]
async fn scripts_are_accepted_by_a_program_that_we_did_not_write() {
    every_kind("Powershell", Format::Powershell).await;
}

#[tokio::test]
async fn java_archives_are_accepted_by_a_program_that_we_did_not_write() {
    every_kind("JavaJar", Format::Jar).await;
}

/// Signs every kind of file of a format, and compares the format's section.
async fn every_kind(name: &str, format: Format) {
    // It stands still, so that two signatures differ in nothing but themselves, and shows the time of the programs.
    let clock = Clock::fixed(Clock::System.now_ms());
    let signing = Signing::with(Setup { clock, ..Setup::default() }).await;
    tsa::deploy(&signing, "stamps", EC_P256, json!({})).await.response();
    let mut section = HEADER.to_owned();
    for mut sample in samples(format) {
        if sample.existing == Existing::Append {
            let first = deploy(&signing, name, KEYS[0].1, HASHES[0].0, &sample).await;
            let replace = Sample { existing: Existing::Replace, ..Sample::new("", sample.file) };
            [sample.file, _] = both_ways(&signing, &first, (format, HASHES[0].1), &replace).await;
        }
        for (key, key_type, is_constant) in &KEYS[..sample.keys] {
            for (hash_name, hash) in &HASHES[..sample.hashes] {
                let service = deploy(&signing, name, *key_type, hash_name, &sample).await;
                let [uploaded, by_digest] = both_ways(&signing, &service, (format, *hash), &sample).await;
                let program = accepted(&signing.root_pem, (format, *hash), &sample, &uploaded);
                let verdict = if uploaded == by_digest {
                    "the same bytes"
                } else {
                    let _same = accepted(&signing.root_pem, (format, *hash), &sample, &by_digest);
                    assert!(!is_constant || sample.time_stamp, "{name}, {}, {key}, {hash_name}", sample.name);
                    if *is_constant { "accepted; each stamp is another" } else { "accepted; ECDSA is random" }
                };
                let _ = writeln!(section, "| {} | {key} | {hash_name} | {program} | {verdict} |", sample.name);
            }
        }
    }
    compare(name, &section);
}

/// A service of its own for each row.
async fn deploy(signing: &Signing, format: &str, key_type: u32, hash: &str, sample: &Sample) -> Service {
    let body = |body: &mut serde_json::Value| {
        body["pkisigning"]["signingFormat"] = json!(format);
        body["pkisigning"]["hashAlgorithm"] = json!(hash);
        body["pkisigning"]["timeStamp"] = json!(sample.time_stamp);
        let key_type = format!("00000000-0000-0000-6b74-{key_type:012x}");
        body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(key_type);
    };
    let random = rand::random::<u64>();
    signing.deploy_with(&format!("{format} {random}"), 0, body).await
}

/// A file as the server signs it, and as it is finished here with the signature of its digest.
async fn both_ways(
    signing: &Signing,
    service: &Service,
    (format, hash): (Format, Hash),
    sample: &Sample,
) -> [Vec<u8>; 2] {
    let Sample { file, existing, .. } = sample;
    let mut upload = submission(service, file);
    let mut alone = submission(service, b"");
    alone.as_object_mut().unwrap().remove("uploadData");
    alone["digest"] = json!(Base64::encode(&digest(format, file, hash, *existing)));
    if *existing == Existing::Append {
        upload["existingSignature"] = json!("Append");
    }
    if sample.page_hashes {
        let source = file.as_slice();
        let page_hashes = File::read(format, &source, hash, *existing).unwrap().page_hashes().unwrap();
        upload["withPageHashes"] = json!(true);
        alone["pageHashes"] = json!(Base64::encode(&page_hashes));
    }
    let mut requests = Vec::new();
    for body in [upload, alone] {
        let reply = signing.admin.post(REQUESTS, body).await;
        requests.push(reply.response()["uuid"].as_str().unwrap().to_owned());
    }
    let uploaded = signing.admin.get(&format!("{REQUESTS}/{}/signed/download", requests[0])).await;
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    let cms = bytes(&signing.read(&requests[1]).await["signature"]);
    [uploaded.body, finish(format, file, hash, *existing, &cms)]
}

/// The program that accepts a signed file.
#[track_caller]
fn accepted(root_pem: &str, (format, hash): (Format, Hash), sample: &Sample, signed: &[u8]) -> &'static str {
    let signatures = if sample.existing == Existing::Append { 2 } else { 1 };
    match format {
        Format::Pe | Format::Msi => {
            assert!(osslsigncode(root_pem, "x", signed, signatures), "{}", sample.name);
            "osslsigncode"
        }
        Format::Powershell => {
            let wide = sample.file.starts_with(&[0xff, 0xfe]);
            verify_script(root_pem, signed, hash, wide, &sample.file);
            "OpenSSL 3.0"
        }
        Format::Jar => {
            assert_eq!(signers(root_pem, signed), signatures, "{}", sample.name);
            "jarsigner -strict"
        }
    }
}
