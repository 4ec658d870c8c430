//! GET /api/v2/x509/crls/export.

use chancery_testkit::{Tool, temp_dir};
use serde_json::json;

use crate::signing::{APPROVER, Signing};

const EXPORT: &str = "/api/v2/x509/crls/export";

#[tokio::test]
async fn all_lists_are_exported_as_openssl_reads_them() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let revoke = format!("/api/v2/x509/services/{}/revoke", service.uuid);
    signing.admin.post(&revoke, json!({"reason": "superseded"})).await.response();
    let second = crate::certificates::root(&signing.admin).await;
    let approver = signing.person("ann", APPROVER).await;
    let all = approver.get(EXPORT).await;
    assert_eq!(all.headers["content-type"], "application/x-pem-file");
    assert_eq!(all.text().matches("-----BEGIN X509 CRL-----\n").count(), 2);

    let folder = temp_dir();
    for (issuer, revoked) in [(&signing.root, true), (&second, false)] {
        let pem = approver.get(&format!("{EXPORT}?issuer={issuer}")).await;
        assert!(all.text().contains(pem.text()), "{issuer}");
        std::fs::write(folder.path().join("one.pem"), &pem.body).unwrap();
        let shown = Tool::new("openssl").args(["crl", "-in", "one.pem", "-noout", "-text"]).folder(folder.path()).run();
        let text = String::from_utf8(shown.stdout).unwrap();
        assert_eq!(text.contains("Superseded"), revoked, "{text}");
        let der = approver.get(&format!("{EXPORT}?issuer={issuer}&format=der")).await;
        assert_eq!(der.headers["content-type"], "application/pkix-crl");
        assert_eq!(der.body, signing.app.nobody().get(&format!("/crl/{issuer}.crl")).await.body);
    }
    approver.get(&format!("{EXPORT}?format=der")).await.refused(400, "InvalidValue", Some("/format"));
    let leaf = format!("{EXPORT}?issuer={}", service.certificate);
    approver.get(&leaf).await.refused(400, "InvalidSelection", Some("/issuer"));
}
