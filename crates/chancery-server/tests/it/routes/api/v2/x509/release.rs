//! POST /api/v2/x509/{uuid}/release.

use chancery_types::Perm;
use serde_json::json;

use crate::{
    app::TestApp,
    certificates::{issued, root},
};

#[tokio::test]
async fn a_hold_is_released_and_nothing_else_is() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let path = format!("/api/v2/x509/{}", leaf["certificateUuid"].as_str().unwrap());
    let (revoke, release) = (format!("{path}/revoke"), format!("{path}/release"));
    client.post(&release, json!({})).await.refused(409, "InvalidState", None);
    client.post(&revoke, json!({"reason": "certificateHold"})).await.response();
    let released = client.post_nothing(&release).await.response().clone();
    assert_eq!(
        (&released["status"], released.get("revokedAt"), released.get("revocationReason")),
        (&json!("Valid"), None, None)
    );
    client.post(&release, json!({})).await.refused(409, "InvalidState", None);
    client.post(&revoke, json!({"reason": "superseded"})).await.response();
    client.post(&release, json!({})).await.refused(409, "InvalidState", None);
    let unknown = "/api/v2/x509/00000000-0000-0000-0000-000000000000/release";
    client.post(unknown, json!({})).await.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn a_hold_is_released_by_two_persons() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let leaf = issued(&admin, "TLS Client", &root).await;
    let path = format!("/api/v2/x509/{}", leaf["certificateUuid"].as_str().unwrap());
    let (revoke, release) = (format!("{path}/revoke"), format!("{path}/release"));
    admin.post(&revoke, json!({"reason": "certificateHold"})).await.response();
    let alone = app.with_perms("issuer", &[Perm::CertManageGenerate]).await;
    alone.post_nothing(&release).await.refused(403, "NotAuthorized", None);
    admin.saw_audited("CertificateRelease").await;
    assert_eq!(admin.post_nothing(&release).await.response()["status"], "Valid");
}
