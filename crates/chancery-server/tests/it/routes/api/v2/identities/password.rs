//! POST /api/v2/identities/{uuid}/password.

use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
};

const NEW: &str = "another long password";

fn path(id: &str) -> String {
    format!("/api/v2/identities/{id}/password")
}

fn body(password: &str) -> Value {
    json!({"password": Base64::encode(password.as_bytes())})
}

/// A session of two security officers.
async fn officers(app: &TestApp, admin: &Client) -> Client {
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await
}

#[tokio::test]
async fn a_reset_ends_the_sessions_and_is_remembered() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let id = admin.identity_uuid("auditor").await;
    app.clock.advance_ms(1_000);
    let reset = admin.post(&path(&id), body(NEW)).await;
    assert_eq!(reset.response()["passwordResetAt"], "2026-06-21T12:00:01.500Z");
    auditor.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    assert_eq!(app.nobody().log_in("auditor", PASSWORD).await.status.as_u16(), 401);
    assert_eq!(app.nobody().log_in("auditor", NEW).await.status.as_u16(), 200);
}

#[tokio::test]
async fn one_can_set_the_own_password_which_is_no_reset() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let id = admin.identity_uuid("auditor").await;
    assert_eq!(auditor.post(&path(&id), body(NEW)).await.response().get("passwordResetAt"), None);
    auditor.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    assert_eq!(app.nobody().log_in("auditor", NEW).await.status.as_u16(), 200);
    let other = admin.identity_uuid("Admin1").await;
    let auditor = app.logged_in(&[("auditor", NEW)]).await;
    auditor.post(&path(&other), body(NEW)).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn in_a_shared_session_the_own_password_is_reset_by_another() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = admin.identity_uuid("Admin1").await;
    let reset = admin.post(&path(&id), body(NEW)).await;
    assert!(reset.response()["passwordResetAt"].is_string());
    admin.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    app.logged_in(&[("Admin1", NEW), ("Admin2", PASSWORD)]).await;
}

#[tokio::test]
async fn nobody_sets_the_password_of_somebody_who_holds_more() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let officers = officers(&app, &admin).await;
    let auditor = admin.create_person("auditor", &[RoleId::AUDITOR]).await;
    let administrator = admin.identity_uuid("Admin1").await;
    officers.post(&path(&administrator), body(NEW)).await.refused(403, "NotAuthorized", None);
    officers.post(&path(&auditor), body(NEW)).await.response();
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
}

#[tokio::test]
async fn what_is_no_good_password_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = admin.create_person("auditor", &[RoleId::AUDITOR]).await;
    for (body, code) in [
        (json!({}), "ArgumentParseError"),
        (json!({"password": 1}), "ArgumentParseError"),
        (json!({"password": "?"}), "ArgumentParseError"),
        (body("11 letters."), "InvalidValue"),
    ] {
        admin.post(&path(&id), body).await.refused(400, code, Some("/password"));
    }
    admin.post(&path("00000000-0000-0000-0000-000000000009"), body(NEW)).await.refused(404, "InvalidSelection", None);
    app.nobody().post(&path(&id), body(NEW)).await.refused(401, "InvalidAuthToken", None);
    assert_eq!(app.nobody().log_in("auditor", PASSWORD).await.status.as_u16(), 200);
}

/// Whoever answers a leak by a new password means the key as well; and who has a token of ten minutes makes no password
/// out of it.
#[tokio::test]
async fn a_reset_ends_the_api_key_and_an_application_sets_no_password() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let new = json!({"name": "till", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let made = admin.post("/api/v2/identities", new).await.response().clone();
    let id = made["uuid"].as_str().unwrap();
    let credentials = json!({"authType": "apikey", "authCredentials": {"apiKey": made["apiKey"]}});
    let mut till = app.nobody();
    assert_eq!(till.post("/home/v1/login", credentials.clone()).await.status.as_u16(), 200);
    let token = till.get("/home/v1/login/token").await.json["token"].as_str().unwrap().to_owned();
    till.bearer = Some(token);
    till.post(&path(id), body(NEW)).await.refused(403, "NotAuthorized", None);
    admin.post(&path(id), body(NEW)).await.response();
    assert_eq!(app.nobody().post("/home/v1/login", credentials).await.status.as_u16(), 401);
    assert_eq!(app.nobody().log_in("till", NEW).await.status.as_u16(), 200);
}

#[tokio::test]
async fn nobody_renames_somebody_who_holds_more() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let officers = officers(&app, &admin).await;
    let auditor = admin.create_person("auditor", &[RoleId::AUDITOR]).await;
    let administrator = admin.identity_uuid("Admin1").await;
    let rename = |id: &str, name: &str| (format!("/api/v2/identities/{id}"), json!({"name": name}));
    let (path, body) = rename(&administrator, "somebody");
    officers.patch(&path, body.clone()).await.refused(403, "NotAuthorized", None);
    // Nor by taking the roles away in the same call.
    let third = admin.create_person("third", &[RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER]).await;
    let (path, mut body) = rename(&third, "old third");
    body["roleUuids"] = json!([RoleId::SECURITY_OFFICER]);
    officers.patch(&path, body).await.refused(403, "NotAuthorized", None);
    let (path, body) = rename(&auditor, "reviewer");
    officers.patch(&path, body).await.response();
}
