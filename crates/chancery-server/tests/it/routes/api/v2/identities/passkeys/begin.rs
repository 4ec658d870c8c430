//! POST /api/v2/identities/{uuid}/passkeys/begin.

use chancery_core::Limits;
use chancery_types::RoleId;
use serde_json::{Value, json};

use super::{carol, setup};
use crate::{
    app::{PASSWORD, Setup, TestApp},
    authenticator::{authenticator, enrol, passkeys_path},
    client::Client,
};

#[tokio::test]
async fn a_ticket_is_of_one_person_one_session_and_five_minutes() {
    let app = TestApp::with(setup()).await;
    let (carol, path, admin) = carol(&app).await;
    let begin = async |who: &Client| who.post_nothing(&format!("{path}/begin")).await.response().clone();
    let begun = begin(&carol).await;
    let body = |begun: &Value| json!({"name": "k", "ticket": begun["ticket"], "credential": authenticator().create(&begun["publicKey"])});
    let again = app.logged_in(&[("carol", PASSWORD)]).await;
    again.post(&path, body(&begun)).await.refused(409, "InvalidState", Some("/ticket"));
    let dave = app.person("dave", &[RoleId::APPROVER]).await;
    let of_dave = passkeys_path(&admin.identity_uuid("dave").await);
    dave.post(&of_dave, body(&begun)).await.refused(409, "InvalidState", Some("/ticket"));
    dave.post(&path, body(&begun)).await.refused(403, "NotAuthorized", None);
    admin.post(&path, body(&begun)).await.refused(403, "NotAuthorized", None);
    app.clock.advance_ms(299_999);
    carol.post(&path, body(&begun)).await.response();
    let carol = app.logged_in(&[("carol", PASSWORD)]).await;
    let begun = begin(&carol).await;
    app.clock.advance_ms(300_000);
    carol.post(&path, body(&begun)).await.refused(409, "InvalidState", Some("/ticket"));
    for ticket in ["", "AA", "*", &"A".repeat(9_000)] {
        let body = json!({"name": "k", "ticket": ticket, "credential": body(&begun)["credential"]});
        carol.post(&path, body).await.refused(409, "InvalidState", Some("/ticket"));
    }
}

#[tokio::test]
async fn there_are_none_without_a_dns_name_and_no_more_than_allowed() {
    for (origin, says) in [(None, "--public-origin"), (Some("https://192.0.2.7:8443"), "DNS name")] {
        let public_origin = origin.map(str::to_owned);
        let app = TestApp::with(Setup { public_origin, ..Setup::default() }).await;
        let (carol, path, _) = carol(&app).await;
        let reply = carol.post_nothing(&format!("{path}/begin")).await;
        reply.refused(409, "InvalidState", None);
        assert!(reply.text().contains(says), "{}", reply.text());
    }
    let mut limits = Limits::default();
    limits.logins.passkeys_max = 1;
    let app = TestApp::with(Setup { limits, ..setup() }).await;
    let (carol, path, admin) = carol(&app).await;
    enrol(&carol, &path, "one", &authenticator()).await.response();
    carol.post_nothing(&format!("{path}/begin")).await.refused(413, "LimitExceeded", Some(""));
    // Applications have none, however they log in.
    let role =
        admin.post("/api/v2/roles", json!({"name": "r", "loginsRequired": 1, "perms": ["Signing:Submit"]})).await;
    let robot = json!({"name": "robot", "kind": "Application", "roleUuids": [role.response()["uuid"]]});
    let made = admin.post("/api/v2/identities", robot).await.response().clone();
    let robot = app.nobody().with_bearer(made["apiKey"].as_str().unwrap());
    let of_robot = passkeys_path(made["uuid"].as_str().unwrap());
    robot.post_nothing(&format!("{of_robot}/begin")).await.refused(403, "NotAuthorized", None);
}
