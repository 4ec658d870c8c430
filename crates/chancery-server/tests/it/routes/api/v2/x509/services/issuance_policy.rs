//! GET and PATCH /api/v2/x509/services/{serviceUuid}/issuance-policy.

use serde_json::json;

use crate::signing::{PROPOSALS, Signing};

#[tokio::test]
async fn the_demand_of_a_services_issuer_is_read_and_changed_through_the_service() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let ann = signing.approver("ann").await;
    let path = format!("/api/v2/x509/services/{}/issuance-policy", service.uuid);
    let policy = |num_approvals| json!({"issuerUuid": signing.root, "approval": {"numApprovals": num_approvals}});
    assert_eq!(*ann.get(&path).await.response(), policy(0));
    let set = signing.admin.json("PATCH", &path, &json!({"numApprovals": 1})).await;
    assert_eq!(*set.response(), policy(1));
    let issuer = signing.admin.get(&format!("/api/v2/x509/{}", signing.root)).await;
    assert_eq!(issuer.response()["approval"], json!({"numApprovals": 1}), "it is the issuer's");

    let asked = signing.admin.json("PATCH", &path, &json!({"requestLifetime": {"unit": "Day", "amount": "2"}})).await;
    assert_eq!(asked.response()["approval"], json!({"numApprovals": 1}), "the change waits itself");
    let proposal = asked.response()["pendingChange"]["uuid"].as_str().unwrap();
    ann.post(&format!("{PROPOSALS}/{proposal}/approve"), json!({})).await.response();
    let read = ann.get(&path).await;
    assert_eq!(
        read.response()["approval"],
        json!({"numApprovals": 1, "requestLifetime": {"unit": "Day", "amount": "2"}})
    );
    signing.admin.json("PATCH", &path, &json!({"numApprovals": 65})).await.refused(
        400,
        "InvalidValue",
        Some("/numApprovals"),
    );
    let other = format!("/api/v2/x509/services/{}/issuance-policy", signing.root);
    ann.get(&other).await.refused(404, "InvalidSelection", None);
}
