//! POST /api/v2/x509/{uuid}/rekey.

use serde_json::json;

use super::{
    renew::{NAMES, openssl, server, uuid},
    requests::{P256, csr},
};
use crate::{
    app::TestApp,
    certificates::{body, generate, key_type, root, with},
};

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
