//! POST /api/v2/notice-targets/{uuid}/test.

use super::{path_of, target};
use crate::app::TestApp;

#[tokio::test]
async fn what_came_back_is_answered_and_recorded() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = target(&admin, "alerts").await;
    let tested = admin.post_nothing(&format!("{}/test", path_of(&made))).await;
    let tested = tested.response();
    assert_eq!(
        (&tested["delivered"], &tested["status"], &tested["answer"]),
        (&true.into(), &200.into(), &"taken".into())
    );
    let audit = admin.get("/api/v2/audit?action=NoticeTargetTest").await;
    assert_eq!(audit.response()["items"][0]["detail"]["delivered"], true);
    assert_eq!(admin.get(&path_of(&made)).await.response(), &made, "it is not stored");
}
