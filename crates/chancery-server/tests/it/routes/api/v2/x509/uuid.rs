//! GET /api/v2/x509/{uuid}.

use serde_json::json;

use crate::{
    app::TestApp,
    certificates::{body, generate, issued, profile, with},
};

#[tokio::test]
async fn a_certificate_is_read_with_its_standing() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = generate(&client, body(&client, "Root Certificate Authority").await).await;
    let id = &root["certificateUuid"];
    let mut read = client.get(&format!("/api/v2/x509/{}", id.as_str().unwrap())).await.response().clone();
    // The log's own tests look at it: it comes within a second.
    read.as_object_mut().unwrap().remove("inclusionProof").unwrap();
    assert_eq!(
        read,
        json!({
            "uuid": id,
            "objInfo": {"name": "Root Certificate Authority of the test", "uuid": id},
            "subject": "CN=Root Certificate Authority of the test,O=Example,C=US",
            "issuerUuid": id,
            "certProfileUuid": profile(&client, "Root Certificate Authority").await,
            "origin": "Generated",
            "serialNumber": root["serialNumber"],
            "notBefore": "2026-06-21T12:00:00Z",
            "notAfter": "2046-06-21T12:00:00Z",
            "status": "Valid",
            "trusted": true,
            "keyAlgorithm": "Ec",
            "keyUuid": root["keyUuid"],
            "certificate": root["certificate"],
        })
    );
    let leaf = issued(&client, "TLS Client", id.as_str().unwrap()).await;
    let read = client.get(&format!("/api/v2/x509/{}", leaf["certificateUuid"].as_str().unwrap())).await;
    assert_eq!((&read.response()["issuerUuid"], &read.response()["trusted"]), (id, &json!(false)));
}

#[tokio::test]
async fn after_its_last_second_it_is_expired() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let brief = json!({"certParams": {"validityPeriod": {"unit": "Second", "amount": "5"}}});
    let root = generate(&client, with(body(&client, "Root Certificate Authority").await, brief)).await;
    let path = format!("/api/v2/x509/{}", root["certificateUuid"].as_str().unwrap());
    app.clock.advance_ms(5_000);
    assert_eq!(client.get(&path).await.response()["status"], "Valid");
    app.clock.advance_ms(1_000);
    assert_eq!(client.get(&path).await.response()["status"], "Expired");
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    for id in ["00000000-0000-0000-0000-000000000000", "x"] {
        client.get(&format!("/api/v2/x509/{id}")).await.refused(404, "InvalidSelection", None);
    }
}
