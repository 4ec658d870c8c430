//! POST /api/v2/keys.

mod disable;
mod enable;
mod rotate;
mod stubs;
mod uuid;

use serde_json::{Value, json};

use crate::{app::TestApp, certificates::key_type, client::Client};

const PATH: &str = "/api/v2/keys";

/// A data key of AES-256; answers `response`.
async fn data_key(client: &Client, name: &str) -> Value {
    let key_type = key_type(client, "AES-256 Tokenization").await;
    client.post(PATH, json!({"name": name, "keyTypeUuid": key_type})).await.response().clone()
}

fn path_of(key: &Value) -> String {
    format!("{PATH}/{}", key["uuid"].as_str().unwrap())
}

#[tokio::test]
async fn a_data_key_is_made_with_its_types_usages() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key_type = key_type(&client, "AES-256 Tokenization").await;
    let reply = client.post(PATH, json!({"name": "cards", "keyTypeUuid": key_type})).await;
    let key = reply.response();
    assert_eq!(
        key,
        &json!({
            "uuid": key["uuid"],
            "objInfo": {"name": "cards", "uuid": key["uuid"]},
            "keyTypeUuid": key_type,
            "parameters": {"keyAlgorithm": "Aes", "keySize": 256},
            "usages": ["Tokenize", "Detokenize"],
            "state": "Enabled",
            "origin": "Generated",
            "currentVersion": 1,
            "versions": [{"version": 1, "createdAt": "2026-06-21T12:00:00Z"}],
        })
    );
    assert_eq!(client.get(&path_of(key)).await.response(), key);
}

#[tokio::test]
async fn usages_are_a_subset_in_one_order() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key_type = key_type(&client, "AES-128 Tokenization").await;
    let body = |name: &str, usages: Value| json!({"name": name, "keyTypeUuid": key_type, "usages": usages});
    let reply = client.post(PATH, body("a", json!(["Detokenize", "Tokenize", "Detokenize"]))).await;
    assert_eq!(reply.response()["usages"], json!(["Tokenize", "Detokenize"]));
    assert_eq!(client.post(PATH, body("b", json!([]))).await.response()["usages"], json!([]));
    client.post(PATH, body("c", json!(["Tokenize", "Sign"]))).await.refused(400, "InvalidValue", Some("/usages/1"));
    client.post(PATH, body("c", json!(["tokenize"]))).await.refused(400, "InvalidSelection", Some("/usages/0"));
}

#[tokio::test]
async fn names_are_unique_without_regard_to_case() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    data_key(&client, "Cards").await;
    let key_type = key_type(&client, "AES-256 Tokenization").await;
    let reply = client.post(PATH, json!({"name": "cARDS", "keyTypeUuid": key_type})).await;
    reply.refused(409, "AlreadyExists", Some("/name"));
    let stubs = client.get("/api/v2/keys/stubs").await;
    assert_eq!(stubs.response()["total"], 1, "nothing is left of the second");
}

#[tokio::test]
async fn a_bad_body_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let aes = key_type(&client, "AES-256 Tokenization").await;
    let rsa = key_type(&client, "RSA 3072 Signing").await;
    for (body, error, field) in [
        (json!({"keyTypeUuid": aes}), "ArgumentParseError", "/name"),
        (json!({"name": "a"}), "ArgumentParseError", "/keyTypeUuid"),
        (json!({"name": 1, "keyTypeUuid": aes}), "ArgumentParseError", "/name"),
        (json!({"name": "", "keyTypeUuid": aes}), "InvalidValue", "/name"),
        (json!({"name": "a".repeat(256), "keyTypeUuid": aes}), "InvalidValue", "/name"),
        (json!({"name": "a\u{0}", "keyTypeUuid": aes}), "InvalidValue", "/name"),
        (json!({"name": "a", "keyTypeUuid": "x"}), "InvalidSelection", "/keyTypeUuid"),
        (
            json!({"name": "a", "keyTypeUuid": "00000000-0000-0000-0000-000000000000"}),
            "InvalidSelection",
            "/keyTypeUuid",
        ),
        (json!({"name": "a", "keyTypeUuid": rsa}), "InvalidValue", "/keyTypeUuid"),
    ] {
        client.post(PATH, body).await.refused(400, error, Some(field));
    }
    client.post(PATH, json!([1])).await.refused(400, "ArgumentParseError", None);
    client.post_nothing(PATH).await.refused(400, "ArgumentParseError", None);
    let longest = json!({"name": "ü".repeat(255), "keyTypeUuid": aes});
    assert_eq!(client.post(PATH, longest).await.status.as_u16(), 200);
}
