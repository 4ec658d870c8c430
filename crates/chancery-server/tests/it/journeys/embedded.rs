//! Files that carry their signature inside, by programs that we did not write: what they make is signed, and what was
//! signed they verify. Each also by the way on which only a digest travels.

use std::{fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use chancery_core::Clock;
use chancery_formats::{Existing, File, Format, Hash, Hashing};
use chancery_testkit::{TempDir, Tool, temp_dir};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    app::Setup,
    signing::{EC_P256, REQUESTS, RSA_2048, Service, Signing, bytes, submission},
};

struct Sha(Sha256);

impl Hash for Sha {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

fn begin() -> Box<dyn Hash> {
    Box::new(Sha(Sha256::new()))
}

const SHA_256: Hashing<'_> = Hashing { name: "SHA-256", begin: &begin };

/// The time of day: the programs look at no other clock.
async fn now() -> Signing {
    Signing::with(Setup { clock: Clock::System, ..Setup::default() }).await
}

async fn deploy(signing: &Signing, name: &str, format: &str, key_type: &str) -> Service {
    let change = |body: &mut Value| {
        body["pkisigning"]["signingFormat"] = json!(format);
        body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(key_type);
    };
    signing.deploy_with(name, 0, change).await
}

/// Uploads a file; answers its signed form, and checks that the client's side makes the same of the same CMS.
async fn sign(signing: &Signing, service: &Service, format: Format, file: &[u8], existing: Existing) -> Vec<u8> {
    let mut body = submission(service, file);
    let appends = existing == Existing::Append;
    if appends {
        body["existingSignature"] = json!("Append");
    }
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let signed = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
    assert_eq!(signed.status, 200, "{}", signed.text());
    let detail = signing.read(&request).await;
    let read = File::read(format, file, &SHA_256).unwrap();
    assert_eq!(bytes(&detail["digest"]), read.digest(&SHA_256), "the digest is the one that approvers see");
    assert!(read.finish(&bytes(&detail["signature"]), existing).unwrap() == signed.body);
    signed.body
}

/// Submits the digest alone and finishes the file here.
async fn sign_digest(signing: &Signing, service: &Service, format: Format, file: &[u8]) -> Vec<u8> {
    let read = File::read(format, file, &SHA_256).unwrap();
    let mut body = submission(service, b"");
    body.as_object_mut().unwrap().remove("uploadData");
    body["digest"] = json!(STANDARD.encode(read.digest(&SHA_256)));
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let download = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
    download.refused(409, "InvalidState", None);
    read.finish(&bytes(&signing.read(&request).await["signature"]), Existing::Replace).unwrap()
}

/// Whether `osslsigncode verify` accepts a file with this many signatures.
fn osslsigncode(root_pem: &str, name: &str, file: &[u8], signatures: usize) -> bool {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    fs::write(folder.path().join(name), file).unwrap();
    let verify = Tool::new("osslsigncode").args(["verify", "-in", name, "-CAfile", "root.pem"]);
    let ran = verify.folder(folder.path()).try_run();
    let text = String::from_utf8_lossy(&ran.stdout);
    let verified = text.matches("Signature verification: ok").count();
    ran.status.success() && verified == signatures && !text.contains("MISMATCH")
}

/// Programs for Windows that come with the tests' Python.
pub(super) fn programs() -> Vec<Vec<u8>> {
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

const SCRIPT: &str = "Write-Output 'grüße 👋'\r\n";

/// What the block of a script holds, as `openssl` reads it: the CMS is good, and encloses the digest of this text.
#[track_caller]
fn verify_script(root_pem: &str, signed: &[u8], wide: bool, text: &[u8]) {
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
    let digest = Sha256::digest(hashed);
    let end = cms.windows(32).position(|bytes| bytes == digest.as_slice()).expect("the digest of the text") + 32;
    let folder = temp_dir();
    let start = end - 107;
    assert_eq!(cms[start..start + 2], [0x30, 105], "SEQUENCE of 105 bytes");
    for (name, bytes) in [("root.pem", root_pem.as_bytes()), ("cms", &cms), ("content", &cms[start + 2..end])] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let _verified = Tool::new("openssl")
        .args(["smime", "-verify", "-binary", "-inform", "DER", "-in", "cms", "-content", "content"])
        .args(["-CAfile", "root.pem", "-purpose", "any", "-out", "out"])
        .folder(folder.path())
        .run();
    // This release of it knows scripts, but not that an empty one has a signature.
    if !text.is_empty()
        && String::from_utf8_lossy(&Tool::new("osslsigncode").arg("--version").try_run().stdout)
            .contains("osslsigncode 2.9")
    {
        assert!(osslsigncode(root_pem, "x.ps1", signed, 1));
    }
}

fn utf16(text: &str) -> Vec<u8> {
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
        (Vec::new(), false),
    ] {
        let signed = sign(&signing, &service, Format::Powershell, &file, Existing::Replace).await;
        verify_script(&signing.root_pem, &signed, wide, &file);
        let again = sign(&signing, &service, Format::Powershell, &signed, Existing::Replace).await;
        verify_script(&signing.root_pem, &again, wide, &file);
        let by_digest = sign_digest(&signing, &service, Format::Powershell, &file).await;
        verify_script(&signing.root_pem, &by_digest, wide, &file);
    }
}

/// A JAR of several releases, with a name longer than a line, packed by `jar`.
pub(super) fn java_archive(folder: &TempDir) -> Vec<u8> {
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("base/Main.txt", "main");
    write(&format!("base/{}/ü.txt", "long/".repeat(20)), &"content ".repeat(10_000));
    write("base/META-INF/services/a.B", "c");
    write("nine/Main.txt", "of release nine");
    write("manifest", "Implementation-Title: Example\n\nName: Main.txt\nX-Kept: yes\n");
    let _made = Tool::new("jar")
        .args(["--create", "--file", "x.jar", "--manifest", "manifest", "-C", "base", ".", "--release", "9"])
        .args(["-C", "nine", "."])
        .folder(folder.path())
        .run();
    fs::read(folder.path().join("x.jar")).unwrap()
}

const STORE: [&str; 4] = ["-keystore", "trusted", "-storepass", "changeit"];

/// A folder with a keystore that trusts this root.
pub(super) fn trusted(root_pem: &str) -> TempDir {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    let import = ["-importcert", "-noprompt", "-alias", "root", "-file", "root.pem"];
    let _trusted = Tool::new("keytool").args(import).args(STORE).folder(folder.path()).run();
    folder
}

/// Whether `jarsigner -verify -strict` accepts a JAR with every one of its entries signed.
fn jarsigner(root_pem: &str, jar: &[u8]) -> bool {
    let folder = trusted(root_pem);
    fs::write(folder.path().join("x.jar"), jar).unwrap();
    let verify = Tool::new("jarsigner").args(["-verify", "-strict", "-verbose:all"]).args(STORE).arg("x.jar");
    let ran = verify.folder(folder.path()).try_run();
    ran.status.success() && String::from_utf8_lossy(&ran.stdout).contains("jar verified.")
}

#[tokio::test]
async fn java_archives() {
    let signing = now().await;
    let rsa = deploy(&signing, "rsa", "JavaJar", RSA_2048).await;
    let ec = deploy(&signing, "ec", "JavaJar", EC_P256).await;
    let folder = temp_dir();
    let jar = java_archive(&folder);
    for service in [&rsa, &ec] {
        let signed = sign(&signing, service, Format::Jar, &jar, Existing::Replace).await;
        assert!(jarsigner(&signing.root_pem, &signed));
        let again = sign(&signing, &ec, Format::Jar, &signed, Existing::Replace).await;
        assert!(jarsigner(&signing.root_pem, &again), "signed again, by another kind of key");
        assert!(jarsigner(&signing.root_pem, &sign_digest(&signing, service, Format::Jar, &jar).await));
    }
    let signed = sign(&signing, &ec, Format::Jar, &jar, Existing::Replace).await;
    assert_eq!(unpacked(&folder, &signed, "Main.txt"), b"main");
    assert!(String::from_utf8(unpacked(&folder, &signed, "META-INF/MANIFEST.MF")).unwrap().contains("X-Kept: yes\r\n"));
    let changed = Path::new("base/Main.txt");
    fs::write(folder.path().join(changed), "evil").unwrap();
    fs::write(folder.path().join("signed.jar"), &signed).unwrap();
    let update = ["--update", "--file", "signed.jar", "-C", "base", "Main.txt"];
    let _updated = Tool::new("jar").args(update).folder(folder.path()).run();
    assert!(!jarsigner(&signing.root_pem, &fs::read(folder.path().join("signed.jar")).unwrap()));
}

fn unpacked(folder: &TempDir, jar: &[u8], name: &str) -> Vec<u8> {
    fs::write(folder.path().join("look.jar"), jar).unwrap();
    let script = "import sys,zipfile;sys.stdout.buffer.write(zipfile.ZipFile('look.jar').read(sys.argv[1]))";
    Tool::new("python3").args(["-c", script, name]).folder(folder.path()).run().stdout
}
