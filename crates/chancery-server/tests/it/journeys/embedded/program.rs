//! What Windows shows of a program before it runs it: a name and an address, in the signature.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use chancery_formats::{Existing, Format, Hash};
use chancery_testkit::{Tool, temp_dir};
use serde_json::{Value, json};

use super::{SCRIPT, deploy, digest, finish, installer, now, programs};
use crate::signing::{APPROVER, EC_P256, REQUESTS, Service, Signing, bytes, submission};

const NAME: &str = "Beispiel für Grüße";
const URL: &str = "https://example.org/product?version=1";

/// What `osslsigncode verify` says of a good file.
fn told(root_pem: &str, name: &str, file: &[u8]) -> String {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    fs::write(folder.path().join(name), file).unwrap();
    let verify = Tool::new("osslsigncode").args(["verify", "-in", name, "-CAfile", "root.pem"]);
    let ran = verify.folder(folder.path()).try_run();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn with_program(mut body: Value) -> Value {
    body["programName"] = json!(NAME);
    body["programUrl"] = json!(URL);
    body
}

async fn submit(signing: &Signing, body: Value) -> String {
    signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn signatures_for_windows_carry_a_name_and_an_address() {
    let signing = now().await;
    for (format, kind, name, file) in [
        ("Authenticode", Format::Pe, "x.exe", programs().remove(0)),
        ("Msi", Format::Msi, "x.msi", installer()),
        ("Powershell", Format::Powershell, "x.ps1", SCRIPT.as_bytes().to_vec()),
    ] {
        let service = deploy(&signing, format, format, EC_P256).await;
        let request = submit(&signing, with_program(submission(&service, &file))).await;
        let detail = signing.read(&request).await;
        assert_eq!([&detail["programName"], &detail["programUrl"]], [NAME, URL]);
        let signed = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
        let text = told(&signing.root_pem, name, &signed.body);
        assert!(text.contains(NAME) && text.contains(URL), "{text}");

        // The same where only a digest travels, and one of the two alone.
        let mut body = submission(&service, b"");
        body.as_object_mut().unwrap().remove("uploadData");
        body["digest"] = json!(STANDARD.encode(digest(kind, &file, Hash::Sha256, Existing::Replace)));
        body["programUrl"] = json!(URL);
        let request = submit(&signing, body).await;
        let detail = signing.read(&request).await;
        assert_eq!([detail.get("programName"), detail.get("programUrl")], [None, Some(&json!(URL))]);
        let signed = finish(kind, &file, Hash::Sha256, Existing::Replace, &bytes(&detail["signature"]));
        let text = told(&signing.root_pem, name, &signed);
        assert!(text.contains(URL) && !text.contains(NAME), "{text}");
    }
}

#[tokio::test]
async fn approvers_see_the_name_before_it_is_signed() {
    let signing = now().await;
    let change = |body: &mut Value| body["pkisigning"]["signingFormat"] = json!("Authenticode");
    let service = signing.deploy_with("approved", 1, change).await;
    let ann = signing.person("ann", APPROVER).await;
    let request = submit(&signing, with_program(submission(&service, &programs()[0]))).await;
    let detail = ann.get(&format!("{REQUESTS}/{request}")).await;
    assert_eq!(detail.response()["programName"], NAME);
    assert_eq!(detail.response()["state"], "Approval");
    assert_eq!(ann.post(&format!("{REQUESTS}/{request}/approve"), json!({})).await.response()["state"], "Signed");
    let signed = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
    let text = told(&signing.root_pem, "x.exe", &signed.body);
    assert!(text.contains(NAME) && text.contains(URL), "{text}");
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestDownload").await;
    let (told, size) = (&audit.response()["items"][0], signed.body.len());
    assert_eq!((&told["objectUuid"], &told["detail"]["bytes"]), (&json!(request), &json!(size)));
    assert_eq!(told["detail"]["signed"], true);
    ann.get(&format!("{REQUESTS}/{request}?include=uploadData")).await.response();
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestDownload").await;
    assert_eq!(audit.response()["items"][0]["detail"]["signed"], false);
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestSubmit").await;
    assert_eq!(audit.response()["items"][0]["detail"]["programName"], NAME);
}

#[tokio::test]
async fn names_and_addresses_that_do_not_fit_are_refused_by_name() {
    let signing = now().await;
    let refused = async |service: &Service, member: &str, value: Value| {
        let mut body = submission(service, SCRIPT.as_bytes());
        body[member] = value;
        signing.admin.post(REQUESTS, body).await.refused(400, "InvalidValue", Some(&format!("/{member}")));
    };
    let cms = deploy(&signing, "cms", "CMS", EC_P256).await;
    refused(&cms, "programName", json!(NAME)).await;
    refused(&cms, "programUrl", json!(URL)).await;
    let scripts = deploy(&signing, "scripts", "Powershell", EC_P256).await;
    refused(&scripts, "programName", json!("")).await;
    refused(&scripts, "programName", json!("x".repeat(256))).await;
    refused(&scripts, "programName", json!("a\nb")).await;
    for url in ["example.org", "file:///etc/passwd", "https://a b", "https://"] {
        refused(&scripts, "programUrl", json!(url)).await;
    }
    refused(&scripts, "programUrl", json!(format!("https://example.org/{}", "x".repeat(2_048)))).await;
}
