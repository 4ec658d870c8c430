//! PUT /api/v2/x509/{uuid}/approval.

use serde_json::json;

use crate::{
    app::TestApp,
    certificates::{issued, root},
};

#[tokio::test]
async fn an_authority_says_what_it_demands() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let path = format!("/api/v2/x509/{root}");
    let put = async |body| admin.json("PUT", &format!("{path}/approval"), &body).await;
    let demand = json!({"numApprovals": 2, "selfApproval": "Never"});
    assert_eq!(put(demand.clone()).await.response(), &json!({"approval": demand}));
    assert_eq!(admin.get(&path).await.response()["approval"], demand);
    let same = put(demand.clone()).await;
    assert_eq!(same.response(), &json!({"approval": demand}), "no change, nothing to approve");
    let less = put(json!({"numApprovals": 0})).await;
    assert_eq!(less.response()["pendingChange"]["approvals"], json!({"given": 0, "required": 2}));
}

#[tokio::test]
async fn bad_calls_are_refused() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let leaf = issued(&admin, "TLS Client", &root).await;
    let put = async |id: &str, body| admin.json("PUT", &format!("/api/v2/x509/{id}/approval"), &body).await;
    for (body, error, field) in [
        (json!({}), "ArgumentParseError", "/numApprovals"),
        (json!({"numApprovals": -1}), "InvalidValue", "/numApprovals"),
        (json!({"numApprovals": 65}), "InvalidValue", "/numApprovals"),
        (json!({"numApprovals": 1, "selfApproval": "never"}), "InvalidSelection", "/selfApproval"),
    ] {
        put(&root, body).await.refused(400, error, Some(field));
    }
    let one = json!({"numApprovals": 1});
    put(leaf["certificateUuid"].as_str().unwrap(), one.clone()).await.refused(409, "InvalidState", None);
    put("00000000-0000-0000-0000-000000000000", one).await.refused(404, "InvalidSelection", None);
}
