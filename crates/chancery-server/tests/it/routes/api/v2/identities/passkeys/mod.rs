//! `/api/v2/identities/{uuid}/passkeys`: made by the person, confirmed by a second one.

mod begin;
mod confirm;
mod passkey_uuid;

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    authenticator::{Authenticator, ORIGIN, authenticator, confirm, enrol, passkeys_path},
    client::Client,
};

pub(super) fn setup() -> Setup {
    Setup { public_origin: Some(ORIGIN.to_owned()), ..Setup::default() }
}

/// Carol, an approver, the path of its passkeys, and those who administer.
pub(super) async fn carol(app: &TestApp) -> (Client, String, Client) {
    let admin = app.admin().await;
    let carol = app.person("carol", &[RoleId::APPROVER]).await;
    let path = passkeys_path(&admin.identity_uuid("carol").await);
    (carol, path, admin)
}

#[tokio::test]
async fn a_passkey_counts_once_a_second_person_has_confirmed_it() {
    let app = TestApp::with(setup()).await;
    let (carol, path, admin) = carol(&app).await;
    let begun = carol.post_nothing(&format!("{path}/begin")).await.response().clone();
    let options = &begun["publicKey"];
    assert_eq!(options["rp"], json!({"id": "kms.example.org", "name": "Chancery"}));
    assert_eq!((&options["attestation"], &options["user"]["name"]), (&json!("none"), &json!("carol")));
    assert_eq!(options["authenticatorSelection"], json!({"residentKey": "required", "userVerification": "required"}));
    let algorithms: Vec<_> = options["pubKeyCredParams"].as_array().unwrap().iter().map(|one| &one["alg"]).collect();
    assert_eq!(algorithms, [-7, -8, -257]);
    let key = authenticator();
    let body = json!({"name": "laptop", "ticket": begun["ticket"], "credential": key.create(options)});
    let made = carol.post(&path, body.clone()).await.response().clone();
    assert_eq!((made.get("confirmedAt"), &made["confirmUntil"]), (None, &json!("2026-06-28T12:00:00.500Z")));
    // What was sent once is of no use twice, and a passkey is somebody's once.
    carol.post(&path, body).await.refused(409, "InvalidState", Some("/ticket"));
    enrol(&carol, &path, "again", &key).await.refused(409, "AlreadyExists", Some("/credential"));
    enrol(&carol, &path, "LAPTOP", &authenticator()).await.refused(409, "AlreadyExists", Some("/name"));

    confirm(&carol, &path, &made).await.refused(403, "NotAuthorized", None);
    let other = json!({"objInfo": made["objInfo"], "publicKeySha256": "AAAA"});
    confirm(&admin, &path, &other).await.refused(400, "InvalidValue", Some("/publicKeySha256"));
    let confirmed = confirm(&admin, &path, &made).await.response().clone();
    let by: Vec<_> =
        confirmed["confirmedBy"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!((&confirmed["confirmedAt"], by), (&json!("2026-06-21T12:00:00.500Z"), vec!["Admin1", "Admin2"]));
    confirm(&admin, &path, &made).await.refused(409, "InvalidState", None);
    for action in ["PasskeyEnrol", "PasskeyConfirm"] {
        admin.saw_audited(action).await;
    }
    let listed = carol.get(&path).await.response()["results"].clone();
    assert_eq!(listed, json!([confirmed]));
    assert_eq!(admin.get(&path).await.response()["results"], listed);

    let uuid = made["objInfo"]["uuid"].as_str().unwrap();
    let renamed = carol.patch(&format!("{path}/{uuid}"), json!({"name": "old laptop"})).await.response().clone();
    assert_eq!(
        (&renamed["objInfo"]["name"], &renamed["confirmedAt"]),
        (&json!("old laptop"), &confirmed["confirmedAt"])
    );
    admin.delete(&format!("{path}/{uuid}")).await.response();
    carol.delete(&format!("{path}/{uuid}")).await.refused(404, "InvalidSelection", None);
    assert_eq!(carol.get(&path).await.response()["results"], json!([]));
}

#[tokio::test]
async fn what_no_browser_made_here_is_refused() {
    let app = TestApp::with(setup()).await;
    let (carol, path, _admin) = carol(&app).await;
    type Change = fn(&mut Authenticator);
    let changes: [(Change, &str); 5] = [
        (|made| made.origin = "https://evil.example".to_owned(), "another origin"),
        (|made| made.origin = "https://kms.example.org:8443".to_owned(), "another origin"),
        (|made| made.rp_id = "example.org".to_owned(), "another relying party"),
        (|made| made.flags = 1, "not verified"),
        (|made| made.flags = 4, "nobody was present"),
    ];
    for (change, says) in changes {
        let mut made = authenticator();
        change(&mut made);
        let reply = enrol(&carol, &path, "k", &made).await;
        reply.refused(400, "InvalidValue", Some("/credential"));
        assert!(reply.text().contains(says), "{}", reply.text());
    }
    let begun = carol.post_nothing(&format!("{path}/begin")).await.response().clone();
    let good = authenticator().create(&begun["publicKey"]);
    let with = |pointer: &str, value: Value| {
        let mut credential = good.clone();
        *credential.pointer_mut(pointer).unwrap() = value;
        json!({"name": "k", "ticket": begun["ticket"], "credential": credential})
    };
    for (pointer, value, code, field) in [
        ("/id", json!("*"), "ArgumentParseError", "/credential/id"),
        ("/id", json!("AAAA"), "InvalidValue", "/credential/id"),
        ("/response/clientDataJSON", json!("a=="), "ArgumentParseError", "/credential/response/clientDataJSON"),
        ("/response/attestationObject", json!("AAAA"), "InvalidValue", "/credential"),
        ("/response/clientDataJSON", json!("AAAA"), "InvalidValue", "/credential"),
    ] {
        carol.post(&path, with(pointer, value)).await.refused(400, code, Some(field));
    }
    assert_eq!(carol.get(&path).await.response()["results"], json!([]));
}

/// Only what somebody else does, or who has just shown the password, vouches for an identity.
#[tokio::test]
async fn a_passkey_that_never_counted_forgives_no_wrong_passwords() {
    let app = TestApp::with(setup()).await;
    let (carol, path, admin) = carol(&app).await;
    let made = enrol(&carol, &path, "counts", &authenticator()).await.response().clone();
    confirm(&admin, &path, &made).await.response();
    for _ in 0..12 {
        app.nobody().log_in("carol", "wrong").await;
        app.clock.advance_ms(1);
    }
    let other = enrol(&carol, &path, "never", &authenticator()).await.response()["objInfo"]["uuid"].clone();
    carol.delete(&format!("{path}/{}", other.as_str().unwrap())).await.response();
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 401, "delayed");
    admin.delete(&format!("{path}/{}", made["objInfo"]["uuid"].as_str().unwrap())).await.response();
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 200);
}
