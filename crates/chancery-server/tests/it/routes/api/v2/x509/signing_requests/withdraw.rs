//! POST /api/v2/x509/signing-requests/{uuid}/withdraw.

use serde_json::json;

use crate::signing::{REQUESTS, Signing, approve, deny, submit};

#[tokio::test]
async fn whoever_submitted_a_request_takes_it_back() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"payload").await;
    let ann = signing.approver("ann").await;
    approve(&ann, &request).await.response();
    let path = format!("{REQUESTS}/{request}/withdraw");
    let reply = signing.admin.post(&path, json!({"note": "wrong file"})).await;
    assert_eq!(reply.response(), &json!({"state": "Denied", "approvalState": "Denied"}));
    let detail = signing.read(&request).await;
    let last = &detail["approvals"][1];
    assert_eq!([&last["decision"], &last["note"], &detail["signature"]], ["Withdraw", "wrong file", ""]);
    for reply in [
        approve(&signing.approver("bob").await, &request).await,
        deny(&ann, &request).await,
        signing.admin.post_nothing(&path).await,
    ] {
        reply.refused(409, "InvalidState", None);
        assert_eq!(reply.json["response"]["message"], "The request was withdrawn by its submitter.");
    }
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestWithdraw&outcome=Success").await;
    assert_eq!(audit.response()["total"], 1);
}

#[tokio::test]
async fn nobody_else_does() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let (ci, other) = (signing.person("ci", &role).await, signing.person("other", &role).await);
    let request = submit(&ci, &service, b"payload").await;
    let path = format!("{REQUESTS}/{request}/withdraw");
    for stranger in [&other, &signing.admin, &signing.approver("ann").await] {
        stranger.post_nothing(&path).await.refused(403, "NotAuthorized", None);
    }
    assert_eq!(signing.words(&request).await, ["Approval", "Pending"]);
    ci.post_nothing(&path).await.response();
    let unknown = format!("{REQUESTS}/11111111-1111-1111-1111-111111111111/withdraw");
    ci.post_nothing(&unknown).await.refused(404, "InvalidSelection", None);
}
