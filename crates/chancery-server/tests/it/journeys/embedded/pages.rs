//! The hashes of a program's pages, by `osslsigncode`.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use chancery_formats::{Existing, File, Format, Hash};
use chancery_testkit::{Tool, temp_dir};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

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

/// What `sha256sum` says of lines.
fn sha256(text: &[u8]) -> Vec<u8> {
    Sha256::digest(text).to_vec()
}

/// Page hashes that nobody computed.
fn table(page: u8) -> Vec<u8> {
    [&[0; 4][..], &[page; 32], &[0, 2, 0, 0], &[0; 32]].concat()
}

#[tokio::test]
async fn an_approval_is_of_page_hashes_too() {
    let signing = now().await;
    let change = |body: &mut Value| body["pkisigning"]["signingFormat"] = json!("Authenticode");
    let service = signing.deploy_with("programs", 1, change).await;
    let ann = signing.approver("ann").await;
    let submit = async |members: Value| {
        let mut body = submission(&service, &programs()[0]);
        for (name, value) in members.as_object().unwrap() {
            body[name] = value.clone();
        }
        if body["digest"].is_string() {
            body.as_object_mut().unwrap().remove("uploadData");
        }
        signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned()
    };
    let approve = async |request: &str, digest: &[u8]| {
        ann.post(&format!("{REQUESTS}/{request}/approve"), json!({"digest": STANDARD.encode(digest)})).await
    };
    let digest = [1_u8; 32];
    let pages = json!({"digest": STANDARD.encode(digest), "pageHashes": STANDARD.encode(table(7))});
    let others = json!({"digest": STANDARD.encode(digest), "pageHashes": STANDARD.encode(table(8))});
    let (request, other) = (submit(pages).await, submit(others).await);
    let lines = format!(
        "chancery approval 1\n{}  digest\n{}  pageHashes\n",
        hex::encode(digest),
        hex::encode(sha256(&table(7)))
    );
    let covering = sha256(lines.as_bytes());
    let detail = signing.read(&request).await;
    assert_eq!([bytes(&detail["digest"]), bytes(&detail["approvalDigest"])], [digest.to_vec(), covering.clone()]);
    let listed = ann.get(REQUESTS).await;
    let stub = listed.response()["items"].as_array().unwrap().iter().find(|stub| stub["uuid"] == request.as_str());
    assert_eq!(stub.unwrap()["approvalDigest"], detail["approvalDigest"]);
    let refused = approve(&request, &digest).await;
    refused.refused(400, "InvalidValue", Some("/digest"));
    assert!(refused.text().contains("does not cover"), "{}", refused.text());
    approve(&other, &covering).await.refused(400, "InvalidValue", Some("/digest"));
    assert_eq!(signing.read(&request).await["approvals"], json!([]));
    let approved = approve(&request, &covering).await;
    assert_eq!(approved.response()["state"], "Signed");
    assert_eq!(bytes(&approved.response()["digest"]), covering);
    // Of an upload all is said by its digest.
    let uploaded = submit(json!({"withPageHashes": true})).await;
    let detail = signing.read(&uploaded).await;
    assert_eq!(detail["approvalDigest"], detail["digest"]);
    assert_eq!(approve(&uploaded, &bytes(&detail["digest"])).await.response()["state"], "Signed");
    // A name that Windows shows is signed too.
    let named = submit(json!({"programName": "Setup"})).await;
    let digest = bytes(&signing.read(&named).await["digest"]);
    let lines = format!(
        "chancery approval 1\n{}  digest\n{}  programName\n",
        hex::encode(&digest),
        hex::encode(sha256(b"Setup"))
    );
    approve(&named, &digest).await.refused(400, "InvalidValue", Some("/digest"));
    assert_eq!(approve(&named, &sha256(lines.as_bytes())).await.response()["state"], "Signed");
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestApprove").await;
    let records = audit.response()["items"].as_array().unwrap();
    assert!(records.iter().any(|record| record["detail"]["approvalDigest"] == hex::encode(&covering)), "{records:?}");
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
    let table = table(7);
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
