//! GET /ca/{uuid}.crt.

use chancery_testkit::Tool;

use crate::{
    app::TestApp,
    certificates::{body, generate, issued},
};

#[tokio::test]
async fn everybody_may_fetch_an_authority_and_nothing_else() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = generate(&client, body(&client, "Root Certificate Authority").await).await;
    let id = root["certificateUuid"].as_str().unwrap();
    let file = app.nobody().get(&format!("/ca/{id}.crt")).await;
    assert_eq!((file.status.as_u16(), &file.headers["content-type"]), (200, &"application/pkix-cert".parse().unwrap()));
    let pem = Tool::new("openssl").args(["x509", "-inform", "DER"]).input(file.body).run().text();
    assert_eq!(root["certificate"], pem);
    let leaf = issued(&client, "TLS Client", id).await;
    for file in [format!("{}.crt", leaf["certificateUuid"].as_str().unwrap()), format!("{id}.crl"), "x.crt".to_owned()]
    {
        assert_eq!(app.nobody().get(&format!("/ca/{file}")).await.status.as_u16(), 404, "{file}");
    }
}
