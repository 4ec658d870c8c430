//! GET /api/v2/x509/services/{serviceUuid}/signing-policies.

use serde_json::json;

use crate::{
    app::Setup,
    signing::{APPROVER, Signing},
};

#[tokio::test]
async fn the_policy_that_came_with_the_service_is_listed_under_items() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 3).await;
    let path = format!("/api/v2/x509/services/{}/signing-policies", service.uuid);
    let expected = json!({
        "items": [{
            "objInfo": {"name": "builds", "uuid": service.policy},
            "numApprovals": 3,
            "signingFormat": "CMS",
            "serviceUuid": service.uuid,
            "hashAlgorithm": "Sha2_256",
            "rsaPss": false,
            "selfApproval": "DualControl",
        }],
        "total": 1,
    });
    assert_eq!(signing.admin.get(&path).await.response(), &expected);
    let approver = signing.person("ann", APPROVER).await;
    assert_eq!(approver.get(&path).await.response(), &expected);
}

#[tokio::test]
async fn in_hardened_mode_nobody_approves_the_own_request() {
    let signing = Signing::with(Setup { hardened: true, ..Setup::default() }).await;
    let service = signing.deploy("builds", 1).await;
    let reply = signing.admin.get(&format!("/api/v2/x509/services/{}/signing-policies", service.uuid)).await;
    assert_eq!(reply.response()["items"][0]["selfApproval"], "Never");
}

#[tokio::test]
async fn a_service_that_is_not_there() {
    let signing = Signing::new().await;
    for uuid in ["11111111-1111-1111-1111-111111111111", "builds", &signing.root] {
        let path = format!("/api/v2/x509/services/{uuid}/signing-policies");
        signing.admin.get(&path).await.refused(404, "InvalidSelection", None);
        signing.app.nobody().get(&path).await.refused(401, "InvalidAuthToken", None);
    }
}
