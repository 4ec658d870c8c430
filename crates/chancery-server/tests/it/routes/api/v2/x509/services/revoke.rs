//! POST /api/v2/x509/services/{serviceUuid}/revoke.

use serde_json::json;

use crate::signing::{DEPLOY, REQUESTS, Signing, submission};

#[tokio::test]
async fn a_service_whose_certificate_is_revoked_signs_no_more() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    signing.submit(&service, b"before").await;
    let path = format!("/api/v2/x509/services/{}/revoke", service.uuid);
    let revoked = signing.admin.post(&path, json!({"reason": "keyCompromise"})).await;
    assert_eq!(
        (&revoked.response()["status"], &revoked.response()["objInfo"]["uuid"]),
        (&json!("Revoked"), &json!(service.certificate))
    );
    signing.admin.post(REQUESTS, submission(&service, b"after")).await.refused(409, "InvalidState", None);
    signing.admin.post(&path, json!({"reason": "superseded"})).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    let mut body = signing.deployment("bare", 1);
    let template = body["pkisigning"].take();
    body.as_object_mut().unwrap().remove("pkisigning");
    body["PkiSigning"] = template;
    let bare = signing.admin.post(DEPLOY, body).await.response()["serviceUuid"].as_str().unwrap().to_owned();
    let path = |uuid: &str| format!("/api/v2/x509/services/{uuid}/revoke");
    let reason = json!({"reason": "superseded"});
    signing.admin.post(&path(&bare), reason.clone()).await.refused(409, "InvalidState", None);
    signing.admin.post(&path(&signing.root), reason.clone()).await.refused(404, "InvalidSelection", None);
    signing.admin.post(&path(&bare), json!({})).await.refused(400, "ArgumentParseError", Some("/reason"));
}

#[tokio::test]
async fn one_person_ends_no_service() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let role = signing.role("issuer", &["CertManage:Generate"]).await;
    let alone = signing.person("ann", &role).await;
    let reason = json!({"reason": "superseded"});
    let of_service = format!("/api/v2/x509/services/{}/revoke", service.uuid);
    for path in [&of_service, &format!("/api/v2/x509/{}/revoke", service.certificate)] {
        alone.post(path, reason.clone()).await.refused(403, "NotAuthorized", None);
    }
    signing.submit(&service, b"still signs").await;
    signing.admin.post(&of_service, reason).await.response();
}
