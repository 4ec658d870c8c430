//! From where and when an identity may act: `networks` and `hours` of PATCH /api/v2/identities/{uuid}.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
    second_factor::{ENROL, log_in, proof},
};

const INSIDE: [u8; 4] = [192, 0, 2, 7];
const OUTSIDE: [u8; 4] = [198, 51, 100, 9];

fn path(uuid: &str) -> String {
    format!("/api/v2/identities/{uuid}")
}

/// An approver with these bounds.
async fn carol(admin: &Client, bounds: Value) -> String {
    let uuid = admin.create_person("carol", &[RoleId::APPROVER]).await;
    admin.patch(&path(&uuid), bounds).await.response();
    uuid
}

#[tokio::test]
async fn who_comes_from_elsewhere_is_refused_like_nobody_and_so_is_a_session_that_moves() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let uuid = carol(&admin, json!({"networks": ["192.0.2.9/24", "2001:db8::/32"]})).await;
    let shown = admin.get(&path(&uuid)).await;
    assert_eq!(shown.response()["networks"], json!(["192.0.2.0/24", "2001:db8::/32"]));
    let unknown = app.nobody().from(OUTSIDE).log_in("nobody at all", PASSWORD).await;
    let refused = app.nobody().from(OUTSIDE).log_in("carol", PASSWORD).await;
    assert_eq!((refused.status.as_u16(), &refused.body), (401, &unknown.body));
    assert_eq!(app.nobody().from(OUTSIDE).post(ENROL, proof("carol", None)).await.status, 401);
    let mut session = app.nobody().from(INSIDE);
    assert_eq!(session.log_in("carol", PASSWORD).await.status, 200);
    session.get("/api/v2/whoami").await.response();
    let token = session.get("/home/v1/login/token").await.json["token"].as_str().unwrap().to_owned();
    app.nobody().from(INSIDE).with_bearer(&token).get("/api/v2/whoami").await.response();
    app.nobody().from(OUTSIDE).with_bearer(&token).get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    session = session.from(OUTSIDE);
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    // It is no end of the session.
    session.from(INSIDE).get("/api/v2/whoami").await.response();
    admin.patch(&path(&uuid), json!({"networks": []})).await.response();
    assert_eq!(admin.get(&path(&uuid)).await.response().get("networks"), None);
    assert_eq!(app.nobody().from(OUTSIDE).log_in("carol", PASSWORD).await.status, 200);
    admin.saw_audited("IdentityChange").await;
}

/// A dropped member would leave its sender with an identity that may act from everywhere.
#[tokio::test]
async fn who_is_made_with_bounds_has_them_and_none_is_dropped() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = |more: Value| {
        let mut body = json!({"name": "batch", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        admin.post("/api/v2/identities", body)
    };
    made(json!({"networks": ["here"]})).await.refused(400, "InvalidValue", Some("/networks/0"));
    made(json!({"hours": ["noon"]})).await.refused(400, "InvalidValue", Some("/hours/0"));
    made(json!({"netwroks": ["192.0.2.0/24"]})).await.refused(400, "ArgumentParseError", Some("/netwroks"));
    let bounds = json!({"networks": ["192.0.2.9/24"], "hours": ["sun 11:00-12:05"]});
    let reply = made(bounds).await;
    let (uuid, key) = (reply.response()["uuid"].as_str().unwrap(), reply.response()["apiKey"].as_str().unwrap());
    let shown = admin.get(&path(uuid)).await;
    assert_eq!(shown.response()["networks"], json!(["192.0.2.0/24"]));
    assert_eq!(shown.response()["hours"], json!(["Sun 11:00-12:05"]));
    app.nobody().from(OUTSIDE).with_bearer(key).get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    app.nobody().from(INSIDE).with_bearer(key).get("/api/v2/whoami").await.response();
    // As it was read, but for its name and key.
    let mut copy = shown.response().clone();
    copy["name"] = json!("copy");
    let copied = admin.post("/api/v2/identities", copy).await;
    let copied = admin.get(&path(copied.response()["uuid"].as_str().unwrap())).await;
    assert_eq!(copied.response()["networks"], json!(["192.0.2.0/24"]));
    admin.patch(&path(uuid), json!({"netwroks": []})).await.refused(400, "ArgumentParseError", Some("/netwroks"));
}

#[tokio::test]
async fn hours_end_logins_and_what_sessions_may() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    // It is a Sunday, a moment after noon.
    let uuid = carol(&admin, json!({"hours": ["mon-fri 07:00-19:00", "Sun 11:00-12:05"]})).await;
    assert_eq!(admin.get(&path(&uuid)).await.response()["hours"], json!(["Mon-Fri 07:00-19:00", "Sun 11:00-12:05"]));
    let session = app.nobody();
    assert_eq!(log_in(&session, "carol", None).await.status, 200);
    app.clock.advance_ms(4 * 60_000);
    session.get("/api/v2/whoami").await.response();
    app.clock.advance_ms(60_000);
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    let unknown = app.nobody().log_in("nobody at all", PASSWORD).await;
    let refused = app.nobody().log_in("carol", PASSWORD).await;
    assert_eq!((refused.status.as_u16(), &refused.body), (401, &unknown.body));
    app.clock.advance_ms(19 * 60 * 60_000);
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 200);
}

