//! POST /api/v2/x509/signing-requests/{uuid}/repeat.

use serde_json::json;

use crate::signing::{REQUESTS, Signing, approve, deny};

#[tokio::test]
async fn what_failed_is_submitted_again_and_signed_by_the_new_key() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"payload").await;
    let ann = signing.approver("ann").await;
    let revoke = format!("/api/v2/x509/{}/revoke", service.certificate);
    signing.admin.post(&revoke, json!({"reason": "keyCompromise"})).await.response();
    assert_eq!(approve(&ann, &request).await.response()["state"], "Failed");
    let path = format!("{REQUESTS}/{request}/repeat");
    signing.admin.post_nothing(&path).await.refused(409, "InvalidState", None);
    let renew = format!("/api/v2/x509/services/{}/renew", service.uuid);
    signing.admin.post(&renew, json!({})).await.response();
    let again = signing.admin.post_nothing(&path).await.response()["uuid"].as_str().unwrap().to_owned();
    let detail = signing.read(&again).await;
    assert_eq!([&detail["state"], &detail["repeatsUuid"]], ["Approval", request.as_str()]);
    assert_eq!(
        [&detail["name"], &detail["approvals"]],
        [&json!("release"), &json!([])],
        "it needs approvals of its own"
    );
    assert_eq!(approve(&ann, &again).await.response()["state"], "Signed");
    assert_eq!(signing.words(&request).await, ["Failed", "Approved"], "what failed stays failed");
}

#[tokio::test]
async fn what_waited_too_long_is_submitted_again_by_its_digest() {
    let signing = Signing::new().await;
    let rules = json!({"requestLifetime": {"unit": "Minute", "amount": "9"}});
    let service = signing.deploy_with("builds", 1, |body| body["pkisigning"]["rules"] = rules).await;
    let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    let body = json!({"name": "r", "serviceUuid": service.uuid, "policyUuid": service.policy, "digest": digest});
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let path = format!("{REQUESTS}/{request}/repeat");
    signing.admin.post_nothing(&path).await.refused(409, "InvalidState", None);
    signing.app.clock.advance_ms(9 * 60_000);
    let again = signing.admin.post_nothing(&path).await.response()["uuid"].as_str().unwrap().to_owned();
    let detail = signing.read(&again).await;
    assert_eq!([&detail["state"], &detail["digest"]], ["Approval", digest]);
}

#[tokio::test]
async fn what_was_denied_or_signed_is_not_repeated() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let (denied, signed) = (signing.submit(&service, b"a").await, signing.submit(&service, b"b").await);
    deny(&signing.admin, &denied).await.response();
    approve(&signing.admin, &signed).await.response();
    for request in [denied, signed] {
        let path = format!("{REQUESTS}/{request}/repeat");
        signing.admin.post_nothing(&path).await.refused(409, "InvalidState", None);
    }
}
