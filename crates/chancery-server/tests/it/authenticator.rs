//! Passkeys of an authenticator in software, enrolled and confirmed.

pub(crate) use chancery_testkit::Authenticator;
use serde_json::{Value, json};

use crate::client::{Client, Reply};

/// Where browsers reach the installations of these tests.
pub(crate) const ORIGIN: &str = "https://kms.example.org";

/// A new passkey for it.
pub(crate) fn authenticator() -> Authenticator {
    Authenticator::new(ORIGIN)
}

/// Where an identity's passkeys are.
pub(crate) fn passkeys_path(id: &str) -> String {
    format!("/api/v2/identities/{id}/passkeys")
}

/// Enrols a passkey under this name.
pub(crate) async fn enrol(person: &Client, path: &str, name: &str, made: &Authenticator) -> Reply {
    let begun = person.post_nothing(&format!("{path}/begin")).await;
    let begun = begun.response();
    let body = json!({"name": name, "ticket": begun["ticket"], "credential": made.create(&begun["publicKey"])});
    person.post(path, body).await
}

/// Confirms it.
pub(crate) async fn confirm(by: &Client, path: &str, passkey: &Value) -> Reply {
    let uuid = passkey["objInfo"]["uuid"].as_str().unwrap();
    by.post(&format!("{path}/{uuid}/confirm"), json!({"publicKeySha256": passkey["publicKeySha256"]})).await
}