#[tokio::test]
async fn they_hold_for_keys_of_the_identity_too() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let body = json!({"name": "robot", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let made = admin.post("/api/v2/identities", body).await;
    let (uuid, key) = (made.response()["uuid"].as_str().unwrap(), made.response()["apiKey"].as_str().unwrap());
    let who = async |source| app.nobody().from(source).with_bearer(key).get("/api/v2/whoami").await.status.as_u16();
    assert_eq!((who(INSIDE).await, who(OUTSIDE).await), (200, 200));
    admin.patch(&path(uuid), json!({"networks": ["192.0.2.0/24"]})).await.response();
    assert_eq!((who(INSIDE).await, who(OUTSIDE).await), (200, 401));
    let login = json!({"authType": "apikey", "authCredentials": {"apiKey": key}});
    assert_eq!(app.nobody().from(OUTSIDE).post("/home/v1/login", login.clone()).await.status, 401);
    assert_eq!(app.nobody().from(INSIDE).post("/home/v1/login", login).await.status, 200);
}

#[tokio::test]
async fn what_is_none_is_told_by_its_place() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let uuid = admin.create_person("carol", &[RoleId::APPROVER]).await;
    for (body, field) in [
        (json!({"networks": ["10.0.0.0/8", "example.org"]}), "/networks/1"),
        (json!({"hours": ["07:00-19:00", "Mon", "Tue 1-2"]}), "/hours/1"),
    ] {
        admin.patch(&path(&uuid), body).await.refused(400, "InvalidValue", Some(field));
    }
    for member in ["networks", "hours"] {
        let entry = if member == "hours" { "07:00-19:00" } else { "10.0.0.0/8" };
        let body = json!({member: vec![entry; 33]});
        admin.patch(&path(&uuid), body).await.refused(413, "LimitExceeded", Some(&format!("/{member}")));
        admin.patch(&path(&uuid), json!({member: vec![entry; 32]})).await.response();
    }
}

#[tokio::test]
async fn nobody_shuts_themselves_out_or_lifts_bounds_of_who_holds_more() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let own = admin.identity_uuid("Admin1").await;
    for (body, field) in
        [(json!({"networks": ["192.0.2.0/24"]}), "/networks"), (json!({"hours": ["Mon 07:00-19:00"]}), "/hours")]
    {
        admin.patch(&path(&own), body).await.refused(400, "InvalidValue", Some(field));
    }
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    officers.patch(&path(&own), json!({"networks": []})).await.refused(403, "NotAuthorized", None);
}
