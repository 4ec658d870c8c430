//! POST /home/v1/login/password, and passwords for one use.

use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, Reply},
    second_factor::{CONFIRM, ENROL, REMOVE, carol, proof_by},
};

const PATH: &str = "/home/v1/login/password";
const NEW: &str = "a password of my own";
const ONCE: &str = "a password for one use";

fn change(name: &str, password: &str, code: Option<&str>, new: &str) -> Value {
    let mut body = proof_by(name, password, code);
    body["newPassword"] = json!(Base64::encode(new.as_bytes()));
    body
}

#[track_caller]
fn is(reply: &Reply, status: u16) {
    assert_eq!(reply.status.as_u16(), status, "{}", reply.text());
}

/// Gives somebody a password for one use.
async fn give(admin: &Client, uuid: &str) -> Reply {
    let body = json!({"password": Base64::encode(ONCE.as_bytes()), "oneTime": true});
    admin.post(&format!("/api/v2/identities/{uuid}/password"), body).await
}

#[tokio::test]
async fn somebody_whose_role_takes_two_logins_changes_the_own_password_alone() {
    let app = TestApp::new().await;
    let (session, other) = (app.admin().await, app.person("auditor", &[RoleId::AUDITOR]).await);
    let uuid = session.identity_uuid("Admin1").await;
    let changed = app.nobody().post(PATH, change("ADMIN1", PASSWORD, None, NEW)).await;
    assert_eq!((changed.status.as_u16(), &changed.json), (200, &json!({"message": "Success", "status": "Success"})));
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    other.get("/api/v2/audit").await.response();
    is(&app.nobody().log_in("Admin1", PASSWORD).await, 401);
    let admin = app.logged_in(&[("Admin1", NEW), ("Admin2", PASSWORD)]).await;
    // It is no reset: what waits may be approved.
    assert_eq!(admin.get(&format!("/api/v2/identities/{uuid}")).await.response().get("passwordResetAt"), None);
    let records = admin.get("/api/v2/audit?action=PasswordChange").await;
    let record = &records.response()["items"][0];
    assert_eq!((&record["outcome"], &record["objectUuid"]), (&json!("Success"), &json!(uuid)));
    assert_eq!((&record["detail"]["own"], &record["identities"][0]["name"]), (&json!(true), &json!("Admin1")));
    let text = records.text();
    assert!(!text.contains(NEW) && !text.contains(&Base64::encode(NEW.as_bytes())), "{text}");
}

#[tokio::test]
async fn it_takes_the_present_password_and_the_code() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    let code = authenticator.code(0);
    for (password, code) in [(PASSWORD, None), (PASSWORD, Some("000000")), ("wrong", Some(code.as_str()))] {
        is(&app.nobody().post(PATH, change("carol", password, code, NEW)).await, 401);
    }
    let unknown = app.nobody().post(PATH, change("nobody at all", PASSWORD, None, NEW)).await;
    let wrong = app.nobody().post(PATH, change("carol", "wrong", None, NEW)).await;
    assert_eq!((wrong.status.as_u16(), &wrong.body), (401, &unknown.body));
    is(&app.nobody().post(PATH, change("carol", PASSWORD, Some(&code), NEW)).await, 200);
    // The code is used up, and stays the second factor.
    let body = json!({"authType": "userpass", "authCredentials": proof_by("carol", NEW, Some(&code))});
    is(&app.nobody().post("/home/v1/login", body).await, 401);
    let body = json!({"authType": "userpass", "authCredentials": proof_by("carol", NEW, Some(&authenticator.code(1)))});
    is(&app.nobody().post("/home/v1/login", body).await, 200);
    let app = app.restarted().await;
    let records = app.admin().await.get("/api/v2/audit?action=PasswordChange&outcome=InvalidAuthToken").await;
    let records = records.response()["items"].as_array().unwrap().clone();
    assert!(records.iter().any(|record| record["objectUuid"] == json!(uuid)), "{records:?}");
    assert!(records.iter().any(|record| record["detail"]["nameHash"].is_string()), "{records:?}");
}

#[tokio::test]
async fn what_is_no_new_password_is_400_and_counts_as_no_try() {
    let app = TestApp::new().await;
    for _ in 0..10 {
        for new in ["short", PASSWORD] {
            is(&app.nobody().post(PATH, change("Admin1", PASSWORD, None, new)).await, 400);
        }
        let mut without = change("Admin1", PASSWORD, None, NEW);
        without.as_object_mut().unwrap().remove("newPassword");
        is(&app.nobody().post(PATH, without).await, 400);
        let long = "x".repeat(1_025);
        is(&app.nobody().post(PATH, change("Admin1", PASSWORD, None, &long)).await, 400);
    }
    is(&app.nobody().log_in("Admin1", PASSWORD).await, 200);
}

