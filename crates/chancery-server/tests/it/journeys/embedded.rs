//! Files that carry their signature inside, by programs that we did not write: what they make is signed, and what was
//! signed they verify. Each also by the way on which only a digest travels.

mod contents;
pub(super) mod jars;
mod pages;
mod program;
mod refused;

use std::{fs, io::Cursor};

use base64::{Engine, engine::general_purpose::STANDARD};
use chancery_core::Clock;
use chancery_formats::{Existing, File, Format, Hash};
use chancery_testkit::{Tool, temp_dir};
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::{
    app::Setup,
    signing::{EC_P256, REQUESTS, RSA_2048, Service, Signing, bytes, submission},
};

pub(super) fn digest(format: Format, file: &[u8], hash: Hash, existing: Existing) -> Vec<u8> {
    File::read(format, &file, hash, existing).unwrap().digest().unwrap()
}

/// What the client's side makes of a file and a CMS.
pub(super) fn finish(format: Format, file: &[u8], hash: Hash, existing: Existing, cms: &[u8]) -> Vec<u8> {
    let mut signed = Cursor::new(Vec::new());
    File::read(format, &file, hash, existing).unwrap().finish(cms, &mut signed).unwrap();
    signed.into_inner()
}

/// The time of day: the programs look at no other clock.
async fn now() -> Signing {
    Signing::with(Setup { clock: Clock::System, ..Setup::default() }).await
}

async fn deploy(signing: &Signing, name: &str, format: &str, key_type: &str) -> Service {
    deploy_with_hash(signing, name, format, key_type, "Sha2_256").await
}

async fn deploy_with_hash(signing: &Signing, name: &str, format: &str, key_type: &str, hash: &str) -> Service {
    let change = |body: &mut Value| {
        body["pkisigning"]["signingFormat"] = json!(format);
        body["pkisigning"]["hashAlgorithm"] = json!(hash);
        body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(key_type);
    };
    signing.deploy_with(name, 0, change).await
}

/// Uploads a file; answers its signed form, and checks that the client's side makes the same of the same CMS.
async fn sign(signing: &Signing, service: &Service, format: Format, file: &[u8], existing: Existing) -> Vec<u8> {
    sign_with(signing, service, Hash::Sha256, format, file, existing).await
}

async fn sign_with(
    signing: &Signing,
    service: &Service,
    hash: Hash,
    format: Format,
    file: &[u8],
    existing: Existing,
) -> Vec<u8> {
    let mut body = submission(service, file);
    if existing == Existing::Append {
        body["existingSignature"] = json!("Append");
    }
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let signed = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
    assert_eq!(signed.status, 200, "{}", signed.text());
    let detail = signing.read(&request).await;
    let seen = digest(format, file, hash, existing);
    assert_eq!(bytes(&detail["digest"]), seen, "the digest is the one that approvers see");
    assert!(finish(format, file, hash, existing, &bytes(&detail["signature"])) == signed.body);
    signed.body
}

/// Submits the digest alone and finishes the file here.
async fn sign_digest(signing: &Signing, service: &Service, format: Format, file: &[u8]) -> Vec<u8> {
    sign_digest_with(signing, service, Hash::Sha256, format, file, Existing::Replace).await
}

async fn sign_digest_with(
    signing: &Signing,
    service: &Service,
    hash: Hash,
    format: Format,
    file: &[u8],
    existing: Existing,
) -> Vec<u8> {
    let mut body = submission(service, b"");
    body.as_object_mut().unwrap().remove("uploadData");
    body["digest"] = json!(STANDARD.encode(digest(format, file, hash, existing)));
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let download = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
    download.refused(409, "InvalidState", None);
    finish(format, file, hash, existing, &bytes(&signing.read(&request).await["signature"]))
}

/// Whether `osslsigncode verify` accepts a file with this many signatures, and their time stamps.
pub(super) fn osslsigncode(root_pem: &str, name: &str, file: &[u8], signatures: usize) -> bool {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    fs::write(folder.path().join(name), file).unwrap();
    let verify = ["verify", "-in", name, "-CAfile", "root.pem", "-TSA-CAfile", "root.pem"];
    let ran = Tool::new("osslsigncode").args(verify).folder(folder.path()).try_run();
    let text = String::from_utf8_lossy(&ran.stdout);
    // Of a time stamp's signature it says so in a longer line.
    let verified = text.lines().filter(|line| line.trim() == "Signature verification: ok").count();
    ran.status.success() && verified == signatures && !text.contains("MISMATCH")
}

/// Programs for Windows that come with the tests' Python.
pub(crate) fn programs() -> Vec<Vec<u8>> {
    let venv = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/lib");
    let python = fs::read_dir(venv).unwrap().flatten().next().unwrap().path();
    let folder = python.join("site-packages/pip/_vendor/distlib");
    ["t32.exe", "w64.exe", "t64-arm.exe"].map(|name| fs::read(folder.join(name)).unwrap()).to_vec()
}

