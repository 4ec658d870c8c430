//! POST /api/v2/identities.

mod api_keys;
mod bounds;
mod lock;
mod mailbox;
mod named_roles;
mod passkeys;
mod password;
mod stubs;
mod totp;
mod unlock;
mod uuid;

use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    guards::token_profile_named,
};

const IDENTITIES: &str = "/api/v2/identities";

fn body(change: &Value) -> Value {
    let password = Base64::encode(PASSWORD.as_bytes());
    let mut body = json!({"name": "New", "kind": "Person", "roleUuids": [RoleId::APPROVER], "password": password});
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn a_person_is_made_logs_in_alone_and_has_the_permissions_of_the_role() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let reply = admin.post(IDENTITIES, body(&json!({"name": "Alice"}))).await;
    let uuid = reply.response()["uuid"].as_str().unwrap();
    assert_eq!(reply.response(), &json!({"uuid": uuid}));
    let expected = json!({
        "objInfo": {"name": "Alice", "uuid": uuid}, "kind": "Person", "roleUuids": [RoleId::APPROVER],
        "locked": false, "createdAt": "2026-06-21T12:00:00.500Z",
    });
    assert_eq!(admin.get(&format!("{IDENTITIES}/{uuid}")).await.response(), &expected);
    let login = app.nobody().log_in("aLICE", PASSWORD).await;
    let state = json!({"fullyLoggedIn": true, "hardened": false, "management": false, "perms": ["Signing:Approve"]});
    assert_eq!(login.json["response"], state);
}

#[tokio::test]
async fn the_key_that_an_application_is_made_with_is_bounded_from_its_beginning() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let profile = token_profile_named(&admin, "cards").await;
    let application =
        |key: Value| json!({"name": "till", "kind": "Application", "roleUuids": [RoleId::APPLICATION], "apiKey": key});
    let key = json!({
        "name": "runner", "expiresAt": "2027-01-31T00:00:00Z", "networks": ["10.0.0.0/8"],
        "scope": {"tokenProfileUuids": [profile]},
    });
    for (member, value, field) in [
        ("name", json!(""), "/apiKey/name"),
        ("expiresAt", json!("2001-01-31T00:00:00Z"), "/apiKey/expiresAt"),
        ("networks", json!(["10.0.0.0/8", "here"]), "/apiKey/networks/1"),
        ("network", json!(["10.0.0.0/8"]), "/apiKey/network"),
        ("scope", json!({}), "/apiKey/scope"),
        ("scope", json!({"tokenProfileUuids": [RoleId::APPROVER]}), "/apiKey/scope/tokenProfileUuids/0"),
    ] {
        let mut wrong = key.clone();
        wrong[member] = value;
        let refused = admin.post(IDENTITIES, application(wrong)).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.json["response"]["field"]),
            (400, &json!(field)),
            "{}",
            refused.text()
        );
    }
    let refused = admin.post(IDENTITIES, body(&json!({"apiKey": key}))).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json["response"]["field"]),
        (400, &json!("/apiKey")),
        "{}",
        refused.text()
    );

    let made = admin.post(IDENTITIES, application(key.clone())).await.response().clone();
    let id = made["uuid"].as_str().unwrap();
    let listed = admin.get(&format!("{IDENTITIES}/{id}/api-keys")).await.response()["results"].clone();
    let expected = json!({
        "objInfo": {"name": "runner", "uuid": listed[0]["objInfo"]["uuid"]}, "version": 1,
        "createdAt": "2026-06-21T12:00:00.500Z", "expiresAt": "2027-01-31T00:00:00.000Z",
        "networks": ["10.0.0.0/8"], "scope": {"tokenProfileUuids": [profile]},
    });
    assert_eq!(listed, json!([expected]));
    let elsewhere = app.nobody().with_bearer(made["apiKey"].as_str().unwrap());
    assert_eq!(elsewhere.get("/api/v2/identities/stubs").await.status.as_u16(), 401);
    let recorded = admin.get("/api/v2/audit?action=IdentityCreate&outcome=Success").await.response()["items"].clone();
    assert_eq!(recorded[0]["detail"]["apiKey"], key);
}

