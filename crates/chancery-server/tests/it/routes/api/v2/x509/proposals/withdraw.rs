//! POST /api/v2/x509/proposals/{uuid}/withdraw.

use serde_json::json;

use super::{Waiting, refuses_bad_calls};
use crate::signing::PROPOSALS;

#[tokio::test]
async fn only_who_proposed_takes_it_back() {
    let waiting = Waiting::new().await;
    let proposal = waiting.propose(9).await;
    let path = format!("{PROPOSALS}/{proposal}/withdraw");
    waiting.ann.post(&path, json!({})).await.refused(403, "NotAuthorized", None);
    let withdrawn = waiting.signing.admin.post(&path, json!({"note": "a mistake"})).await;
    assert_eq!(withdrawn.response()["state"], "Denied");
    let detail = waiting.detail(&proposal).await;
    assert_eq!(
        (&detail["approvals"][1]["decision"], &detail["approvals"][1]["note"]),
        (&json!("Withdraw"), &json!("a mistake"))
    );
    waiting.signing.admin.post(&path, json!({})).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let waiting = Waiting::new().await;
    refuses_bad_calls(&waiting, &waiting.signing.admin, "withdraw").await;
}