#[tokio::test]
async fn an_application_sets_none() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let password = Base64::encode(PASSWORD.as_bytes());
    let body =
        json!({"name": "robot", "kind": "Application", "roleUuids": [RoleId::APPLICATION], "password": password});
    let uuid = admin.post("/api/v2/identities", body).await.response()["uuid"].as_str().unwrap().to_owned();
    is(&app.nobody().post(PATH, change("robot", PASSWORD, None, NEW)).await, 403);
    admin.saw_audited("PasswordChange").await;
    give(&admin, &uuid).await.refused(400, "InvalidValue", Some("/oneTime"));
}

#[tokio::test]
async fn a_password_for_one_use_sets_another_one_and_nothing_else() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let uuid = admin.create_person("carol", &[RoleId::APPROVER]).await;
    let given = give(&admin, &uuid).await;
    assert_eq!(given.response()["oneTimePasswordUntil"], "2026-06-22T12:00:00.500Z");
    let refused = app.nobody().log_in("carol", ONCE).await;
    is(&refused, 409);
    assert!(refused.json["message"].as_str().unwrap().contains("for one use"), "{}", refused.text());
    for path in [ENROL, CONFIRM, REMOVE] {
        let reply = app.nobody().post(path, proof_by("carol", ONCE, None)).await;
        assert!([401, 409].contains(&reply.status.as_u16()), "{path}: {}", reply.text());
    }
    is(&app.nobody().post(ENROL, proof_by("carol", ONCE, None)).await, 409);
    is(&app.nobody().post(PATH, change("carol", ONCE, None, ONCE)).await, 400);
    is(&app.nobody().post(PATH, change("carol", ONCE, None, NEW)).await, 200);
    is(&app.nobody().post(PATH, change("carol", ONCE, None, "yet another one")).await, 401);
    is(&app.nobody().log_in("carol", NEW).await, 200);
    let identity = admin.get(&format!("/api/v2/identities/{uuid}")).await;
    assert_eq!(identity.response().get("oneTimePasswordUntil"), None);
    // Others knew what it began with, so it counts from then on.
    assert_eq!(identity.response()["passwordResetAt"], "2026-06-21T12:00:00.500Z");
    admin.saw_audited("Login").await;
}

#[tokio::test]
async fn a_person_may_begin_with_one() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let of = |name: &str, kind: &str, role: RoleId| {
        let password = Base64::encode(ONCE.as_bytes());
        json!({"name": name, "kind": kind, "roleUuids": [role], "password": password, "oneTime": true})
    };
    let made = admin.post("/api/v2/identities", of("dave", "Person", RoleId::APPROVER)).await;
    let identity = admin.get(&format!("/api/v2/identities/{}", made.response()["uuid"].as_str().unwrap())).await;
    assert_eq!(identity.response()["oneTimePasswordUntil"], "2026-06-22T12:00:00.500Z");
    is(&app.nobody().log_in("dave", ONCE).await, 409);
    is(&app.nobody().post(PATH, change("dave", ONCE, None, NEW)).await, 200);
    is(&app.nobody().log_in("dave", NEW).await, 200);
    let robot = of("robot", "Application", RoleId::APPLICATION);
    admin.post("/api/v2/identities", robot).await.refused(400, "InvalidValue", Some("/oneTime"));
    admin.saw_audited("IdentityCreate").await;
}

#[tokio::test]
async fn it_is_over_after_a_day_and_then_like_no_password() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let uuid = admin.create_person("carol", &[RoleId::APPROVER]).await;
    give(&admin, &uuid).await.response();
    app.clock.advance_ms(24 * 60 * 60 * 1_000);
    let unknown = app.nobody().log_in("nobody at all", ONCE).await;
    let over = app.nobody().log_in("carol", ONCE).await;
    assert_eq!((over.status.as_u16(), &over.body), (401, &unknown.body));
    is(&app.nobody().post(PATH, change("carol", ONCE, None, NEW)).await, 401);
}

#[tokio::test]
async fn nobody_gives_themselves_one() {
    let app = TestApp::new().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let uuid = app.admin().await.identity_uuid("auditor").await;
    give(&auditor, &uuid).await.refused(400, "InvalidValue", Some("/oneTime"));
    is(&app.nobody().log_in("auditor", PASSWORD).await, 200);
}
