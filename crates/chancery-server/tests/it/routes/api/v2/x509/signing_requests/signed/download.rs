//! GET /api/v2/x509/signing-requests/{uuid}/signed/download.

use serde_json::json;

use crate::signing::{REQUESTS, Signing, approve, submission, submit};

#[tokio::test]
async fn a_script_is_downloaded_once_it_is_signed() {
    let signing = Signing::new().await;
    let service =
        signing.deploy_with("scripts", 1, |body| body["pkisigning"]["signingFormat"] = json!("Powershell")).await;
    let script = b"Write-Output 1\r\n";
    let body = submission(&service, script);
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let path = format!("{REQUESTS}/{request}/signed/download");
    signing.admin.get(&path).await.refused(409, "InvalidState", None);
    approve(&signing.approver("ann").await, &request).await.response();
    let signed = signing.admin.get(&path).await;
    assert_eq!(signed.status, 200, "{}", signed.text());
    assert!(signed.body.starts_with(script));
    assert!(signed.text().contains("# SIG # Begin signature block"));
    let role = signing.role("submitters", &["Signing:Submit"]).await;
    signing.person("other", &role).await.get(&path).await.refused(403, "NotAuthorized", None);
    signing.app.nobody().get(&path).await.refused(401, "InvalidAuthToken", None);
}

#[tokio::test]
async fn a_signature_apart_has_no_signed_file() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let request = submit(&signing.admin, &service, b"payload").await;
    signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await.refused(409, "InvalidState", None);
    let nothing = format!("{REQUESTS}/00000000-0000-0000-0000-000000000000/signed/download");
    signing.admin.get(&nothing).await.refused(404, "InvalidSelection", None);
}
