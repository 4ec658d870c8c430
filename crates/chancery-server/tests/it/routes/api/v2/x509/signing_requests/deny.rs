//! POST /api/v2/x509/signing-requests/{uuid}/deny.

use serde_json::json;

use crate::signing::{APPROVER, REQUESTS, Signing, approve, deny, submit};

#[tokio::test]
async fn one_denial_is_enough() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 3).await;
    let request = signing.submit(&service, b"payload").await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    approve(&ann, &request).await.response();
    let path = format!("{REQUESTS}/{request}/deny");
    let reply = bob.post(&path, json!({"note": "wrong branch"})).await;
    assert_eq!(reply.response(), &json!({"state": "Denied", "approvalState": "Denied"}));
    let detail = signing.read(&request).await;
    let last = &detail["approvals"][1];
    let told = [&last["decision"], &last["note"], &last["identities"][0]["name"], &detail["signature"]];
    assert_eq!(told, ["Deny", "wrong branch", "bob", ""]);
}

#[tokio::test]
async fn nothing_is_denied_after_a_decision() {
    let signing = Signing::new().await;
    let (service, at_once) = (signing.deploy("builds", 1).await, signing.deploy("at once", 0).await);
    let denied = signing.submit(&service, b"a").await;
    deny(&signing.admin, &denied).await.response();
    let signed = signing.submit(&at_once, b"b").await;
    for request in [denied, signed] {
        deny(&signing.admin, &request).await.refused(409, "InvalidState", None);
    }
}

#[tokio::test]
async fn whoever_has_approved_may_change_their_mind() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"payload").await;
    let ann = signing.approver("ann").await;
    approve(&ann, &request).await.response();
    deny(&ann, &request).await.response();
    assert_eq!(signing.words(&request).await, ["Denied", "Denied"]);
}

#[tokio::test]
async fn submitters_deny_the_own_requests_and_machines_may_deny() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let (one, other) = (signing.person("one", &role).await, signing.person("other", &role).await);
    let request = submit(&one, &service, b"x").await;
    deny(&other, &request).await.refused(403, "NotAuthorized", None);
    deny(&one, &request).await.response();
    let scanner = signing.identity("scanner", "Application", APPROVER).await;
    deny(&scanner, &signing.submit(&service, b"y").await).await.response();
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"x").await;
    deny(&signing.app.nobody(), &request).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("reader", &["Audit:Read"]).await;
    deny(&signing.person("rae", &role).await, &request).await.refused(403, "NotAuthorized", None);
    deny(&signing.admin, "11111111-1111-1111-1111-111111111111").await.refused(404, "InvalidSelection", None);
    let path = format!("{REQUESTS}/{request}/deny");
    signing.admin.post(&path, json!({"note": []})).await.refused(400, "ArgumentParseError", Some("/note"));
    signing.admin.post(&path, json!([1])).await.refused(400, "ArgumentParseError", None);
}
