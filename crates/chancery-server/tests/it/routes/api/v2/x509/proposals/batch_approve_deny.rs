//! POST /api/v2/x509/proposals/batch-approve-deny.

use serde_json::json;

use super::Waiting;
use crate::signing::PROPOSALS;

#[tokio::test]
async fn each_is_decided_by_itself() {
    let waiting = Waiting::new().await;
    let (one, other) = (waiting.propose(1).await, waiting.propose(2).await);
    let nothing = "00000000-0000-0000-0000-000000000000";
    let path = format!("{PROPOSALS}/batch-approve-deny");
    let all = json!({"uuids": [one, nothing, other], "decision": "Approve", "note": "seen"});
    let results = waiting.ann.post(&path, all).await.response()["results"].clone();
    assert_eq!(results[0]["decided"]["state"], "Applied");
    assert_eq!(results[1]["errorCode"], "InvalidSelection");
    assert_eq!(results[2]["decided"]["state"], "Failed", "the first changed what it was made from");
    assert_eq!(waiting.max_size().await, 1);
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let waiting = Waiting::new().await;
    let path = format!("{PROPOSALS}/batch-approve-deny");
    let proposal = waiting.propose(1).await;
    for (body, error, field) in [
        (json!({"decision": "Approve"}), "ArgumentParseError", Some("/uuids")),
        (json!({"uuids": [proposal]}), "ArgumentParseError", Some("/decision")),
        (json!({"uuids": [proposal], "decision": "approve"}), "InvalidSelection", Some("/decision")),
        (json!({"uuids": ["x"], "decision": "Approve"}), "InvalidSelection", Some("/uuids/0")),
    ] {
        waiting.ann.post(&path, body).await.refused(400, error, field);
    }
    let alone = waiting.submitter.post(&path, json!({"uuids": [proposal], "decision": "Deny"})).await;
    let refused = alone.status == 403 || alone.response()["results"][0]["errorCode"] == "NotAuthorized";
    assert!(refused, "{}", alone.text());
}
