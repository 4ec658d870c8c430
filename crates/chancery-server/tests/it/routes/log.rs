//! The transparency log below /log, and the proofs in the details.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    app::{Setup, until},
    client::{Client, Reply},
    signing::{Signing, approve, bytes, openssl_accepts, submission},
};

/// The detail, once it has its proof; null comes first, and for at most a second on a machine that is not busy.
async fn covered(client: &Client, path: &str) -> Value {
    let begun = Instant::now();
    loop {
        let detail = client.get(path).await.response().clone();
        if !detail["inclusionProof"].is_null() {
            return detail;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{path} is not covered");
        sleep(Duration::from_millis(20)).await;
    }
}

fn size(checkpoint: &str) -> u64 {
    checkpoint.lines().nth(1).unwrap().parse().unwrap()
}

fn header<'r>(reply: &'r Reply, name: &str) -> &'r str {
    reply.headers[name].to_str().unwrap()
}

async fn signatures_and_certificates(setup: Setup) {
    let signing = Signing::with(setup).await;
    let nobody = signing.app.nobody();
    let service = signing.deploy("public", 1).await;
    let request = signing.submit(&service, b"content").await;
    let path = format!("/api/v2/x509/signing-requests/{request}");
    let waiting = signing.read(&request).await;
    assert_eq!(waiting["inclusionProof"], Value::Null, "there is no signature");
    assert!(waiting.as_object().unwrap().contains_key("inclusionProof"));
    approve(&signing.approver("Ann").await, &request).await.response();
    let detail = covered(&signing.admin, &path).await;
    let proof = &detail["inclusionProof"];
    let leaf: Value = serde_json::from_slice(&bytes(&proof["leaf"])).unwrap();
    assert_eq!(
        (&leaf["kind"], &leaf["time"], &leaf["format"]),
        (&json!("signature"), &detail["decidedAt"], &json!("CMS"))
    );
    assert_eq!(leaf["digest"], json!(hex::encode(bytes(&detail["digest"]))));
    assert_eq!(proof.get("salt"), None);
    assert!(openssl_accepts("openssl", &signing.root_pem, &bytes(&detail["signature"]), b"content"));

    // Certificates: the root, the signer.
    let certificate = covered(&signing.admin, &format!("/api/v2/x509/{}", service.certificate)).await;
    let leaf: Value = serde_json::from_slice(&bytes(&certificate["inclusionProof"]["leaf"])).unwrap();
    assert_eq!((&leaf["kind"], &leaf["time"]), (&json!("certificate"), &certificate["notBefore"]));
    covered(&signing.admin, &format!("/api/v2/x509/{}", signing.root)).await;

    // The files.
    let checkpoint = nobody.get("/log/checkpoint").await;
    assert_eq!(header(&checkpoint, "content-type"), "text/plain; charset=utf-8");
    assert_eq!(header(&checkpoint, "cache-control"), "no-cache");
    assert_eq!(size(checkpoint.text()), 3, "root, signer and signature");
    let vkey = nobody.get("/log/vkey").await.text().to_owned();
    assert_eq!(checkpoint.text().lines().next(), vkey.split('+').next());
    for (tile, len) in [("0/000.p/3", Some(96)), ("0/000.p/1", Some(32)), ("entries/000.p/3", None)] {
        let reply = nobody.get(&format!("/log/tile/{tile}")).await;
        assert_eq!(reply.status.as_u16(), 200, "{tile}");
        assert_eq!(header(&reply, "content-type"), "application/octet-stream");
        assert_eq!(header(&reply, "cache-control"), "public, max-age=31536000, immutable");
        assert!(len.is_none_or(|len| reply.body.len() == len), "{tile}: {}", reply.body.len());
    }
    for tile in
        ["0/000", "0/000.p/4", "1/000.p/1", "entries/000", "entries/000.p/4", "0/0", "x", "0/000.p/256", "64/000"]
    {
        let reply = nobody.get(&format!("/log/tile/{tile}")).await;
        assert_eq!(reply.status.as_u16(), 404, "{tile}");
        assert!(!header(&reply, "cache-control").contains("immutable"), "{tile}: what is not there may come");
    }
}

#[tokio::test]
async fn a_signature_and_its_certificates_are_proven_on_sqlite() {
    signatures_and_certificates(Setup::default()).await;
}

#[tokio::test]
async fn a_signature_and_its_certificates_are_proven_on_postgresql() {
    signatures_and_certificates(Setup { postgres: true, ..Setup::default() }).await;
}

#[tokio::test]
async fn an_internal_service_is_not_told_of() {
    let signing = Signing::new().await;
    let service = signing.deploy_with("internal", 0, |body| body["log"] = json!("Internal")).await;
    let request = signing.submit(&service, b"secret project").await;
    let detail = covered(&signing.admin, &format!("/api/v2/x509/signing-requests/{request}")).await;
    let proof = &detail["inclusionProof"];
    let leaf: Value = serde_json::from_slice(&bytes(&proof["leaf"])).unwrap();
    assert_eq!(leaf.as_object().unwrap().keys().collect::<Vec<_>>(), ["commitment", "kind", "version"]);
    assert_eq!(bytes(&proof["salt"]).len(), 32);
    let mut body = signing.deployment("other", 0);
    body["log"] = json!("Secret");
    let refused = signing.admin.post("/cuserv/v1/services/deploy", body).await;
    assert_eq!(refused.status.as_u16(), 400, "{}", refused.text());
}

#[tokio::test]
async fn what_is_not_saved_is_in_the_log_and_what_is_refused_is_not() {
    let signing = Signing::new().await;
    let service = signing.deploy("public", 0).await;
    covered(&signing.admin, &format!("/api/v2/x509/{}", service.certificate)).await;
    let order = json!({
        "certProfileUuid": "00000000-0000-0000-6370-000000000001", "subjectOneline": "CN=Not kept",
        "newKey": {"keyTypeUuid": crate::signing::EC_P256, "save": false}, "saveCert": false,
    });
    signing.admin.post("/api/v2/x509/generate", order).await.response();
    let revoke = format!("/api/v2/x509/{}/revoke", service.certificate);
    signing.admin.post(&revoke, json!({"reason": "keyCompromise"})).await.response();
    let refused = signing.admin.post("/api/v2/x509/signing-requests", submission(&service, b"x")).await;
    assert_eq!(refused.status.as_u16(), 409, "{}", refused.text());
    sleep(Duration::from_millis(1_500)).await;
    let sized = async || size(signing.app.nobody().get("/log/checkpoint").await.text());
    until("the log has all three", async || sized().await >= 3).await;
    assert_eq!(sized().await, 3, "the root, the signer, and the certificate that was not kept");
}
