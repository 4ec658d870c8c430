//! Roles that demand a second factor: who has what they give.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
    second_factor::{enrol, log_in, lose},
};

async fn create(admin: &Client, name: &str, factor: Option<&str>, logins: u32) -> RoleId {
    let mut body = json!({"name": name, "loginsRequired": logins, "perms": ["Audit:Read"]});
    if let Some(factor) = factor {
        body["secondFactor"] = json!(factor);
    }
    admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().parse().unwrap()
}

async fn read(admin: &Client, role: RoleId) -> Value {
    admin.get(&format!("/api/v2/roles/{role}")).await.response()["secondFactor"].clone()
}

#[tokio::test]
async fn what_a_role_demands_is_set_and_shown() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (without, with) = (create(&admin, "a", None, 1).await, create(&admin, "b", Some("Totp"), 1).await);
    assert_eq!((read(&admin, without).await, read(&admin, with).await), (json!("None"), json!("Totp")));
    for factor in ["Totp", "None"] {
        let changed = admin.patch(&format!("/api/v2/roles/{without}"), json!({"secondFactor": factor})).await;
        assert_eq!(changed.response()["secondFactor"], factor);
    }
    let changed = admin.patch(&format!("/api/v2/roles/{with}"), json!({"name": "c"})).await;
    assert_eq!(changed.response()["secondFactor"], "Totp", "what is not said stays");
    let body = json!({"name": "d", "loginsRequired": 1, "perms": [], "secondFactor": "Sms"});
    admin.post("/api/v2/roles", body).await.refused(400, "InvalidSelection", Some("/secondFactor"));
    assert_eq!(read(&admin, RoleId::ADMINISTRATOR).await, "None");
}

#[tokio::test]
async fn a_role_that_demands_codes_counts_for_those_who_logged_in_with_one() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let demanding = create(&admin, "coded auditors", Some("Totp"), 1).await;
    admin.create_person("carol", &[demanding, RoleId::APPROVER]).await;
    let by_password = app.logged_in(&[("carol", PASSWORD)]).await;
    let perms = |who: &crate::client::Reply| who.response()["perms"].clone();
    assert_eq!(perms(&by_password.get("/api/v2/whoami").await), json!(["Signing:Approve"]));
    let authenticator = enrol(&app, "carol").await;
    assert_eq!(perms(&by_password.get("/api/v2/whoami").await), json!(["Signing:Approve"]), "it takes a new login");
    let by_code = app.nobody();
    assert_eq!(log_in(&by_code, "carol", Some(&authenticator.code(0))).await.status, 200);
    assert_eq!(perms(&by_code.get("/api/v2/whoami").await), json!(["Signing:Approve", "Audit:Read"]));
    // What a role demands from now on it demands of sessions that there are.
    let role = format!("/api/v2/roles/{demanding}");
    admin.patch(&role, json!({"secondFactor": "None"})).await.response();
    assert_eq!(perms(&by_code.get("/api/v2/whoami").await), json!(["Signing:Approve", "Audit:Read"]));
}

#[tokio::test]
async fn who_has_only_such_a_role_and_no_codes_is_refused_like_anybody() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let demanding = create(&admin, "coded auditors", Some("Totp"), 1).await;
    admin.create_person("carol", &[demanding]).await;
    let unknown = app.nobody().log_in("nobody", PASSWORD).await;
    let refused = app.nobody().log_in("carol", PASSWORD).await;
    assert_eq!((refused.status.as_u16(), &refused.body), (401, &unknown.body));
    let authenticator = enrol(&app, "carol").await;
    let carol = app.nobody();
    assert_eq!(log_in(&carol, "carol", Some(&authenticator.code(0))).await.json["response"]["fullyLoggedIn"], true);
    carol.get("/api/v2/audit").await.response();
    let by_code = carol;
    lose(&app, "carol").await;
    by_code.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
}

#[tokio::test]
async fn of_two_logins_both_take_a_code() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let demanding = create(&admin, "coded pairs", Some("Totp"), 2).await;
    let plain = create(&admin, "pairs", None, 2).await;
    for name in ["carol", "dave"] {
        admin.create_person(name, &[demanding, plain]).await;
    }
    let carol = enrol(&app, "carol").await;
    let mixed = app.nobody();
    assert_eq!(log_in(&mixed, "carol", Some(&carol.code(0))).await.status, 200);
    assert_eq!(log_in(&mixed, "dave", None).await.json["response"]["fullyLoggedIn"], true);
    let roles = |who: crate::client::Reply| who.response()["identities"][0]["roles"].as_array().unwrap().len();
    assert_eq!(roles(mixed.get("/api/v2/whoami").await), 1, "the other one logged in without");
    let dave = enrol(&app, "dave").await;
    let both = app.nobody();
    assert_eq!(log_in(&both, "carol", Some(&carol.code(1))).await.status, 200);
    assert_eq!(log_in(&both, "dave", Some(&dave.code(0))).await.status, 200);
    assert_eq!(roles(both.get("/api/v2/whoami").await), 2);
}

#[tokio::test]
async fn keys_and_applications_have_no_second_factor() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let demanding = create(&admin, "coded auditors", Some("Totp"), 1).await;
    let robot = json!({"name": "robot", "kind": "Application", "roleUuids": [demanding]});
    admin.post("/api/v2/identities", robot).await.refused(400, "InvalidValue", Some("/roleUuids/0"));
    let carol = admin.create_person("carol", &[demanding, RoleId::APPROVER]).await;
    let made = admin.post(&format!("/api/v2/identities/{carol}/api-keys"), json!({"name": "script"})).await;
    let by_key = app.nobody().with_bearer(made.response()["apiKey"].as_str().unwrap());
    assert_eq!(by_key.get("/api/v2/whoami").await.response()["perms"], json!(["Signing:Approve"]));
    by_key.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    let only = admin.create_person("dave", &[demanding]).await;
    let refused = admin.post(&format!("/api/v2/identities/{only}/api-keys"), json!({"name": "script"})).await;
    refused.refused(409, "InvalidState", None);
}
