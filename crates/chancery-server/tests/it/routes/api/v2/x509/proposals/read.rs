//! GET /api/v2/x509/proposals/{uuid}.

use serde_json::json;

use super::Waiting;
use crate::signing::PROPOSALS;

#[tokio::test]
async fn a_detail_says_what_is_approved() {
    let waiting = Waiting::new().await;
    let proposal = waiting.propose(9).await;
    let path = format!("{PROPOSALS}/{proposal}");
    let detail = waiting.ann.get(&path).await.response().clone();
    assert_eq!([&detail["kind"], &detail["state"]], ["Policy", "Approval"]);
    assert_eq!(detail["policyUuid"], json!(waiting.service.policy));
    assert_eq!(detail["policy"]["after"]["rules"]["maxSize"], 9);
    assert!(detail["digest"].is_string());
    assert_eq!(detail["mayApprove"], true);
    waiting.signing.app.clock.advance_ms(1);
    let late = waiting.signing.approver("late").await;
    assert_eq!(late.get(&path).await.response()["mayApprove"], false, "it is older than the account");
    waiting.submitter.get(&path).await.refused(403, "NotAuthorized", None);
    waiting.signing.app.nobody().get(&path).await.refused(401, "InvalidAuthToken", None);
    let nothing = format!("{PROPOSALS}/00000000-0000-0000-0000-000000000000");
    waiting.ann.get(&nothing).await.refused(404, "InvalidSelection", None);
}
