//! POST /api/v2/x509/services/{serviceUuid}/renew.

use serde_json::json;

use crate::signing::{EC_P256, RSA_2048, Signing, approve, bytes, openssl_accepts};

const DAY_MS: i64 = 24 * 3_600_000;

#[tokio::test]
async fn a_renewed_service_signs_on_with_its_uuid_and_policies() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let waiting = signing.submit(&service, b"before").await;
    let ann = signing.approver("ann").await;
    let path = format!("/api/v2/x509/services/{}/renew", service.uuid);
    let reply = signing.admin.post_nothing(&path).await;
    let renewed = reply.response();
    assert_eq!(
        (&renewed["serviceUuid"], &renewed["previousCertificateUuid"]),
        (&json!(service.uuid), &json!(service.certificate))
    );
    let read = |uuid: String| {
        let admin = &signing.admin;
        async move { admin.get(&format!("/api/v2/x509/{uuid}")).await.response().clone() }
    };
    let uuid = renewed["certificateUuid"].as_str().unwrap().to_owned();
    let (old, new) = (read(service.certificate.clone()).await, read(uuid.clone()).await);
    for same in ["subject", "issuerUuid", "keyAlgorithm", "certProfileUuid", "status"] {
        assert_eq!(old[same], new[same], "{same}");
    }
    assert_ne!(old["keyUuid"], new["keyUuid"]);
    let stubs = signing.admin.get("/api/v2/x509/services/stubs").await;
    assert_eq!(stubs.response()["results"][0]["certificateUuid"], *uuid);

    let signature = approve(&ann, &waiting).await.response()["signature"].clone();
    assert!(openssl_accepts("openssl", &signing.root_pem, &bytes(&signature), b"before"));
    let revoke = format!("/api/v2/x509/{}/revoke", service.certificate);
    signing.admin.post(&revoke, json!({"reason": "superseded"})).await.response();
    let after = signing.submit(&service, b"after").await;
    assert_eq!(approve(&ann, &after).await.response()["state"], "Signed");
}

#[tokio::test]
async fn an_expired_service_comes_back_to_life() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    signing.app.clock.advance_ms(366 * DAY_MS);
    let admin = signing.app.admin().await;
    let body = json!({"subjectOneline": "CN=Code Signing 2", "validityPeriod": {"unit": "Month", "amount": "1"}});
    admin.post(&format!("/api/v2/x509/services/{}/renew", service.uuid), body).await.response();
    crate::signing::submit(&admin, &service, b"x").await;
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let path = format!("/api/v2/x509/services/{}/renew", service.uuid);
    let leaf = service.certificate.clone();
    for (body, status, error_code, field) in [
        (json!({"subjectOneline": "CN="}), 400, "InvalidValue", Some("/subjectOneline")),
        (json!({"issuerUuid": RSA_2048}), 400, "InvalidSelection", Some("/issuerUuid")),
        (json!({"issuerUuid": EC_P256}), 400, "InvalidSelection", Some("/issuerUuid")),
        (json!({"issuerUuid": leaf}), 409, "InvalidState", Some("/issuerUuid")),
        (json!({"validityPeriod": {"unit": "Year", "amount": "21"}}), 400, "InvalidValue", Some("/validityPeriod")),
        (
            json!({"validityPeriod": {"unit": "Year", "amount": "0"}}),
            400,
            "InvalidValue",
            Some("/validityPeriod/amount"),
        ),
    ] {
        signing.admin.post(&path, body).await.refused(status, error_code, field);
    }
    signing.approver("ann").await.post(&path, json!({})).await.refused(403, "NotAuthorized", None);
    let without =
        signing.admin.post(crate::signing::DEPLOY, json!({"template": "PKI Signing", "name": "x", "pkiSigning": 1}));
    let without = without.await.response()["serviceUuid"].as_str().unwrap().to_owned();
    let path = format!("/api/v2/x509/services/{without}/renew");
    signing.admin.post(&path, json!({})).await.refused(409, "InvalidState", None);
    let unknown = "/api/v2/x509/services/11111111-1111-1111-1111-111111111111/renew";
    signing.admin.post(unknown, json!({})).await.refused(404, "InvalidSelection", None);
}
