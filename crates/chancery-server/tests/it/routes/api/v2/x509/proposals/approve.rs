//! POST /api/v2/x509/proposals/{uuid}/approve.

use serde_json::json;

use super::{Waiting, refuses_bad_calls};
use crate::signing::PROPOSALS;

#[tokio::test]
async fn the_last_approval_applies_the_change_and_is_kept_with_its_note() {
    let waiting = Waiting::new().await;
    let proposal = waiting.propose(9).await;
    let path = format!("{PROPOSALS}/{proposal}/approve");
    waiting.submitter.post(&path, json!({})).await.refused(403, "NotAuthorized", None);
    let digest = waiting.detail(&proposal).await["digest"].clone();
    let applied = waiting.ann.post(&path, json!({"note": "looked at it", "digest": digest})).await;
    assert_eq!([&applied.response()["state"], &applied.response()["approvalState"]], ["Applied", "Approved"]);
    assert_eq!(waiting.max_size().await, 9);
    let decisions = waiting.detail(&proposal).await["approvals"].clone();
    assert_eq!((&decisions[1]["decision"], &decisions[1]["note"]), (&json!("Approve"), &json!("looked at it")));
    waiting.ann.post(&path, json!({})).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let waiting = Waiting::new().await;
    refuses_bad_calls(&waiting, &waiting.ann, "approve").await;
}