#[tokio::test]
async fn programs_for_windows() {
    let signing = now().await;
    let rsa = deploy(&signing, "rsa", "Authenticode", RSA_2048).await;
    let ec = deploy(&signing, "ec", "Authenticode", EC_P256).await;
    let root = signing.root_pem.clone();
    let verify = |file: &[u8], signatures| osslsigncode(&root, "program.exe", file, signatures);
    for program in programs() {
        for service in [&rsa, &ec] {
            let signed = sign(&signing, service, Format::Pe, &program, Existing::Replace).await;
            assert!(verify(&signed, 1));
            assert!(verify(&sign_digest(&signing, service, Format::Pe, &program).await, 1));
        }
        // A length that is no multiple of eight.
        let odd = [program.as_slice(), b"x"].concat();
        let signed = sign(&signing, &ec, Format::Pe, &odd, Existing::Append).await;
        assert!(verify(&signed, 1), "nothing to append to");
        let twice = sign(&signing, &rsa, Format::Pe, &signed, Existing::Append).await;
        assert!(verify(&twice, 2));
        let thrice = sign(&signing, &rsa, Format::Pe, &twice, Existing::Append).await;
        assert!(verify(&thrice, 3));
        let again = sign(&signing, &rsa, Format::Pe, &thrice, Existing::Replace).await;
        assert!(verify(&again, 1));
        let mut changed = again;
        changed[0x4e] ^= 1;
        assert!(!verify(&changed, 1), "a changed program is refused");
    }
}

/// The hashes of a file's signatures, as `osslsigncode verify` names them.
fn hashes(root_pem: &str, name: &str, file: &[u8]) -> Vec<String> {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    fs::write(folder.path().join(name), file).unwrap();
    let verify = Tool::new("osslsigncode").args(["verify", "-in", name, "-CAfile", "root.pem"]);
    let ran = verify.folder(folder.path()).try_run();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    // With one space less the same words name the hash of the attributes.
    let named = text.lines().filter(|line| line.starts_with("Message digest algorithm  "));
    named.filter_map(|line| line.split(": ").nth(1)).map(|hash| hash.trim().to_owned()).collect()
}

#[tokio::test]
async fn one_file_with_two_hashes() {
    let signing = now().await;
    let root = signing.root_pem.clone();
    for (name, format, kind, file) in
        [("program.exe", "Authenticode", Format::Pe, programs().remove(0)), ("x.msi", "Msi", Format::Msi, installer())]
    {
        let first = deploy(&signing, &format!("first {format}"), format, RSA_2048).await;
        let once = sign(&signing, &first, kind, &file, Existing::Replace).await;
        for (hash, named) in [(Hash::Sha384, "Sha2_384"), (Hash::Sha512, "Sha2_512")] {
            let second = deploy_with_hash(&signing, &format!("{format} {named}"), format, EC_P256, named).await;
            let twice = sign_with(&signing, &second, hash, kind, &once, Existing::Append).await;
            assert!(osslsigncode(&root, name, &twice, 2));
            let expected = ["SHA256".to_owned(), named.replace("Sha2_", "SHA")];
            assert_eq!(hashes(&root, name, &twice), expected);
            let by_digest = sign_digest_with(&signing, &second, hash, kind, &once, Existing::Append).await;
            assert!(osslsigncode(&root, name, &by_digest, 2));
            assert_eq!(hashes(&root, name, &by_digest), expected);
        }
    }
}

/// An installer that `msibuild` made, with a stream large enough for sectors of its own and a small one.
pub(super) fn installer() -> Vec<u8> {
    let folder = temp_dir();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("large"), vec![7; 20_000]).unwrap();
    fs::write(path("small"), "small").unwrap();
    let build = |arguments: &[&str]| Tool::new("msibuild").args(arguments).folder(folder.path()).run();
    let _made = build(&["x.msi", "-s", "A product", "A maker", ";1033", "{12345678-1234-1234-1234-123456789012}"]);
    let _added = build(&["x.msi", "-a", "Large", "large", "-a", "Small", "small"]);
    fs::read(path("x.msi")).unwrap()
}

#[tokio::test]
async fn installers_for_windows() {
    let signing = now().await;
    let rsa = deploy(&signing, "rsa", "Msi", RSA_2048).await;
    let ec = deploy(&signing, "ec", "Msi", EC_P256).await;
    let root = signing.root_pem.clone();
    let verify = |file: &[u8], signatures| osslsigncode(&root, "x.msi", file, signatures);
    let file = installer();
    for service in [&rsa, &ec] {
        let signed = sign(&signing, service, Format::Msi, &file, Existing::Replace).await;
        assert!(verify(&signed, 1));
        let twice = sign(&signing, &rsa, Format::Msi, &signed, Existing::Append).await;
        assert!(verify(&twice, 2));
        assert!(verify(&sign(&signing, &rsa, Format::Msi, &twice, Existing::Replace).await, 1));
    }
    let mut signed = sign_digest(&signing, &ec, Format::Msi, &file).await;
    assert!(verify(&signed, 1));
    let large = signed.windows(8).position(|bytes| bytes == [7; 8]).unwrap();
    signed[large] = 8;
    assert!(!verify(&signed, 1), "a changed installer is refused");
}

