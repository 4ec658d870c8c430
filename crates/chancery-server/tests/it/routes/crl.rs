//! GET /crl/{uuid}.crl.

use chancery_testkit::Tool;
use serde_json::json;

use crate::{
    app::TestApp,
    certificates::{body, generate, issued, root, with},
    client::Client,
};

/// What OpenSSL prints of an authority's list, fetched by nobody in particular.
async fn list(client: &Client, issuer: &str) -> String {
    let reply = client.get(&format!("/crl/{issuer}.crl")).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.headers["content-type"]),
        (200, &"application/pkix-crl".parse().unwrap())
    );
    Tool::new("openssl").args(["crl", "-inform", "DER", "-noout", "-text"]).input(reply.body).run().text()
}

#[tokio::test]
async fn a_revocation_is_in_the_next_list() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let first = list(&app.nobody(), &root).await;
    assert!(
        first.contains("No Revoked Certificates") && first.contains("CRL Number: \n                1\n"),
        "{first}"
    );
    assert!(first.contains("Last Update: Jun 21 12:00:00 2026 GMT"), "{first}");
    assert!(first.contains("Next Update: Jun 28 12:00:00 2026 GMT"), "{first}");
    assert_eq!(list(&app.nobody(), &root).await, first);
    app.clock.advance_ms(60_000);
    let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
    client.post(&path, json!({"reason": "keyCompromise"})).await.response();
    let second = list(&app.nobody(), &root).await;
    for expected in [
        format!("Serial Number: {}", leaf["serialNumber"].as_str().unwrap()),
        "Revocation Date: Jun 21 12:01:00 2026 GMT".to_owned(),
        "Key Compromise".to_owned(),
        "CRL Number: \n                2\n".to_owned(),
    ] {
        assert!(second.contains(&expected), "{expected} in {second}");
    }
}

#[tokio::test]
async fn a_list_is_signed_anew_after_half_of_its_life() {
    let app = TestApp::new().await;
    let root = root(&app.admin().await).await;
    let number = |text: &str| text.split("CRL Number: \n").nth(1).unwrap().trim().lines().next().unwrap().to_owned();
    assert_eq!(number(&list(&app.nobody(), &root).await), "1");
    app.clock.advance_ms(84 * 3_600 * 1_000 - 1_000);
    assert_eq!(number(&list(&app.nobody(), &root).await), "1");
    app.clock.advance_ms(1_000);
    assert_eq!(number(&list(&app.nobody(), &root).await), "2");
}

#[tokio::test]
async fn a_crowd_has_a_list_signed_once() {
    let app = TestApp::new().await;
    let root = root(&app.admin().await).await;
    let nobody = app.nobody();
    let lists = futures::future::join_all((0..20).map(|_| list(&nobody, &root))).await;
    assert!(lists.iter().all(|list| list.contains("CRL Number: \n                1\n")));
}

#[tokio::test]
async fn an_authority_that_can_no_longer_sign_keeps_its_last_list() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = generate(&client, body(&client, "Root Certificate Authority").await).await;
    let id = root["certificateUuid"].as_str().unwrap();
    let first = list(&app.nobody(), id).await;
    let disable = format!("/api/v2/keys/{}/disable", root["keyUuid"].as_str().unwrap());
    client.post_nothing(&disable).await.response();
    app.clock.advance_ms(84 * 3_600 * 1_000);
    assert_eq!(list(&app.nobody(), id).await, first);
}

#[tokio::test]
async fn only_authorities_have_lists() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let untrusted = with(body(&client, "Root Certificate Authority").await, json!({"trustCert": false}));
    let untrusted = generate(&client, untrusted).await;
    let [leaf, untrusted] = [leaf, untrusted].map(|made| made["certificateUuid"].as_str().unwrap().to_owned());
    for file in [
        format!("{leaf}.crl"),
        format!("{untrusted}.crl"),
        format!("{root}.crt"),
        root.clone(),
        "00000000-0000-0000-0000-000000000000.crl".to_owned(),
        ".crl".to_owned(),
    ] {
        let reply = app.nobody().get(&format!("/crl/{file}")).await;
        assert_eq!(reply.status.as_u16(), 404, "{file}");
    }
}
