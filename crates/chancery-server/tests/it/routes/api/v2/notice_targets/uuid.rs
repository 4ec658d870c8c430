//! GET, PATCH and DELETE /api/v2/notice-targets/{uuid}.

use serde_json::json;

use super::{path_of, target};
use crate::app::TestApp;

#[tokio::test]
async fn a_target_is_changed_and_told_as_it_was_and_is() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = target(&admin, "alerts").await;
    let path = path_of(&made);
    let slack = json!({"url": "https://hooks.slack.com/services/T0/B0/x", "shape": "Slack"});
    let changed = admin.patch(&path, json!({"name": "chat", "webhook": slack, "kinds": ["Failed"]})).await;
    assert_eq!(changed.response()["webhook"]["url"], "https://hooks.slack.com/…");
    assert_eq!(changed.response()["kinds"], json!(["Failed"]));
    assert_eq!(admin.get(&path).await.response(), changed.response());
    let audit = admin.get("/api/v2/audit?action=NoticeTargetChange").await;
    assert!(!audit.text().contains("T0/B0"), "the address is the secret");
    assert_eq!(audit.response()["items"][0]["detail"]["changes"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_target_that_is_deleted_is_gone() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let path = path_of(&target(&admin, "alerts").await);
    admin.delete(&path).await.response();
    admin.get(&path).await.refused(404, "InvalidSelection", None);
    admin.delete(&path).await.refused(404, "InvalidSelection", None);
}
