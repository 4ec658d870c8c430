//! GET and PATCH /api/v2/keys/{uuid}.

use serde_json::json;

use super::{data_key, path_of};
use crate::{app::TestApp, certificates};

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    for id in ["00000000-0000-0000-0000-000000000000", "x", "%FF"] {
        client.get(&format!("/api/v2/keys/{id}")).await.refused(404, "InvalidSelection", None);
        client.patch(&format!("/api/v2/keys/{id}"), json!({})).await.refused(404, "InvalidSelection", None);
    }
}

#[tokio::test]
async fn the_id_is_read_in_any_letter_case() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    assert_eq!(
        client.get(&path_of(&key).to_uppercase().replace("/API/V2/KEYS", "/api/v2/keys")).await.response(),
        &key
    );
}

#[tokio::test]
async fn a_signing_key_shows_its_public_half() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let body = certificates::body(&client, "Root Certificate Authority").await;
    let root = certificates::generate(&client, body).await;
    let key = client.get(&format!("/api/v2/keys/{}", root["keyUuid"].as_str().unwrap())).await;
    let key = key.response();
    assert_eq!(key["usages"], json!(["Sign"]));
    assert!(key["versions"][0]["publicKey"].as_str().unwrap().starts_with("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"));
}

#[tokio::test]
async fn name_and_usages_change_and_what_is_absent_stays() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    let path = path_of(&key);
    assert_eq!(client.patch(&path, json!({})).await.response(), &key);
    let changed = client.patch(&path, json!({"usages": ["Tokenize"]})).await.response().clone();
    assert_eq!(changed, certificates::with(key, json!({"usages": ["Tokenize"]})));
    let renamed = client.patch(&path, json!({"name": "CARDS"})).await.response().clone();
    assert_eq!((&renamed["objInfo"]["name"], &renamed["usages"]), (&json!("CARDS"), &json!(["Tokenize"])));
    assert_eq!(client.get(&path).await.response(), &renamed);
}

#[tokio::test]
async fn a_bad_change_is_refused_and_changes_nothing() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    data_key(&client, "other").await;
    let path = path_of(&key);
    for (body, status, error, field) in [
        (json!({"name": ""}), 400, "InvalidValue", "/name"),
        (json!({"name": "OTHER"}), 409, "AlreadyExists", "/name"),
        (json!({"name": "new", "usages": ["Sign"]}), 400, "InvalidValue", "/usages/0"),
        (json!({"usages": "Tokenize"}), 400, "ArgumentParseError", "/usages"),
        (json!({"usages": ["Encrypt"]}), 400, "InvalidSelection", "/usages/0"),
    ] {
        client.patch(&path, body).await.refused(status, error, Some(field));
    }
    assert_eq!(client.get(&path).await.response(), &key);
}
