//! POST /api/v2/keys/{uuid}/disable.

use chancery_types::Perm;
use serde_json::json;

use super::{data_key, path_of};
use crate::{app::TestApp, certificates};

#[tokio::test]
async fn a_key_is_switched_off_however_often() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    for _ in 0..2 {
        let disabled = client.post(&format!("{}/disable", path_of(&key)), json!({})).await.response().clone();
        assert_eq!(disabled, certificates::with(key.clone(), json!({"state": "Disabled"})));
    }
}

#[tokio::test]
async fn an_authority_with_a_disabled_key_does_not_issue() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let body = certificates::body(&client, "Root Certificate Authority").await;
    let root = certificates::generate(&client, body).await;
    let key = format!("/api/v2/keys/{}", root["keyUuid"].as_str().unwrap());
    client.post_nothing(&format!("{key}/disable")).await.response();
    let leaf = certificates::with(
        certificates::body(&client, "TLS Client").await,
        json!({"issuerUuid": root["certificateUuid"]}),
    );
    client.post("/api/v2/x509/generate", leaf.clone()).await.refused(409, "InvalidState", None);
    client.post_nothing(&format!("{key}/enable")).await.response();
    client.patch(&key, json!({"usages": []})).await.response();
    client.post("/api/v2/x509/generate", leaf.clone()).await.refused(403, "NotAuthorized", None);
    client.patch(&key, json!({"usages": ["Sign"]})).await.response();
    client.post("/api/v2/x509/generate", leaf).await.response();
}

/// Whoever may not revoke what others rest on may not stop its key either.
#[tokio::test]
async fn the_key_of_a_certificate_is_stopped_by_two() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let body = certificates::body(&admin, "Root Certificate Authority").await;
    let root = certificates::generate(&admin, body).await;
    let key = format!("/api/v2/keys/{}", root["keyUuid"].as_str().unwrap());
    let alone = app.with_perms("keeper", &[Perm::KeysAdd, Perm::CertManageGenerate]).await;
    alone.post_nothing(&format!("{key}/disable")).await.refused(403, "NotAuthorized", None);
    alone.patch(&key, json!({"usages": []})).await.refused(403, "NotAuthorized", Some("/usages"));
    let detail = admin.get(&key).await;
    assert_eq!((&detail.response()["state"], &detail.response()["usages"]), (&json!("Enabled"), &json!(["Sign"])));
    let own = data_key(&alone, "cards").await;
    alone.post_nothing(&format!("{}/disable", path_of(&own))).await.response();
    admin.post_nothing(&format!("{key}/disable")).await.response();
}
