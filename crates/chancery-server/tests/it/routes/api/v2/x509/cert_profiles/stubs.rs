//! GET /api/v2/x509/cert-profiles/stubs.

use serde_json::json;

use crate::app::TestApp;

const PATH: &str = "/api/v2/x509/cert-profiles/stubs";

#[tokio::test]
async fn the_built_in_profiles_are_listed() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let reply = client.get(PATH).await;
    let stub = |number: u32, name: &str, years: &str| {
        json!({
            "objInfo": {"name": name, "uuid": format!("00000000-0000-0000-6370-{number:012}")},
            "validityPeriod": {"unit": "Year", "amount": years},
            "system": true,
        })
    };
    let results = [
        stub(3, "Code Signing Certificate", "3"),
        stub(2, "Issuing Certificate Authority", "10"),
        stub(5, "OCSP Responder", "1"),
        stub(1, "Root Certificate Authority", "20"),
        stub(4, "Time Stamping", "10"),
        stub(7, "TLS Client", "1"),
        stub(6, "TLS Server", "1"),
    ];
    assert_eq!(reply.response(), &json!({"results": results, "total": 7, "page": 1, "pageSize": 10_000}));
    let found = client.get(&format!("{PATH}?search=tls&pageSize=1&page=2")).await;
    assert_eq!(found.response(), &json!({"results": [results[6]], "total": 2, "page": 2, "pageSize": 1}));
}

#[tokio::test]
async fn a_bad_page_and_a_caller_without_login_are_refused() {
    let app = TestApp::new().await;
    let refused = app.admin().await.get(&format!("{PATH}?pageSize=0")).await;
    refused.refused(400, "InvalidValue", Some("/pageSize"));
    app.nobody().get(PATH).await.refused(401, "InvalidAuthToken", None);
}
