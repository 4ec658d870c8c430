//! GET /api/v2/keys/stubs.

use serde_json::json;

use super::data_key;
use crate::{app::TestApp, certificates};

#[tokio::test]
async fn keys_of_all_purposes_are_listed_by_name() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "b cards").await;
    data_key(&client, "A 100%_cards").await;
    certificates::root(&client).await;
    let reply = client.get("/api/v2/keys/stubs").await;
    let names: Vec<_> =
        reply.response()["results"].as_array().unwrap().iter().map(|stub| stub["objInfo"]["name"].clone()).collect();
    assert_eq!(names, ["A 100%_cards", "b cards", "Root Certificate Authority of the test"]);
    let found = client.get("/api/v2/keys/stubs?search=B%20CARDS").await;
    let expected = json!({
        "objInfo": {"name": "b cards", "uuid": key["uuid"]},
        "keyTypeUuid": key["keyTypeUuid"],
        "parameters": {"keyAlgorithm": "Aes", "keySize": 256},
        "usages": ["Tokenize", "Detokenize"],
        "state": "Enabled",
    });
    assert_eq!(found.response(), &json!({"results": [expected], "total": 1, "page": 1, "pageSize": 10_000}));
    assert_eq!(client.get("/api/v2/keys/stubs?search=%25_").await.response()["total"], 1, "no wildcards");
    let page = client.get("/api/v2/keys/stubs?page=2&pageSize=1").await;
    assert_eq!(page.response()["results"][0]["objInfo"]["name"], "b cards");
    assert_eq!(page.response()["total"], 3);
}

#[tokio::test]
async fn a_bad_page_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    for (query, error, field) in [
        ("page=0", "InvalidValue", "/page"),
        ("pageSize=1001", "InvalidValue", "/pageSize"),
        ("page=x", "InvalidValue", "/page"),
    ] {
        client.get(&format!("/api/v2/keys/stubs?{query}")).await.refused(400, error, Some(field));
    }
}
