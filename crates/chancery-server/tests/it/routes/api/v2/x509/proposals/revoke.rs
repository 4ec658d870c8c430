//! POST /api/v2/x509/proposals/{uuid}/revoke.

use serde_json::json;

use super::{Waiting, refuses_bad_calls};
use crate::signing::PROPOSALS;

#[tokio::test]
async fn a_pre_approval_in_force_is_revoked_and_nothing_else_is() {
    let waiting = Waiting::new().await;
    let change = waiting.propose(9).await;
    let revoke = |id: &str| format!("{PROPOSALS}/{id}/revoke");
    waiting.ann.post(&revoke(&change), json!({})).await.refused(409, "InvalidState", None);
    waiting.ann.post(&format!("{PROPOSALS}/{change}/approve"), json!({})).await.response();
    waiting.ann.post(&revoke(&change), json!({})).await.refused(409, "InvalidState", None);
    let digest = "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=";
    let listed = json!({"name": "nightly", "policyUuid": waiting.service.policy, "digests": [digest]});
    let made = waiting.signing.admin.post("/api/v2/x509/pre-approvals", listed).await;
    let pre_approval = made.response()["uuid"].as_str().unwrap().to_owned();
    waiting.ann.post(&format!("{PROPOSALS}/{pre_approval}/approve"), json!({})).await.response();
    waiting.submitter.post(&revoke(&pre_approval), json!({})).await.refused(403, "NotAuthorized", None);
    let revoked = waiting.ann.post(&revoke(&pre_approval), json!({"note": "released"})).await;
    assert_eq!(revoked.response()["state"], "Revoked");
    assert_eq!(waiting.detail(&pre_approval).await["state"], "Revoked");
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let waiting = Waiting::new().await;
    refuses_bad_calls(&waiting, &waiting.ann, "revoke").await;
}
