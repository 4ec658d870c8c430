//! GET /api/v2/x509/services/{serviceUuid}/signing-requests.

use crate::signing::{Signing, deny};

#[tokio::test]
async fn only_the_services_own_requests_are_listed() {
    let signing = Signing::new().await;
    let (one, other) = (signing.deploy("one", 1).await, signing.deploy("other", 1).await);
    let (waits, denied) = (signing.submit(&one, b"a").await, signing.submit(&one, b"b").await);
    signing.submit(&other, b"c").await;
    deny(&signing.admin, &denied).await.response();
    let path = format!("/api/v2/x509/services/{}/signing-requests", one.uuid);
    assert_eq!(signing.admin.get(&path).await.response()["total"], 2);
    let waiting = signing.admin.get(&format!("{path}?state=Approval")).await;
    let waiting = waiting.response();
    assert_eq!((&waiting["total"], &waiting["items"][0]["uuid"]), (&1.into(), &waits.into()));
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let path = format!("/api/v2/x509/services/{}/signing-requests", service.uuid);
    signing.admin.get(&format!("{path}?state=Open")).await.refused(400, "InvalidSelection", Some("/state"));
    signing.admin.get(&format!("{path}?page=0")).await.refused(400, "InvalidValue", Some("/page"));
    signing.app.nobody().get(&path).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("reader", &["Audit:Read"]).await;
    signing.person("rae", &role).await.get(&path).await.refused(403, "NotAuthorized", None);
    let unknown = "/api/v2/x509/services/11111111-1111-1111-1111-111111111111/signing-requests";
    signing.admin.get(unknown).await.refused(404, "InvalidSelection", None);
}
