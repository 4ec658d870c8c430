//! JARs, by `jar`, `jarsigner` and Python.

use std::{fs, path::Path};

use chancery_formats::{Existing, Format, Hash};
use chancery_testkit::{TempDir, Tool, temp_dir};
use serde_json::json;

use super::{deploy, deploy_with_hash, now, sign, sign_digest, sign_digest_with, sign_with};
use crate::signing::{EC_P256, REQUESTS, RSA_2048, submission};

/// A JAR of several releases, with a name longer than a line, packed by `jar`.
pub(in crate::journeys) fn java_archive(folder: &TempDir) -> Vec<u8> {
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    write("base/Main.txt", "main");
    write(&format!("base/{}/ü.txt", "long/".repeat(20)), &"content ".repeat(10_000));
    write("base/META-INF/services/a.B", "c");
    write("nine/Main.txt", "of release nine");
    write(
        "manifest",
        "Implementation-Title: Example\n\nName: Main.txt\nX-Kept: yes\n\nName: com/example/\nSealed: true\n",
    );
    let _made = Tool::new("jar")
        .args(["--create", "--file", "x.jar", "--manifest", "manifest", "-C", "base", ".", "--release", "9"])
        .args(["-C", "nine", "."])
        .folder(folder.path())
        .run();
    fs::read(folder.path().join("x.jar")).unwrap()
}

/// Whether `jarsigner -verify -strict` accepts a JAR with every one of its entries signed.
fn jarsigner(root_pem: &str, jar: &[u8]) -> bool {
    jarsigner_says(root_pem, jar).is_some()
}

const STORE: [&str; 4] = ["-keystore", "trusted", "-storepass", "changeit"];

/// A folder with a keystore that trusts this root.
pub(in crate::journeys) fn trusted(root_pem: &str) -> TempDir {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    let import = ["-importcert", "-noprompt", "-alias", "root", "-file", "root.pem"];
    let _trusted = Tool::new("keytool").args(import).args(STORE).folder(folder.path()).run();
    folder
}

/// What `jarsigner -verify -strict` says of a JAR that it accepts, and that readers of files and of streams see alike.
fn jarsigner_says(root_pem: &str, jar: &[u8]) -> Option<String> {
    let folder = trusted(root_pem);
    fs::write(folder.path().join("x.jar"), jar).unwrap();
    let verify = Tool::new("jarsigner").args(["-verify", "-strict", "-verbose:all"]).args(STORE).arg("x.jar");
    let ran = verify.folder(folder.path()).try_run();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let is_whole = text.contains("jar verified.") && !text.contains("internal inconsistencies");
    (ran.status.success() && is_whole).then_some(text)
}

/// The signature files that `jarsigner` found good, as it lists them at the end.
#[track_caller]
pub(in crate::journeys) fn signers(root_pem: &str, jar: &[u8]) -> usize {
    jarsigner_says(root_pem, jar).expect("verified").matches("- Signed by \"").count()
}

