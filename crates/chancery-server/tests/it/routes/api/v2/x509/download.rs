//! GET /api/v2/x509/{uuid}/download.

use chancery_testkit::Tool;

use crate::{
    app::TestApp,
    certificates::{issued, root},
};

#[tokio::test]
async fn every_form_holds_the_certificate() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let issuing = issued(&client, "Issuing Certificate Authority", &root).await;
    let request = crate::certificates::with(
        crate::certificates::body(&client, "TLS Client").await,
        serde_json::json!({"issuerUuid": issuing["certificateUuid"]}),
    );
    let leaf = crate::certificates::generate(&client, request).await;
    let (id, pem) = (leaf["certificateUuid"].as_str().unwrap(), leaf["certificate"].as_str().unwrap());
    let path = format!("/api/v2/x509/{id}/download");
    for (query, media_type, name) in [
        ("", "application/x-pem-file", "pem"),
        ("?format=pem", "application/x-pem-file", "pem"),
        ("?format=chain", "application/x-pem-file", "pem"),
        ("?format=der", "application/pkix-cert", "crt"),
        ("?format=pkcs7", "application/pkcs7-mime", "p7c"),
    ] {
        let file = client.get(&format!("{path}{query}")).await;
        assert_eq!(
            (file.status.as_u16(), &file.headers["content-type"]),
            (200, &media_type.parse().unwrap()),
            "{query}"
        );
        let name = format!("attachment; filename=\"{id}.{name}\"");
        assert_eq!(file.headers["content-disposition"].to_str().unwrap(), name);
        match query {
            "" | "?format=pem" => assert_eq!(file.text(), pem),
            "?format=chain" => {
                assert!(file.text().starts_with(pem) && file.text().ends_with("-----END CERTIFICATE-----\n"));
                assert_eq!(file.text().matches("BEGIN CERTIFICATE").count(), 3);
            }
            "?format=der" => {
                let read = Tool::new("openssl").args(["x509", "-inform", "DER"]).input(file.body).run().text();
                assert_eq!(read, pem);
            }
            _ => {
                let read = Tool::new("openssl")
                    .args(["pkcs7", "-inform", "DER", "-print_certs"])
                    .input(file.body)
                    .run()
                    .text();
                assert_eq!(read.matches("BEGIN CERTIFICATE").count(), 3);
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_form_or_certificate_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let path = format!("/api/v2/x509/{}/download", root(&client).await);
    client.get(&format!("{path}?format=jks")).await.refused(400, "InvalidSelection", Some("/format"));
    let unknown = "/api/v2/x509/00000000-0000-0000-0000-000000000000/download";
    client.get(unknown).await.refused(404, "InvalidSelection", None);
}
