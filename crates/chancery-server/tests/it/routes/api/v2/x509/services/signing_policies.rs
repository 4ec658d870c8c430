//! GET and POST /api/v2/x509/services/{serviceUuid}/signing-policies.

use serde_json::json;

use crate::{
    app::Setup,
    signing::{APPROVER, ED25519, REQUESTS, Service, Signing, submission},
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
            "timeStamp": false,
            "selfApproval": "DualControl",
            "rules": {
                "approvalSteps": [], "submitterRoleUuids": [], "fileNames": [], "maxSize": null,
                "signaturesPerHour": null, "signaturesPerDay": null, "requestLifetime": null,
            },
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

fn policies(service: &Service) -> String {
    format!("/api/v2/x509/services/{}/signing-policies", service.uuid)
}

#[tokio::test]
async fn requests_under_another_policy_are_signed_as_it_says() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let body = json!({"name": "strong", "numApprovals": 0, "hashAlgorithm": "Sha3_512"});
    let reply = signing.admin.post(&policies(&service), body).await;
    assert_eq!(reply.response()["signingFormat"], "CMS");
    let policy = reply.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
    let strong = Service { policy, ..service.clone() };
    let request = signing.admin.post(REQUESTS, submission(&strong, b"x")).await;
    let request = signing.read(request.response()["uuid"].as_str().unwrap()).await;
    assert_eq!((&request["hashAlgorithm"], &request["state"]), (&json!("Sha3_512"), &json!("Signed")));
    assert_eq!(signing.admin.get(&policies(&service)).await.response()["total"], 2);
}

#[tokio::test]
async fn a_laxer_policy_would_be_a_way_around_the_others() {
    let signing = Signing::new().await;
    let never = |body: &mut serde_json::Value| body["pkisigning"]["selfApproval"] = json!("Never");
    let service = signing.deploy_with("builds", 2, never).await;
    let body = |approvals: i64| json!({"name": "other", "numApprovals": approvals, "hashAlgorithm": "Sha2_256"});
    for too_few in [-1, 0, 1, 65] {
        let reply = signing.admin.post(&policies(&service), body(too_few)).await;
        reply.refused(400, "InvalidValue", Some("/numApprovals"));
    }
    let mut dual = body(2);
    dual["selfApproval"] = json!("DualControl");
    signing.admin.post(&policies(&service), dual).await.refused(400, "InvalidValue", Some("/selfApproval"));
    let added = signing.admin.post(&policies(&service), body(3)).await;
    assert_eq!(signing.agreed(&added).await["selfApproval"], "Never");
    let mut fewer = body(2);
    fewer["name"] = json!("third");
    signing.admin.post(&policies(&service), fewer).await.refused(400, "InvalidValue", Some("/numApprovals"));
}

#[tokio::test]
async fn refusals_of_a_new_policy() {
    let signing = Signing::new().await;
    let ed25519 = |body: &mut serde_json::Value| {
        body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(ED25519);
        body["pkisigning"]["hashAlgorithm"] = json!("Sha2_512");
    };
    let service = signing.deploy_with("builds", 1, ed25519).await;
    let body = json!({"name": "other", "numApprovals": 1, "hashAlgorithm": "Sha2_512"});
    for (member, value, error_code) in [
        ("hashAlgorithm", json!("Sha2_256"), "InvalidSelection"),
        ("hashAlgorithm", json!("SHA"), "InvalidSelection"),
        ("rsaPss", json!(true), "InvalidValue"),
        ("name", json!(""), "InvalidValue"),
        ("numApprovals", json!("1"), "ArgumentParseError"),
    ] {
        let mut body = body.clone();
        body[member] = value;
        let reply = signing.admin.post(&policies(&service), body).await;
        reply.refused(400, error_code, Some(&format!("/{member}")));
    }
    let mut taken = body.clone();
    taken["name"] = json!("builds");
    signing.admin.post(&policies(&service), taken).await.refused(409, "AlreadyExists", Some("/name"));
    let approver = signing.person("ann", APPROVER).await;
    approver.post(&policies(&service), body.clone()).await.refused(403, "NotAuthorized", None);
    signing.app.nobody().post(&policies(&service), body.clone()).await.refused(401, "InvalidAuthToken", None);
    let unknown = "/api/v2/x509/services/11111111-1111-1111-1111-111111111111/signing-policies";
    signing.admin.post(unknown, body).await.refused(404, "InvalidSelection", None);
}
