//! POST /api/v2/x509/{uuid}/renew and /api/v2/x509/{uuid}/rekey.

use chancery_testkit::Tool;
use serde_json::{Value, json};

use super::requests::{P256, csr};
use crate::{
    app::TestApp,
    certificates::{body, generate, key_type, root, with},
    client::Client,
};

fn uuid(generated: &Value) -> String {
    generated["certificateUuid"].as_str().unwrap().to_owned()
}

fn openssl(generated: &Value, arguments: &[&str]) -> String {
    let pem = generated["certificate"].as_str().unwrap().as_bytes().to_vec();
    Tool::new("openssl35").args(["x509", "-noout"]).args(arguments).input(pem).run().text()
}

/// What certificates say besides key, validity and serial number.
const NAMES: &[&str] = &["-subject", "-issuer", "-ext", "subjectAltName,keyUsage,extendedKeyUsage,basicConstraints"];

async fn server(client: &Client, issuer: &str) -> Value {
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
async fn a_new_key_comes_from_here_or_from_a_request() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let old = server(&admin, &issuer).await;
    let path = format!("/api/v2/x509/{}/rekey", uuid(&old));
    let new = admin.post(&path, json!({})).await.response().clone();
    assert_ne!(openssl(&new, &["-pubkey"]), openssl(&old, &["-pubkey"]));
    assert!(new["keyUuid"].is_string() && new["keyUuid"] != old["keyUuid"], "kept, as the old one");
    assert_eq!(openssl(&new, NAMES), openssl(&old, NAMES));
    let other_type = json!({"newKey": {"keyTypeUuid": key_type(&admin, "Ed25519 Signing").await, "save": false}});
    let other = admin.post(&path, other_type).await.response().clone();
    assert!(openssl(&other, &["-text"]).contains("ED25519") && other.get("keyUuid").is_none());
    let csr = csr(P256, "/CN=Not taken", &[]);
    let foreign = admin.post(&path, json!({"csr": csr})).await.response().clone();
    assert_eq!(openssl(&foreign, NAMES), openssl(&old, NAMES));
    let both = json!({"csr": csr, "newKey": {}});
    admin.post(&path, both).await.refused(400, "InvalidValue", Some("/csr"));
    let data_key = json!({"newKey": {"keyTypeUuid": key_type(&admin, "AES-256 Tokenization").await}});
    admin.post(&path, data_key).await.refused(400, "InvalidSelection", Some("/newKey/keyTypeUuid"));
}

#[tokio::test]
async fn what_is_revoked_or_an_authority_takes_another_key() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let old = uuid(&server(&admin, &issuer).await);
    for reason in ["certificateHold", "superseded"] {
        admin.post(&format!("/api/v2/x509/{old}/revoke"), json!({"reason": reason})).await.response();
        admin.post(&format!("/api/v2/x509/{old}/renew"), json!({})).await.refused(409, "InvalidState", None);
    }
    admin.post(&format!("/api/v2/x509/{old}/rekey"), json!({})).await.response();
    admin.post(&format!("/api/v2/x509/{issuer}/renew"), json!({})).await.refused(409, "InvalidState", None);
    let next = admin.post(&format!("/api/v2/x509/{issuer}/rekey"), json!({})).await.response().clone();
    let under_it = with(body(&admin, "TLS Client").await, json!({"issuerUuid": uuid(&next)}));
    generate(&admin, under_it).await;
    let nothing = "/api/v2/x509/12345678-1234-1234-1234-123456789abc";
    admin.post(&format!("{nothing}/renew"), json!({})).await.refused(404, "InvalidSelection", None);
    admin.post(&format!("{nothing}/rekey"), json!({})).await.refused(404, "InvalidSelection", None);
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
