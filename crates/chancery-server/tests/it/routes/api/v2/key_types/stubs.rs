//! POST /api/v2/key-types/stubs.

use serde_json::json;

use crate::app::TestApp;

const PATH: &str = "/api/v2/key-types/stubs";

#[tokio::test]
async fn all_key_types_are_listed_by_name_with_and_without_a_body() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let reply = client.post_nothing(PATH).await;
    let response = reply.response();
    assert_eq!(response, client.post(PATH, json!({})).await.response());
    let names: Vec<_> =
        response["results"].as_array().unwrap().iter().map(|stub| stub["objInfo"]["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "AES-128 Tokenization",
            "AES-256 Tokenization",
            "EC P-256 Signing",
            "EC P-384 Signing",
            "EC P-521 Signing",
            "Ed25519 Signing",
            "HMAC-SHA-256 Tokenization",
            "ML-DSA-44 Signing",
            "ML-DSA-65 Signing",
            "ML-DSA-87 Signing",
            "RSA 2048 Signing",
            "RSA 3072 Signing",
            "RSA 4096 Signing",
        ]
    );
    assert_eq!((&response["total"], &response["page"], &response["pageSize"]), (&13.into(), &1.into(), &10_000.into()));
}

#[tokio::test]
async fn search_page_and_page_size_are_members_of_the_body() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let reply = client.post(PATH, json!({"search": "rsa 20", "unknown": 1})).await;
    assert_eq!(
        reply.response(),
        &json!({
            "results": [{
                "objInfo": {"name": "RSA 2048 Signing", "uuid": "00000000-0000-0000-6b74-000000000001"},
                "parameters": {"keyAlgorithm": "Rsa", "keySize": 2048},
                "usages": ["Sign"],
                "system": true,
            }],
            "total": 1,
            "page": 1,
            "pageSize": 10_000,
        })
    );
    let reply = client.post(PATH, json!({"search": "signing", "page": 2, "pageSize": 3})).await;
    let response = reply.response();
    assert_eq!((&response["total"], &response["results"].as_array().unwrap().len()), (&10.into(), &3));
    assert_eq!(response["results"][0]["objInfo"]["name"], "Ed25519 Signing");
    let ec = client.post(PATH, json!({"search": "P-384"})).await;
    let parameters = &ec.response()["results"][0]["parameters"];
    assert_eq!(parameters, &json!({"keyAlgorithm": "Ec", "keySize": 384, "curve": "P-384"}));
}

#[tokio::test]
async fn a_bad_body_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    for (body, error, field) in [
        (json!({"page": 0}), "InvalidValue", Some("/page")),
        (json!({"pageSize": 0}), "InvalidValue", Some("/pageSize")),
        (json!({"pageSize": 1001}), "InvalidValue", Some("/pageSize")),
        (json!({"page": "1"}), "ArgumentParseError", Some("/page")),
        (json!({"search": 1}), "ArgumentParseError", Some("/search")),
        (json!([1]), "ArgumentParseError", None),
    ] {
        client.post(PATH, body).await.refused(400, error, field);
    }
    client.send("POST", PATH, None, vec![b'{', 0xff, b'}']).await.refused(400, "ArgumentParseError", None);
    app.nobody().post(PATH, json!({})).await.refused(401, "InvalidAuthToken", None);
}