#[tokio::test]
async fn an_application_without_password_logs_in_with_a_key_that_is_shown_once() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let new = json!({"name": "till", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let reply = admin.post(IDENTITIES, new).await;
    let (uuid, key) = (reply.response()["uuid"].as_str().unwrap(), reply.response()["apiKey"].as_str().unwrap());
    assert!(!admin.get(&format!("{IDENTITIES}/{uuid}")).await.text().contains(key));
    let credentials = json!({"authType": "apikey", "authCredentials": {"apiKey": key}});
    let till = app.nobody();
    let login = till.post("/home/v1/login", credentials.clone()).await;
    let state = json!({"fullyLoggedIn": true, "hardened": false, "management": false, "perms": []});
    assert_eq!((login.status.as_u16(), &login.json["response"]), (200, &state));
    assert_eq!(till.get("/home/v1/login/token").await.status.as_u16(), 200, "empty perms still get a token");
    assert_eq!(app.nobody().log_in("till", key).await.status.as_u16(), 401, "the key is no password");
    admin.post_nothing(&format!("{IDENTITIES}/{uuid}/lock")).await.response();
    assert_eq!(app.nobody().post("/home/v1/login", credentials).await.status.as_u16(), 401, "locked");
}

#[tokio::test]
async fn an_application_may_have_a_password_instead() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let reply = admin.post(IDENTITIES, body(&json!({"kind": "Application"}))).await;
    assert_eq!(reply.response().get("apiKey"), None);
    assert_eq!(app.nobody().log_in("New", PASSWORD).await.status.as_u16(), 200);
}

#[tokio::test]
async fn what_is_not_as_described_is_refused_by_name() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let password = |bytes: &[u8]| json!({"password": Base64::encode(bytes)});
    let unknown = "00000000-0000-0000-0000-000000000009";
    for (change, code, field) in [
        (json!({"name": ""}), "InvalidValue", "/name"),
        (json!({"name": "x".repeat(256)}), "InvalidValue", "/name"),
        (json!({"name": "tab\tbed"}), "InvalidValue", "/name"),
        (json!({"kind": "person"}), "InvalidSelection", "/kind"),
        (json!({"kind": null}), "ArgumentParseError", "/kind"),
        (json!({"roleUuids": []}), "InvalidValue", "/roleUuids"),
        (json!({"roleUuids": [RoleId::APPROVER, unknown]}), "InvalidSelection", "/roleUuids/1"),
        (json!({"roleUuids": ["x"]}), "InvalidSelection", "/roleUuids/0"),
        (json!({"roleUuids": [RoleId::APPROVER, RoleId::ADMINISTRATOR]}), "InvalidValue", "/roleUuids"),
        (json!({"password": "not base64!"}), "ArgumentParseError", "/password"),
        (json!({"password": null}), "ArgumentParseError", "/password"),
        (password(b"11 letters."), "InvalidValue", "/password"),
        (password(&[0xff; 12]), "InvalidValue", "/password"),
        (password(&[b'x'; 1_025]), "InvalidValue", "/password"),
    ] {
        admin.post(IDENTITIES, body(&change)).await.refused(400, code, Some(field));
    }
    for (name, code) in [("ADMIN1", "AlreadyExists"), ("admin2", "AlreadyExists")] {
        admin.post(IDENTITIES, body(&json!({"name": name}))).await.refused(409, code, Some("/name"));
    }
    admin.post(IDENTITIES, json!([1])).await.refused(400, "ArgumentParseError", None);
    admin.post(IDENTITIES, body(&password("ä".repeat(12).as_bytes()))).await.response();
}

#[tokio::test]
async fn nobody_gives_a_role_that_holds_more_than_they_do() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    for role in [RoleId::ADMINISTRATOR, RoleId::APPROVER] {
        officers.post(IDENTITIES, body(&json!({"roleUuids": [role]}))).await.refused(
            403,
            "NotAuthorized",
            Some("/roleUuids/0"),
        );
    }
    for (name, role) in [("o3", RoleId::SECURITY_OFFICER), ("a1", RoleId::AUDITOR), ("p1", RoleId::APPLICATION)] {
        officers.post(IDENTITIES, body(&json!({"name": name, "roleUuids": [role, role]}))).await.response();
    }
}

#[tokio::test]
async fn an_application_is_none_of_two_persons() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let keyed = |roles: Value| json!({"name": "robot", "kind": "Application", "roleUuids": roles});
    for role in [RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER] {
        let new = admin.post(IDENTITIES, keyed(json!([role]))).await;
        new.refused(400, "InvalidValue", Some("/roleUuids/0"));
    }
    let robot = admin.post(IDENTITIES, keyed(json!([RoleId::APPLICATION]))).await.response()["uuid"].clone();
    let path = format!("{IDENTITIES}/{}", robot.as_str().unwrap());
    let change = admin.patch(&path, json!({"roleUuids": [RoleId::ADMINISTRATOR]})).await;
    change.refused(400, "InvalidValue", Some("/roleUuids/0"));
}

#[tokio::test]
async fn it_needs_identity_manage() {
    let app = TestApp::new().await;
    app.nobody().post(IDENTITIES, body(&json!({}))).await.refused(401, "InvalidAuthToken", None);
    let approver = app.person("approver", &[RoleId::APPROVER]).await;
    approver.post(IDENTITIES, body(&json!({}))).await.refused(403, "NotAuthorized", None);
    // Permission comes before values.
    approver.post(IDENTITIES, body(&json!({"name": ""}))).await.refused(403, "NotAuthorized", None);
}
