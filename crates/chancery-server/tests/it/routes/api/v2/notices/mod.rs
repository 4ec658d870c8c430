//! GET /api/v2/notices.

mod events;
mod undelivered;

use chancery_types::{Base64, Perm};
use serde_json::{Value, json};

use crate::{
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
