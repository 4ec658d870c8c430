//! POST /api/v2/keys/{uuid}/rotate.

use serde_json::json;

use super::{data_key, path_of};
use crate::{app::TestApp, certificates};

#[tokio::test]
async fn a_version_is_added() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    app.clock.advance_ms(1_000);
    let rotated = client.post_nothing(&format!("{}/rotate", path_of(&key))).await.response().clone();
    assert_eq!(rotated["currentVersion"], 2);
    assert_eq!(
        rotated["versions"],
        json!([
            {"version": 1, "createdAt": "2026-06-21T12:00:00Z"},
            {"version": 2, "createdAt": "2026-06-21T12:00:01Z"},
        ])
    );
    assert_eq!(client.get(&path_of(&key)).await.response(), &rotated);
}

#[tokio::test]
async fn certificates_and_disabled_keys_are_not_rotated() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let body = certificates::body(&client, "Root Certificate Authority").await;
    let root = certificates::generate(&client, body).await;
    let key = root["keyUuid"].as_str().unwrap();
    client.post_nothing(&format!("/api/v2/keys/{key}/rotate")).await.refused(409, "InvalidState", None);
    let key = path_of(&data_key(&client, "cards").await);
    client.post_nothing(&format!("{key}/disable")).await.response();
    client.post_nothing(&format!("{key}/rotate")).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn a_bad_call_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = path_of(&data_key(&client, "cards").await);
    for action in ["rotate", "disable", "enable"] {
        client.post(&format!("{key}/{action}"), json!([1])).await.refused(400, "ArgumentParseError", None);
        let unknown = format!("/api/v2/keys/00000000-0000-0000-0000-000000000000/{action}");
        client.post_nothing(&unknown).await.refused(404, "InvalidSelection", None);
    }
}

#[tokio::test]
async fn rotating_a_key_changes_no_profile() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    let profile = json!({
        "objInfo": {"name": "cards"},
        "algorithm": "Ff1",
        "keyUuid": key["uuid"],
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19},
        "controlRules": [{"roleUuid": "00000000-0000-0000-726f-000000000001", "operation": "Tokenize"}],
    });
    let profile = client.post("/api/v2/token-profiles", profile).await.response().clone();
    let path = format!("/api/v2/token-profiles/{}", profile["objInfo"]["uuid"].as_str().unwrap());
    let message = json!({"message": "4111111111111111"});
    let token = client.post(&format!("{path}/tokenize"), message.clone()).await.response().clone();
    let rotated = client.post_nothing(&format!("{}/rotate", path_of(&key))).await;
    assert_eq!(rotated.response()["currentVersion"], 2);
    assert_eq!(client.get(&path).await.response(), &profile);
    assert_eq!(client.post(&format!("{path}/tokenize"), message).await.response(), &token);
}