pub(super) const SCRIPT: &str = "Write-Output 'grüße 👋'\r\n";

/// What the block of a script holds, as `openssl` reads it: the CMS is good, and encloses the digest of this text.
#[track_caller]
pub(super) fn verify_script(root_pem: &str, signed: &[u8], hash: Hash, wide: bool, text: &[u8]) {
    let decoded = if wide {
        let units: Vec<_> = signed.chunks(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
        String::from_utf16(&units).unwrap()
    } else {
        String::from_utf8(signed.to_vec()).unwrap()
    };
    assert!(signed.starts_with(text), "the script is as it was");
    let (_, block) = decoded.split_once("\r\n# SIG # Begin signature block\r\n").unwrap();
    let block = block.strip_suffix("# SIG # End signature block\r\n").unwrap();
    let base64: String = block.lines().map(|line| line.strip_prefix("# ").unwrap()).collect();
    let cms = STANDARD.decode(base64).unwrap();
    let hashed: Vec<u8> = if wide { text.to_vec() } else { utf16(std::str::from_utf8(text).unwrap()) };
    // SpcIndirectDataContent ends with the digest; what is signed is its value, without tag and length.
    let digest = match hash {
        Hash::Sha256 => Sha256::digest(hashed).to_vec(),
        Hash::Sha384 => Sha384::digest(hashed).to_vec(),
        Hash::Sha512 => Sha512::digest(hashed).to_vec(),
    };
    let found = cms.windows(digest.len()).position(|bytes| bytes == digest);
    let end = found.expect("the digest of the text") + digest.len();
    let folder = temp_dir();
    let start = end - 73 - digest.len();
    assert_eq!(usize::from(cms[start - 1]), end - start, "the length of a SEQUENCE");
    for (name, bytes) in [("root.pem", root_pem.as_bytes()), ("cms", &cms), ("content", &cms[start..end])] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let _verified = Tool::new("openssl")
        .args(["smime", "-verify", "-binary", "-inform", "DER", "-in", "cms", "-content", "content"])
        .args(["-CAfile", "root.pem", "-purpose", "any", "-out", "out"])
        .folder(folder.path())
        .run();
    if osslsigncode_knows_scripts() {
        assert!(osslsigncode(root_pem, "x.ps1", signed, 1));
    }
}

/// Whether the installed release is the first that does.
pub(super) fn osslsigncode_knows_scripts() -> bool {
    Tool::new("osslsigncode").arg("--version").try_run().text().contains("osslsigncode 2.9")
}

pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[tokio::test]
async fn powershell_scripts() {
    let signing = now().await;
    let service = deploy(&signing, "scripts", "Powershell", RSA_2048).await;
    let with_mark = format!("\u{feff}{SCRIPT}");
    for (file, wide) in [
        (SCRIPT.as_bytes().to_vec(), false),
        (SCRIPT.replace("\r\n", "\n").into_bytes(), false),
        (with_mark.clone().into_bytes(), false),
        (utf16(&with_mark), true),
    ] {
        let signed = sign(&signing, &service, Format::Powershell, &file, Existing::Replace).await;
        verify_script(&signing.root_pem, &signed, Hash::Sha256, wide, &file);
        let again = sign(&signing, &service, Format::Powershell, &signed, Existing::Replace).await;
        verify_script(&signing.root_pem, &again, Hash::Sha256, wide, &file);
        let by_digest = sign_digest(&signing, &service, Format::Powershell, &file).await;
        verify_script(&signing.root_pem, &by_digest, Hash::Sha256, wide, &file);
    }
}

/// What `Update-FormatData` and the like read is XML, and its signature is in comments of XML.
#[tokio::test]
async fn powershell_xml() {
    let signing = now().await;
    let service = deploy(&signing, "scripts", "Powershell", RSA_2048).await;
    let types = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<Types>\r\n  <!-- Grüße -->\r\n</Types>\r\n";
    let with_mark = format!("\u{feff}{types}");
    for file in [types.as_bytes().to_vec(), with_mark.clone().into_bytes(), utf16(&with_mark)] {
        let signed = sign(&signing, &service, Format::Powershell, &file, Existing::Replace).await;
        let again = sign(&signing, &service, Format::Powershell, &signed, Existing::Replace).await;
        for signed in [signed, again] {
            if osslsigncode_knows_scripts() {
                assert!(osslsigncode(&signing.root_pem, "x.ps1xml", &signed, 1));
                assert!(!osslsigncode(&signing.root_pem, "x.ps1", &signed, 1), "no script finds it");
            }
            if !file.starts_with(b"\xff\xfe") {
                // It is still XML.
                let folder = temp_dir();
                fs::write(folder.path().join("x.ps1xml"), &signed).unwrap();
                let script = "import xml.etree.ElementTree as tree; tree.parse('x.ps1xml')";
                let _parsed = Tool::new("python3").args(["-c", script]).folder(folder.path()).run();
            }
        }
    }
}
