//! GET /api/v2/x509/proposals/{uuid}/approval-statement, and the approval that it is for.

use chancery_types::Base64;
use serde_json::json;

use crate::{
    signed_approvals::{approve_with, approver, demanding, signing},
    signing::PROPOSALS,
};

#[tokio::test]
async fn the_demand_holds_for_changes_of_the_policy_and_is_not_taken_back() {
    let signing = signing().await;
    let service = demanding(&signing, 1).await;
    let mut ann = approver(&signing, "ann").await;
    let policy = format!("/api/v2/x509/signing-policies/{}", service.policy);
    let without = json!({"rules": {}});
    signing.admin.patch(&policy, without).await.refused(400, "InvalidValue", Some("/rules/signedApprovals"));
    let laxer = json!({"name": "lax", "numApprovals": 1, "hashAlgorithm": "Sha2_256"});
    let policies = format!("/api/v2/x509/services/{}/signing-policies", service.uuid);
    signing.admin.post(&policies, laxer).await.refused(400, "InvalidValue", Some("/rules/signedApprovals"));
    let pre = json!({"name": "p", "policyUuid": service.policy, "digests": [Base64::encode(&[7; 32])]});
    signing.admin.post("/api/v2/x509/pre-approvals", pre).await.refused(409, "InvalidState", None);

    let change = signing.admin.patch(&policy, json!({"rules": {"signedApprovals": true, "signaturesPerDay": 9}})).await;
    let proposal = change.response()["pendingChange"]["uuid"].as_str().unwrap().to_owned();
    let at = format!("{PROPOSALS}/{proposal}");
    ann.client.post(&format!("{at}/approve"), json!({})).await.refused(403, "NotAuthorized", Some("/assertions"));
    let both = json!({"uuids": [proposal], "decision": "Approve"});
    let many = ann.client.post(&format!("{PROPOSALS}/batch-approve-deny"), both).await;
    assert_eq!(many.response()["results"][0]["errorCode"], "NotAuthorized");
    let shown = ann.client.get(&format!("{at}/approval-statement")).await.response().clone();
    let text = shown["statements"][0]["statement"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("\nproposal {proposal}\n")) && text.contains("\nkey -\npolicy -\n"), "{text}");
    let assertion = ann.key.sign(&shown["statements"][0]);
    // What was signed of a proposal is nothing that was signed of a request.
    let request = signing.submit(&service, b"payload").await;
    approve_with(&ann.client, &request, vec![assertion.clone()]).await.refused(
        409,
        "InvalidState",
        Some("/assertions/0"),
    );
    let done = ann.client.post(&format!("{at}/approve"), json!({"assertions": [assertion]})).await;
    assert_eq!(done.response()["state"], "Applied");
    assert!(signing.admin.get(&at).await.response()["approvals"][1]["signatures"][0].is_object());
    assert_eq!(signing.admin.get(&policy).await.response()["rules"]["signaturesPerDay"], 9);
}
