//! POST /api/v2/x509/{uuid}/renew.

use chancery_testkit::Tool;
use serde_json::{Value, json};

use crate::{
    app::TestApp,
    certificates::{body, generate, key_type, root, with},
    client::Client,
};

pub(super) fn uuid(generated: &Value) -> String {
    generated["certificateUuid"].as_str().unwrap().to_owned()
}

pub(super) fn openssl(generated: &Value, arguments: &[&str]) -> String {
    let pem = generated["certificate"].as_str().unwrap().as_bytes().to_vec();
    Tool::new("openssl35").args(["x509", "-noout"]).args(arguments).input(pem).run().text()
}

/// What certificates say besides key, validity and serial number.
pub(super) const NAMES: &[&str] =
    &["-subject", "-issuer", "-ext", "subjectAltName,keyUsage,extendedKeyUsage,basicConstraints"];

pub(super) async fn server(client: &Client, issuer: &str) -> Value {
    let params = json!({"subjectAltNames": ["a.example", "IP:192.0.2.1"], "keyUsages": ["digitalSignature"],
        "validityPeriod": {"unit": "Day", "amount": "5"}});
    generate(client, with(body(client, "TLS Server").await, json!({"issuerUuid": issuer, "certParams": params}))).await
}

#[tokio::test]
async fn renewal_keeps_key_and_names() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let old = server(&admin, &issuer).await;
    app.clock.advance_ms(1_000);
    let path = format!("/api/v2/x509/{}/renew", uuid(&old));
    let week = json!({"certParams": {"validityPeriod": {"unit": "Week", "amount": "1"}}});
    let new = admin.post(&path, week).await.response().clone();
    assert_eq!((&new["keyUuid"], openssl(&new, &["-pubkey"])), (&old["keyUuid"], openssl(&old, &["-pubkey"])));
    assert_eq!(openssl(&new, NAMES), openssl(&old, NAMES));
    assert_ne!(new["serialNumber"], old["serialNumber"]);
    assert_eq!(new["notAfter"], "2026-06-28T12:00:01Z");
    let old_again = admin.get(&format!("/api/v2/x509/{}", uuid(&old))).await;
    assert_eq!(old_again.response()["status"], "Valid");
    let year = admin.post(&path, json!({})).await.response().clone();
    assert_eq!(year["notAfter"], "2027-06-21T12:00:01Z", "the profile's default");
}

#[tokio::test]
async fn a_self_signed_leaf_needs_its_key() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let leaf = body(&admin, "TLS Client").await;
    let kept = generate(&admin, leaf.clone()).await;
    let again = admin.post(&format!("/api/v2/x509/{}/renew", uuid(&kept)), json!({})).await.response().clone();
    assert_eq!(openssl(&again, &["-pubkey"]), openssl(&kept, &["-pubkey"]));
    let gone = generate(
        &admin,
        with(leaf, json!({"newKey": {"keyTypeUuid": key_type(&admin, "EC P-256 Signing").await, "save": false}})),
    )
    .await;
    admin.post(&format!("/api/v2/x509/{}/renew", uuid(&gone)), json!({})).await.refused(409, "InvalidState", None);
}
