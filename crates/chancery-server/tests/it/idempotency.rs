//! Calls that are repeated under an `Idempotency-Key`: made once, and answered alike.

use axum::{body::Body, http::Request};
use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{NOON_MS, PASSWORD, Setup, TestApp},
    client::{Client, Reply},
    signing::{APPROVER, REQUESTS, Signing, submission},
};

const KEYS: &str = "/api/v2/keys";
const DAY_MS: i64 = 24 * 3_600 * 1_000;
const AES_256: &str = "00000000-0000-0000-6b74-00000000000c";

pub(crate) async fn keyed(client: &Client, path: &str, key: &str, body: &Value) -> Reply {
    let request = Request::builder().method("POST").uri(path).header("Host", "kms.test").header("Idempotency-Key", key);
    client.call(request.header("Content-Type", "application/json").body(Body::from(body.to_string())).unwrap()).await
}

fn data_key(name: &str) -> Value {
    json!({"name": name, "keyTypeUuid": AES_256})
}

async fn count(client: &Client, path: &str) -> Value {
    client.get(path).await.response()["total"].clone()
}

async fn a_repeated_call_is_made_once(setup: Setup) {
    let signing = Signing::with(setup).await;
    let service = signing.deploy("releases", 1).await;
    let body = submission(&service, b"release 1.0");
    let first = keyed(&signing.admin, REQUESTS, "6f1d", &body).await;
    let again = keyed(&signing.admin, REQUESTS, "6f1d", &body).await;
    assert_eq!(first.response(), again.response());
    assert_eq!(first.body, again.body);
    assert!(!first.headers.contains_key("idempotency-replayed"));
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_ne!(first.headers["x-request-id"], again.headers["x-request-id"]);
    assert_eq!(count(&signing.admin, REQUESTS).await, 1);
    // Without a key, and under another, it is another request.
    keyed(&signing.admin, REQUESTS, "6f1e", &body).await.response();
    signing.admin.post(REQUESTS, body.clone()).await.response();
    assert_eq!(count(&signing.admin, REQUESTS).await, 3);
    // Another body is another call.
    let other = keyed(&signing.admin, REQUESTS, "6f1d", &submission(&service, b"release 1.1")).await;
    other.refused(409, "InvalidState", None);
    assert!(other.text().contains("another body"), "{}", other.text());
    // Another path and another person have keys of their own.
    keyed(&signing.admin, KEYS, "6f1d", &data_key("cards")).await.response();
    let person = signing.approver("Ann").await;
    let reply = keyed(&person, KEYS, "6f1d", &data_key("mails")).await;
    reply.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn a_repeated_call_is_made_once_on_sqlite() {
    a_repeated_call_is_made_once(Setup::default()).await;
}

#[tokio::test]
async fn a_repeated_call_is_made_once_on_postgres() {
    a_repeated_call_is_made_once(Setup { postgres: true, ..Setup::default() }).await;
}

#[tokio::test]
async fn calls_at_the_same_moment_are_made_once() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let body = data_key("cards");
    let replies = futures::future::join_all((0..8).map(|_| keyed(&admin, KEYS, "one", &body))).await;
    let (made, others): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    assert!(!made.is_empty());
    for reply in &made {
        assert_eq!(reply.response(), made[0].response());
    }
    for reply in others {
        reply.refused(429, "RateLimited", None);
        assert_eq!(reply.headers["retry-after"], "1");
    }
    assert_eq!(keyed(&admin, KEYS, "one", &body).await.response(), made[0].response());
}

#[tokio::test]
async fn what_was_refused_may_be_tried_again_under_its_key() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    keyed(&admin, KEYS, "k", &json!({"name": "cards"})).await.refused(400, "ArgumentParseError", Some("/keyTypeUuid"));
    keyed(&admin, KEYS, "k", &data_key("cards")).await.response();
    // The name is taken, for everybody but the one who asks again.
    keyed(&admin, KEYS, "k", &data_key("cards")).await.response();
    keyed(&admin, KEYS, "l", &data_key("cards")).await.refused(409, "AlreadyExists", Some("/name"));
}

