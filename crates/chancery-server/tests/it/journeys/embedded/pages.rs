//! The hashes of a program's pages, by `osslsigncode`.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use chancery_formats::{Existing, File, Format, Hash};
use chancery_testkit::{Tool, temp_dir};
use serde_json::{Value, json};

use super::{deploy, deploy_with_hash, digest, finish, now, osslsigncode, programs};
use crate::signing::{EC_P256, REQUESTS, RSA_2048, Service, bytes, submission};

/// `SpcPeImageData` of a signature, from its SpcLink on: what is in front of it are flags, which `signtool` leaves empty.
fn image_link(signature: &[u8]) -> &[u8] {
    let oid = b"\x06\x0a\x2b\x06\x01\x04\x01\x82\x37\x02\x01\x0f";
    let data = signature.windows(oid.len()).position(|part| part == oid).unwrap() + oid.len();
    let link = data + signature[data..].windows(2).position(|part| part == [0xa0, 0x82]).unwrap();
    let len = usize::from(u16::from_be_bytes([signature[link + 2], signature[link + 3]]));
    &signature[link..link + 4 + len]
}

#[tokio::test]
async fn programs_with_page_hashes() {
    let signing = now().await;
    let rsa = deploy(&signing, "rsa", "Authenticode", RSA_2048).await;
    let ec = deploy_with_hash(&signing, "ec", "Authenticode", EC_P256, "Sha2_384").await;
    let folder = temp_dir();
    let request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"];
    let _made = Tool::new("openssl").args(request).args(["-subj", "/CN=x"]).folder(folder.path()).run();
    for program in programs() {
        fs::write(folder.path().join("in.exe"), &program).unwrap();
        let arguments = ["sign", "-ph", "-h", "sha256", "-certs", "cert.pem", "-key", "key.pem", "-in", "in.exe"];
        let _signed = fs::remove_file(folder.path().join("out.exe"));
        let sign = Tool::new("osslsigncode").args(arguments).args(["-out", "out.exe"]);
        let _signed = sign.folder(folder.path()).run();
        let theirs = fs::read(folder.path().join("out.exe")).unwrap();
        for (service, hash) in [(&rsa, Hash::Sha256), (&ec, Hash::Sha384)] {
            let mut upload = submission(service, &program);
            upload["withPageHashes"] = json!(true);
            let pages = File::read(Format::Pe, &program.as_slice(), hash, Existing::Replace).unwrap().page_hashes();
            let mut by_digest = submission(service, b"");
            by_digest.as_object_mut().unwrap().remove("uploadData");
            by_digest["digest"] = json!(STANDARD.encode(digest(Format::Pe, &program, hash, Existing::Replace)));
            by_digest["pageHashes"] = json!(STANDARD.encode(pages.unwrap()));
            for body in [upload, by_digest] {
                let uploaded = body["withPageHashes"] == true;
                let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
                let detail = signing.read(&request).await;
                let cms = bytes(&detail["signature"]);
                assert!(image_link(&cms) == image_link(&theirs), "as another program makes it");
                let table = bytes(&detail["pageHashes"]);
                assert!(cms.windows(table.len()).any(|part| part == table), "what approvers see is what is signed");
                let signed = finish(Format::Pe, &program, hash, Existing::Replace, &cms);
                if uploaded {
                    let download = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
                    assert!(download.body == signed);
                }
                assert!(osslsigncode(&signing.root_pem, "x.exe", &signed, 1));
                assert!(pages_verified(&signing.root_pem, &signed));
                let mut changed = signed;
                let text = changed.len() / 2;
                changed[text] ^= 1;
                assert!(!pages_verified(&signing.root_pem, &changed), "a changed page is seen");
            }
        }
    }
}

/// Whether `osslsigncode verify` computes the page hashes that are signed.
fn pages_verified(root_pem: &str, file: &[u8]) -> bool {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    fs::write(folder.path().join("x.exe"), file).unwrap();
    let verify = Tool::new("osslsigncode").args(["verify", "-verbose", "-in", "x.exe", "-CAfile", "root.pem"]);
    let ran = verify.folder(folder.path()).try_run();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    ran.status.success() && text.contains("Page hash algorithm  : SHA256") && !text.contains("MISMATCH")
}

#[tokio::test]
async fn page_hashes_that_are_none() {
    let signing = now().await;
    let program = deploy(&signing, "program", "Authenticode", EC_P256).await;
    let cms = deploy(&signing, "cms", "CMS", EC_P256).await;
    let refused = async |service: &Service, digest: bool, members: Value, field: &str| {
        let mut body = submission(service, &programs()[0]);
        if digest {
            body.as_object_mut().unwrap().remove("uploadData");
            body["digest"] = json!(STANDARD.encode([1; 32]));
        }
        for (name, value) in members.as_object().unwrap() {
            body[name] = value.clone();
        }
        signing.admin.post(REQUESTS, body).await.refused(400, "InvalidValue", Some(field));
    };
    refused(&cms, false, json!({"withPageHashes": true}), "/withPageHashes").await;
    refused(&program, true, json!({"withPageHashes": true}), "/withPageHashes").await;
    let table = [&[0; 4][..], &[7; 32], &[0, 2, 0, 0], &[0; 32]].concat();
    refused(&program, false, json!({"pageHashes": STANDARD.encode(&table)}), "/pageHashes").await;
    refused(&cms, true, json!({"pageHashes": STANDARD.encode(&table)}), "/pageHashes").await;
    for (at, value) in [(0, 1), (37, 0), (40, 1)] {
        let mut changed = table.clone();
        changed[at] = value;
        refused(&program, true, json!({"pageHashes": STANDARD.encode(&changed)}), "/pageHashes").await;
    }
    for part in [0, 36, 71] {
        refused(&program, true, json!({"pageHashes": STANDARD.encode(&table[..part])}), "/pageHashes").await;
    }
}