#[tokio::test]
async fn java_archives_with_several_signers() {
    let signing = now().await;
    let rsa = deploy(&signing, "rsa", "JavaJar", RSA_2048).await;
    let ec = deploy_with_hash(&signing, "ec", "JavaJar", EC_P256, "Sha2_384").await;
    let folder = temp_dir();
    let jar = java_archive(&folder);
    let root = signing.root_pem.clone();
    // Where there is no signature the first one is made.
    let once = sign(&signing, &rsa, Format::Jar, &jar, Existing::Append).await;
    assert_eq!(signers(&root, &once), 1);
    let twice = sign_with(&signing, &ec, Hash::Sha384, Format::Jar, &once, Existing::Append).await;
    assert_eq!(signers(&root, &twice), 2);
    let by_digest = sign_digest_with(&signing, &ec, Hash::Sha384, Format::Jar, &once, Existing::Append).await;
    assert_eq!(signers(&root, &by_digest), 2);
    let thrice = sign(&signing, &rsa, Format::Jar, &twice, Existing::Append).await;
    assert_eq!(signers(&root, &thrice), 3);
    assert!(!unpacked(&folder, &thrice, "META-INF/CHANCER3.RSA").is_empty());
    assert_eq!(unpacked(&folder, &thrice, "META-INF/MANIFEST.MF"), unpacked(&folder, &once, "META-INF/MANIFEST.MF"));
    // One signature in the place of all.
    assert_eq!(signers(&root, &sign(&signing, &rsa, Format::Jar, &thrice, Existing::Replace).await), 1);

    // Somebody else's signature is there first.
    let own = ["-genkeypair", "-alias", "x", "-keyalg", "EC", "-dname", "CN=Somebody", "-keystore", "own"];
    let pass = ["-storepass", "changeit"];
    let _pair = Tool::new("keytool").args(own).args(pass).folder(folder.path()).run();
    let first = ["-keystore", "own", "x.jar", "x"];
    let _signed = Tool::new("jarsigner").args(pass).args(first).folder(folder.path()).run();
    let theirs = fs::read(folder.path().join("x.jar")).unwrap();
    let both = sign(&signing, &rsa, Format::Jar, &theirs, Existing::Append).await;
    fs::write(folder.path().join("x.jar"), &both).unwrap();
    let verify = ["-verify", "-verbose:all", "-keystore", "own", "x.jar"];
    let text = Tool::new("jarsigner").args(pass).args(verify).folder(folder.path()).run().stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("jar verified."), "{text}");
    assert!(text.contains("- Signed by \"CN=Somebody\"") && text.contains("- Signed by \"CN=Code Signing"), "{text}");

    // An entry that the others have not signed.
    fs::write(folder.path().join("base/New.txt"), "new").unwrap();
    let update = ["--update", "--file", "x.jar", "-C", "base", "New.txt"];
    let _updated = Tool::new("jar").args(update).folder(folder.path()).run();
    let mut body = submission(&rsa, &fs::read(folder.path().join("x.jar")).unwrap());
    body["existingSignature"] = json!("Append");
    signing.admin.post(REQUESTS, body).await.refused(400, "InvalidValue", Some("/uploadData"));
}

/// A JAR with more entries than a ZIP without ZIP64 can have, packed by Python.
pub(in crate::journeys) fn large_archive(folder: &TempDir) -> Vec<u8> {
    let script = "import zipfile
with zipfile.ZipFile('x.jar', 'w') as jar:
    for number in range(70000): jar.writestr(f'{number:05}.txt', b'x')";
    let _made = Tool::new("python3").args(["-c", script]).folder(folder.path()).run();
    fs::read(folder.path().join("x.jar")).unwrap()
}

#[tokio::test]
async fn java_archives_of_very_many_entries() {
    let signing = now().await;
    let service = deploy(&signing, "many", "JavaJar", EC_P256).await;
    let folder = temp_dir();
    let jar = large_archive(&folder);
    let signed = sign(&signing, &service, Format::Jar, &jar, Existing::Replace).await;
    assert_eq!(unpacked(&folder, &signed, "69999.txt"), b"x");
    let twice = sign(&signing, &service, Format::Jar, &signed, Existing::Append).await;
    assert_eq!(signers(&signing.root_pem, &twice), 2);
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
    let manifest = String::from_utf8(unpacked(&folder, &signed, "META-INF/MANIFEST.MF")).unwrap();
    assert!(manifest.contains("X-Kept: yes\r\n") && manifest.contains("Name: com/example/\r\nSealed: true\r\n"));
    let again = sign(&signing, &ec, Format::Jar, &signed, Existing::Replace).await;
    assert_eq!(unpacked(&folder, &again, "META-INF/MANIFEST.MF"), manifest.as_bytes());
    let signature_file = String::from_utf8(unpacked(&folder, &signed, "META-INF/CHANCERY.SF")).unwrap();
    assert!(signature_file.contains("Name: com/example/\r\n"), "{signature_file}");
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
