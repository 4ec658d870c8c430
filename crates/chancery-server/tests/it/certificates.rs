//! Key types, profiles and certificates, asked for as a client asks.

use serde_json::{Value, json};

use crate::client::{Client, Reply};

/// The id of the key type with this name.
pub(crate) async fn key_type(client: &Client, name: &str) -> String {
    let reply = client.post("/api/v2/key-types/stubs", json!({"search": name})).await;
    only_uuid(&reply, name)
}

/// The id of the certificate profile with this name.
pub(crate) async fn profile(client: &Client, name: &str) -> String {
    let path = format!("/api/v2/x509/cert-profiles/stubs?search={}", name.replace(' ', "%20"));
    only_uuid(&client.get(&path).await, name)
}

#[track_caller]
fn only_uuid(reply: &Reply, name: &str) -> String {
    let results = reply.response()["results"].as_array().unwrap();
    let found = results.iter().find(|stub| stub["objInfo"]["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    found["objInfo"]["uuid"].as_str().unwrap().to_owned()
}

/// A body for `generate`: this profile, an EC P-256 key.
pub(crate) async fn body(client: &Client, profile_name: &str) -> Value {
    json!({
        "certProfileUuid": profile(client, profile_name).await,
        "subjectOneline": format!("CN={profile_name} of the test,O=Example,C=US"),
        "newKey": {"keyTypeUuid": key_type(client, "EC P-256 Signing").await, "save": true},
        "saveCert": true,
        "trustCert": profile_name.ends_with("Authority"),
    })
}

/// The body with these members set, `null` members taken away.
pub(crate) fn with(mut body: Value, mut members: Value) -> Value {
    let body_members = body.as_object_mut().unwrap();
    body_members.append(members.as_object_mut().unwrap());
    body_members.retain(|_, value| !value.is_null());
    body
}

/// Generates a certificate and answers `response`.
pub(crate) async fn generate(client: &Client, body: Value) -> Value {
    client.post("/api/v2/x509/generate", body).await.response().clone()
}

/// A trusted root; answers its id.
pub(crate) async fn root(client: &Client) -> String {
    let root = generate(client, body(client, "Root Certificate Authority").await).await;
    root["certificateUuid"].as_str().unwrap().to_owned()
}

/// A certificate of this profile under this issuer; answers `response`.
pub(crate) async fn issued(client: &Client, profile_name: &str, issuer: &str) -> Value {
    generate(client, with(body(client, profile_name).await, json!({"issuerUuid": issuer}))).await
}
