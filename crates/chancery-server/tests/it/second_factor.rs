//! Somebody with one-time codes.

use chancery_core::{Clock, Host, Recover};
use chancery_keys::Totp;
use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, Reply},
};

pub(crate) const ENROL: &str = "/home/v1/login/totp";
pub(crate) const CONFIRM: &str = "/home/v1/login/totp/confirm";
pub(crate) const REMOVE: &str = "/home/v1/login/totp/remove";

/// What makes the codes of one secret.
pub(crate) struct Authenticator {
    totp: Totp,
    clock: Clock,
}

impl Authenticator {
    /// Of an answer that shows a secret.
    pub(crate) fn of(app: &TestApp, enrolled: &Reply) -> Self {
        let secret = enrolled.json["secret"].as_str().unwrap_or_else(|| panic!("{}", enrolled.text()));
        Self { totp: Totp::new(&from_base32(secret)), clock: app.clock.clone() }
    }

    /// The code of the step that is so far from now.
    pub(crate) fn code(&self, distance: i64) -> String {
        let code = self.totp.code(Totp::step_at(self.clock.now_ms()) + distance);
        String::from_utf8(code.to_vec()).unwrap()
    }

    /// A code that is none of those around now.
    pub(crate) fn wrong(&self) -> String {
        let near: Vec<_> = (-3..=3).map(|distance| self.code(distance)).collect();
        (0..10).map(|number| format!("{number:06}")).find(|code| !near.contains(code)).unwrap()
    }
}

pub(crate) fn from_base32(text: &str) -> Vec<u8> {
    let value = |letter| b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".iter().position(|known| *known == letter).unwrap();
    let bits: Vec<_> = text.bytes().flat_map(|letter| (0..5).rev().map(move |bit| value(letter) >> bit & 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | u8::try_from(*bit).unwrap())).collect()
}

/// Name, the usual password, and a code.
pub(crate) fn proof(name: &str, code: Option<&str>) -> Value {
    proof_by(name, PASSWORD, code)
}

pub(crate) fn proof_by(name: &str, password: &str, code: Option<&str>) -> Value {
    let mut proof = json!({"username": name, "password": Base64::encode(password.as_bytes())});
    if let Some(code) = code {
        proof["totp"] = json!(code);
    }
    proof
}

pub(crate) async fn log_in(client: &Client, name: &str, code: Option<&str>) -> Reply {
    let body = json!({"authType": "userpass", "authCredentials": proof(name, code)});
    client.post("/home/v1/login", body).await
}

/// Enrols a person who has the usual password, with the code of the step before: those of now and after are left.
pub(crate) async fn enrol(app: &TestApp, name: &str) -> Authenticator {
    enrol_by(app, proof(name, None)).await
}

/// The same by a proof that may have more than the password.
pub(crate) async fn enrol_by(app: &TestApp, by: Value) -> Authenticator {
    let name = by["username"].as_str().unwrap().to_owned();
    let enrolled = app.nobody().post(ENROL, by).await;
    let authenticator = Authenticator::of(app, &enrolled);
    let confirmed = app.nobody().post(CONFIRM, proof(&name, Some(&authenticator.code(-1)))).await;
    assert_eq!(confirmed.json, json!({"message": "Success", "status": "Success"}), "{}", confirmed.text());
    authenticator
}

/// An approver with codes, and their uuid.
pub(crate) async fn carol(app: &TestApp) -> (Authenticator, String) {
    let uuid = app.admin().await.create_person("carol", &[RoleId::APPROVER]).await;
    (enrol(app, "carol").await, uuid)
}

/// Takes the second factors of a person away, as in an emergency on the host; the password stays.
pub(crate) async fn lose(app: &TestApp, name: &str) {
    let emergency = Some("a test".to_owned());
    let recover = Recover { name: name.to_owned(), by: Vec::new(), emergency, keeps_password: true };
    app.chancery.identities.recover_from_host(&Host::running("a test"), recover).await.unwrap();
}
