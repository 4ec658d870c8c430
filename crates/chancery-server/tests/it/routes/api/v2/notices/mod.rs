//! GET /api/v2/notices.

mod events;
mod undelivered;

use chancery_types::{Base64, Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    authenticator::{ORIGIN, authenticator, confirm, enrol, passkeys_path},
    client::Client,
    signing::{REQUESTS, Service, Signing},
};

pub(super) const PATH: &str = "/api/v2/notices";

/// Submits something that waits for an approval; its id.
pub(super) async fn submit(client: &Client, service: &Service, name: &str) -> Value {
    let body = json!({
        "name": name, "serviceUuid": service.uuid, "policyUuid": service.policy,
        "uploadData": Base64::encode(b"content"),
    });
    client.post(REQUESTS, body).await.response()["uuid"].clone()
}

async fn objects(client: &Client, query: &str) -> Vec<Value> {
    let listed = client.get(&format!("{PATH}{query}")).await;
    let items = listed.response()["items"].as_array().unwrap().clone();
    items.into_iter().map(|item| item["objectUuid"].clone()).collect()
}

#[tokio::test]
async fn everybody_sees_what_they_may_read_the_newest_first() {
    let signing = Signing::new().await;
    let service = signing.deploy("releases", 1).await;
    let submitter = signing.app.with_perms("submitter", &[Perm::SigningSubmit]).await;
    let (first, second) = (submit(&signing.admin, &service, "one").await, submit(&submitter, &service, "two").await);
    assert_eq!(objects(&signing.admin, "").await, [second.clone(), first.clone()], "who administers the server");
    assert_eq!(objects(&submitter, "?kind=Waiting").await, std::slice::from_ref(&second), "the own one");
    assert_eq!(objects(&submitter, "?kind=Denied").await, [Value::Null; 0]);
    let approver = signing.app.with_perms("approver", &[Perm::SigningApprove]).await;
    assert_eq!(objects(&approver, "").await, [second.clone(), first.clone()]);
    let auditor = signing.app.with_perms("auditor", &[Perm::AuditRead]).await;
    assert_eq!(objects(&auditor, "").await, [Value::Null; 0]);

    let page = approver.get(&format!("{PATH}?pageSize=1")).await;
    let next = page.response()["next"].as_str().unwrap();
    assert_eq!(objects(&approver, &format!("?pageSize=1&after={next}")).await, [first]);
    assert!(!page.text().contains("two"), "the submitter's words: {}", page.text());
    approver.get(&format!("{PATH}?kind=Party")).await.refused(400, "InvalidSelection", Some("/kind"));
}

#[tokio::test]
async fn people_hear_of_it_when_the_ways_in_which_they_log_in_change() {
    let public_origin = Some(ORIGIN.to_owned());
    let app = TestApp::with(Setup { public_origin, ..Setup::default() }).await;
    let admin = app.admin().await;
    let (ann, bob) = (app.person("ann", &[RoleId::APPROVER]).await, app.person("bob", &[RoleId::APPROVER]).await);
    let uuid = admin.identity_uuid("ann").await;
    let (key, path) = (authenticator(), passkeys_path(&uuid));
    let made = enrol(&ann, &path, "key", &key).await.response().clone();
    confirm(&admin, &path, &made).await.response();
    let of = |count: usize| vec![json!(uuid); count];
    let query = "?kind=LoginChanged";
    assert_eq!(objects(&ann, query).await, of(2), "about the person, not the passkey");
    // With a confirmed passkey the password alone makes no way in that outlasts the session.
    let own = json!({"password": Base64::encode(b"of whoever found it")});
    ann.post(&format!("/api/v2/identities/{uuid}/password"), own).await.refused(403, "NotAuthorized", None);
    let keys = format!("/api/v2/identities/{uuid}/api-keys");
    ann.post(&keys, json!({"name": "own"})).await.refused(403, "NotAuthorized", None);
    let given = json!({"name": "own", "networks": ["127.0.0.0/8"]});
    let given = admin.post(&keys, given).await.response()["uuid"].as_str().unwrap().to_owned();
    let (given, rotate) = (format!("{keys}/{given}"), format!("{keys}/{given}/rotate"));
    ann.post(&rotate, json!({})).await.refused(403, "NotAuthorized", None);
    ann.patch(&given, json!({"networks": []})).await.refused(403, "NotAuthorized", None);
    assert_eq!(objects(&ann, query).await, of(3));
    let secret = admin.post(&rotate, json!({})).await.response()["apiKey"].as_str().unwrap().to_owned();
    admin.patch(&given, json!({"networks": []})).await.response();
    assert_eq!(objects(&ann, query).await, of(5));
    app.nobody().with_bearer(&secret).post(&rotate, json!({})).await.response();
    assert_eq!(objects(&ann, query).await, of(5), "what a program does each day");
    let mailed = json!({"password": Base64::encode(b"another password"), "oneTime": false});
    admin.post(&format!("/api/v2/identities/{uuid}/password"), mailed).await.response();
    assert_eq!(objects(&admin, query).await, of(6));
    assert_eq!(objects(&bob, query).await, of(0), "somebody else's");
    let auditor = app.with_perms("auditor", &[Perm::AuditRead]).await;
    assert_eq!(objects(&auditor, query).await, of(6));
}
