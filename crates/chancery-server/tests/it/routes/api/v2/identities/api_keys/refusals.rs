//! Keys that let nobody in: one answer for all reasons, which only the audit tells apart.

use std::collections::BTreeMap;

use chancery_types::RoleId;
use serde_json::{Value, json};

use super::{Till, log_in_by, make, path, till, use_of};
use crate::{
    app::{Setup, TestApp},
    client::{Client, Reply},
};

const HERE: [u8; 4] = [192, 0, 2, 1];

/// What a refusal says, without the id of its request.
fn said(reply: &Reply) -> Value {
    let mut json = reply.json.clone();
    if let Some(response) = json.get_mut("response").and_then(Value::as_object_mut) {
        response.remove("requestId");
    }
    json!([reply.status.as_u16(), json])
}

/// Secrets that were good once, or never, by what is wrong with them; and a session that each began while it was good.
async fn bad(app: &TestApp, admin: &Client, till: &Till) -> Vec<(&'static str, String, Option<Client>)> {
    let begin = async |secret: &str, source: [u8; 4]| {
        let client = app.nobody().from(source);
        assert_eq!(log_in_by(&client, secret).await.status, 200);
        client
    };
    let mut all = Vec::new();
    let (_, ended) = make(admin, &till.id, json!({"name": "a", "expiresAt": "2026-06-21T12:05:00Z"})).await;
    all.push(("Expired", ended.clone(), Some(begin(&ended, HERE).await)));
    let (key, deleted) = make(admin, &till.id, json!({"name": "b"})).await;
    all.push(("deleted", deleted.clone(), Some(begin(&deleted, HERE).await)));
    admin.delete(&format!("{}/{key}", path(&till.id))).await.response();
    let (_, elsewhere) = make(admin, &till.id, json!({"name": "c", "networks": ["10.0.0.0/8"]})).await;
    // The session moves out of the network.
    let mut moved = begin(&elsewhere, [10, 9, 9, 9]).await;
    moved.source = HERE.into();
    all.push(("Network", elsewhere, Some(moved)));
    let (key, replaced) = make(admin, &till.id, json!({"name": "d"})).await;
    all.push(("replaced", replaced.clone(), Some(begin(&replaced, HERE).await)));
    let rotate = format!("{}/{key}/rotate", path(&till.id));
    admin.post(&rotate, json!({"overlapSeconds": 0})).await.response();
    let body = json!({"name": "locked", "kind": "Application", "roleUuids": [till.role]});
    let locked = admin.post("/api/v2/identities", body).await.response().clone();
    let secret = locked["apiKey"].as_str().unwrap().to_owned();
    let session = begin(&secret, HERE).await;
    admin.post_nothing(&format!("/api/v2/identities/{}/lock", locked["uuid"].as_str().unwrap())).await.response();
    all.push(("Identity", secret, Some(session)));
    all.push(("unknown", format!("chk_{}", "A".repeat(43)), None));
    all.push(("too short", "chk_AAAA".to_owned(), None));
    all.push(("nothing", "chk_".to_owned(), None));
    app.clock.advance_ms(5 * 60_000);
    all
}

#[tokio::test]
async fn one_answer_for_all_reasons() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let good = app.nobody().from(HERE);
    let bad = bad(&app, &admin, &till).await;
    assert_eq!(log_in_by(&good, &till.first_key).await.status, 200);
    let (mut calls, mut logins) = (BTreeMap::new(), BTreeMap::new());
    for (what, secret, session) in &bad {
        let bearer = app.nobody().from(HERE).with_bearer(secret);
        let mut beside_a_cookie = good.with_cookie_alone();
        beside_a_cookie.bearer = Some(secret.clone());
        for client in [Some(&bearer), Some(&beside_a_cookie), session.as_ref()].into_iter().flatten() {
            for reply in use_of(client, &till.profile).await {
                reply.refused(401, "InvalidAuthToken", None);
                calls.entry(said(&reply).to_string()).or_insert(*what);
            }
            client.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
        }
        let nobody =
            json!({"fullyLoggedIn": false, "hardened": false, "management": false, "perms": [], "identities": []});
        assert_eq!(bearer.get("/home/v1/login").await.json["response"], nobody, "{what}");
        let login = log_in_by(&app.nobody().from(HERE), secret).await;
        assert_eq!(login.status, 401, "{what}");
        logins.entry(said(&login).to_string()).or_insert(*what);
    }
    assert_eq!((calls.len(), logins.len()), (1, 1), "{calls:?} {logins:?}");
    good.get("/api/v2/identities/stubs").await.response();
    // The records tell what can be told.
    let app = app.restarted().await;
    let found = app.admin().await.get("/api/v2/audit?action=ApiCall").await;
    let mut why: BTreeMap<String, Value> = BTreeMap::new();
    for record in found.response()["items"].as_array().unwrap() {
        assert_eq!(record["outcome"], "InvalidAuthToken");
        if let Some(reason) = record["detail"]["why"].as_str() {
            why.insert(reason.to_owned(), json!([record["identities"][0]["name"], record["detail"]["apiKey"]["name"]]));
        }
    }
    let expected = json!({
        "Expired": ["till", "a"], "Network": ["till", "c"], "Identity": ["locked", "first key"],
    });
    assert_eq!(json!(why), expected);
}

/// Whose roles all take two logins: a key is no second person, and no first one.
#[tokio::test]
async fn a_key_is_none_of_two_logins() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let carol = app.person("carol", &[RoleId::APPROVER]).await;
    let id = admin.identity_uuid("carol").await;
    let (_, secret) = make(&carol, &id, json!({"name": "script"})).await;
    let bearer = app.nobody().with_bearer(&secret);
    bearer.get("/api/v2/x509/signing-requests").await.response();
    let roles = json!({"roleUuids": [RoleId::ADMINISTRATOR]});
    admin.patch(&format!("/api/v2/identities/{id}"), roles).await.response();
    bearer.get("/api/v2/x509/signing-requests").await.refused(401, "InvalidAuthToken", None);
    assert_eq!(log_in_by(&app.nobody(), &secret).await.status, 401);
    let half_open = app.nobody();
    assert_eq!(half_open.log_in("Admin1", crate::app::PASSWORD).await.status, 200);
    assert_eq!(log_in_by(&half_open, &secret).await.status, 401, "two logins are two persons'");
    half_open.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
}

/// A client that goes on with an old key shuts out nobody who shares its address.
#[tokio::test]
async fn wrong_keys_of_a_source_are_limited_and_right_ones_are_not() {
    let logins = chancery_core::LoginLimits { per_minute: 3, ..Default::default() };
    let limits = chancery_core::Limits { logins, ..Default::default() };
    let app = TestApp::with(Setup { limits, ..Setup::default() }).await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let wrong = app.nobody().from(HERE).with_bearer(&format!("chk_{}", "A".repeat(43)));
    for _ in 0..3 {
        wrong.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
    }
    let refused = wrong.get("/api/v2/identities/stubs").await;
    refused.refused(429, "RateLimited", None);
    assert!(refused.headers.contains_key("retry-after"));
    for reply in use_of(&wrong, &till.profile).await {
        reply.refused(429, "RateLimited", None);
    }
    let right = app.nobody().from(HERE).with_bearer(&till.first_key);
    for reply in use_of(&right, &till.profile).await {
        reply.response();
    }
    let elsewhere = app.nobody().from([192, 0, 2, 77]).with_bearer(wrong.bearer.as_ref().unwrap());
    elsewhere.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
}
