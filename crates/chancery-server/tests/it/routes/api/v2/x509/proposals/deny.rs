//! POST /api/v2/x509/proposals/{uuid}/deny.

use serde_json::json;

use super::{Waiting, refuses_bad_calls};
use crate::signing::PROPOSALS;

#[tokio::test]
async fn one_denial_ends_a_proposal() {
    let waiting = Waiting::new().await;
    let proposal = waiting.propose(9).await;
    let path = format!("{PROPOSALS}/{proposal}");
    waiting.submitter.post(&format!("{path}/deny"), json!({})).await.refused(403, "NotAuthorized", None);
    let denied = waiting.ann.post(&format!("{path}/deny"), json!({"note": "too small"})).await;
    assert_eq!([&denied.response()["state"], &denied.response()["approvalState"]], ["Denied", "Denied"]);
    let detail = waiting.detail(&proposal).await;
    assert_eq!(
        (&detail["approvals"][1]["decision"], &detail["approvals"][1]["note"]),
        (&json!("Deny"), &json!("too small"))
    );
    waiting.ann.post(&format!("{path}/approve"), json!({})).await.refused(409, "InvalidState", None);
    assert_eq!(waiting.max_size().await, json!(null));
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let waiting = Waiting::new().await;
    refuses_bad_calls(&waiting, &waiting.ann, "deny").await;
}