#[tokio::test]
async fn a_secret_is_not_answered_twice_and_not_kept() {
    let app = TestApp::with(Setup::default()).await;
    let admin = app.admin().await;
    let body = json!({"name": "checkout", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let secret =
        keyed(&admin, "/api/v2/identities", "s", &body).await.response()["apiKey"].as_str().unwrap().to_owned();
    assert!(secret.len() > 20);
    let reply = keyed(&admin, "/api/v2/identities", "s", &body).await;
    reply.refused(409, "InvalidState", None);
    assert!(reply.text().contains("its answer is not kept"), "{}", reply.text());
    assert_eq!(app.harm("DELETE FROM idempotency_keys WHERE length(answer) = 0"), 1);
    // A person's password is in no answer.
    let body = json!({"name": "Ann", "kind": "Person", "roleUuids": [APPROVER], "password": Base64::encode(PASSWORD.as_bytes())});
    let first = keyed(&admin, "/api/v2/identities", "p", &body).await.response().clone();
    assert_eq!(*keyed(&admin, "/api/v2/identities", "p", &body).await.response(), first);
}

async fn one_call_decides_many_requests(setup: Setup) {
    let signing = Signing::with(setup).await;
    let service = signing.deploy("releases", 1).await;
    let mut uuids = Vec::new();
    for _ in 0..40 {
        uuids.push(signing.submit(&service, b"release").await);
    }
    let approver = signing.approver("Ann").await;
    let body = json!({"uuids": uuids, "decision": "Approve"});
    let path = format!("{REQUESTS}/batch-approve-deny");
    let reply = keyed(&approver, &path, "all", &body).await;
    let results = reply.response()["results"].as_array().unwrap();
    assert_eq!(results.len(), 40);
    assert!(results.iter().all(|result| result["errorCode"] == "Success"), "{}", reply.text());
    assert_eq!(keyed(&approver, &path, "all", &body).await.body, reply.body);
}

#[tokio::test]
async fn one_call_decides_many_requests_on_sqlite() {
    one_call_decides_many_requests(Setup::default()).await;
}

#[tokio::test]
async fn one_call_decides_many_requests_on_postgres() {
    one_call_decides_many_requests(Setup { postgres: true, ..Setup::default() }).await;
}

/// The transaction of a change notes its key, and its answer is kept by the next one. A server that ends between the two
/// leaves what this leaves.
#[tokio::test]
async fn a_call_whose_answer_was_lost_is_not_made_again() {
    let app = TestApp::with(Setup::default()).await;
    let admin = app.admin().await;
    let made = keyed(&admin, KEYS, "lost", &data_key("cards")).await;
    let uuid = made.response()["uuid"].clone();
    let request_id = made.headers["x-request-id"].to_str().unwrap().to_owned();
    assert_eq!(app.harm("UPDATE idempotency_keys SET answer = NULL WHERE length(answer) > 0"), 1);
    let app = app.restarted().await;
    let admin = app.admin().await;
    // Another server may be about to keep it.
    keyed(&admin, KEYS, "lost", &data_key("cards")).await.refused(429, "RateLimited", None);
    app.clock.advance_ms(11_000);
    for _ in 0..2 {
        let again = keyed(&admin, KEYS, "lost", &data_key("cards")).await;
        again.refused(409, "InvalidState", None);
        assert!(again.text().contains(&format!("the request {request_id} tell")), "{}", again.text());
        assert!(!again.headers.contains_key("idempotency-replayed"));
    }
    // It was made once, and the record of the request that is named says what it made.
    let records = admin.get("/api/v2/audit?action=KeyCreate&outcome=Success").await.response()["items"].clone();
    let records = records.as_array().unwrap();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!((&records[0]["requestId"], &records[0]["objectUuid"]), (&json!(request_id), &uuid));
}

#[tokio::test]
async fn a_call_is_remembered_for_a_day() {
    let app = TestApp::new().await;
    assert_eq!(app.clock.now_ms(), NOON_MS);
    let admin = app.admin().await;
    let first = keyed(&admin, KEYS, "d", &data_key("cards")).await.response().clone();
    app.clock.advance_ms(DAY_MS - 60_000);
    let admin = app.admin().await;
    assert_eq!(*keyed(&admin, KEYS, "d", &data_key("cards")).await.response(), first, "and in another session");
    app.clock.advance_ms(61_000);
    let admin = app.admin().await;
    keyed(&admin, KEYS, "d", &data_key("cards")).await.refused(409, "AlreadyExists", Some("/name"));
    keyed(&admin, KEYS, "d", &data_key("mails")).await.response();
}

#[tokio::test]
async fn keys_that_are_none_are_refused_and_nobody_is_asked_for_one_who_has_not_logged_in() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for bad in ["", "a b", &"k".repeat(256)] {
        let reply = keyed(&admin, KEYS, bad, &data_key("cards")).await;
        reply.refused(400, "ArgumentParseError", None);
        assert!(reply.text().contains("1 to 255 visible ASCII characters"), "{}", reply.text());
    }
    for key in ["k", "a b"] {
        keyed(&app.nobody(), KEYS, key, &data_key("cards")).await.refused(401, "InvalidAuthToken", None);
    }
    keyed(&admin, "/api/v2/nothing", "k", &json!({})).await.refused(404, "InvalidSelection", None);
}
