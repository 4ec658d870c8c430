//! POST /api/v2/audit/targets/{uuid}/test.

use serde_json::json;

use super::{body, path_of, target};
use crate::app::TestApp;

#[tokio::test]
async fn what_came_back_is_answered_and_recorded() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = target(&admin, body("archive")).await;
    let tested = admin.post_nothing(&format!("{}/test", path_of(&made))).await;
    assert_eq!(tested.response(), &json!({"delivered": true, "status": 200, "answer": "taken"}));
    let syslog = target(&admin, json!({"name": "siem", "syslog": {"host": "logs.example.org"}})).await;
    let tested = admin.post_nothing(&format!("{}/test", path_of(&syslog))).await;
    assert_eq!(tested.response(), &json!({"delivered": true, "answer": ""}));
    let audit = admin.get("/api/v2/audit?action=AuditTargetTest").await;
    assert_eq!(audit.response()["items"][0]["detail"], json!({"name": "siem", "delivered": true, "status": null}));
}
