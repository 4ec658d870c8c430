//! Hmac profiles: one way.

use serde_json::json;

use super::{Bench, OWN_ROLE, new_key, texts};

#[tokio::test]
async fn the_same_message_has_the_same_token() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "Hmac", json!({})).await;
    let token = profile.tokenize("somebody@example.com").await;
    assert_eq!((token.len(), &token[..5]), (48, "AAAAA"));
    assert_eq!(profile.tokenize("somebody@example.com").await, token);
    let batch = profile.call("batch-tokenize", json!({"messages": ["a", "somebody@example.com"]})).await;
    assert_eq!(batch.response()["tokens"][1], json!(token));
}

#[tokio::test]
async fn nobody_may_detokenize_whatever_the_rules_say() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "Hmac", json!({})).await;
    let token = profile.tokenize("message").await;
    let calls = [
        ("detokenize", json!({"token": token})),
        ("batch-detokenize", json!({"tokens": [token]})),
        ("track-detokenize", json!({"track": ";4111111111111111=2912?"})),
    ];
    for (call, body) in &calls {
        profile.call(call, body.clone()).await.refused(403, "NotAuthorized", None);
    }
    let partial = json!([{"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 1}]);
    profile.patch(json!({"controlRules": partial})).await.response();
    profile.call("detokenize", json!({"token": token})).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn each_algorithm_has_its_kind_of_key() {
    let bench = Bench::new().await;
    let hmac = new_key(&bench.admin, "hmac", "HMAC-SHA-256 Tokenization").await;
    let aes_128 = new_key(&bench.admin, "aes 128", "AES-128 Tokenization").await;
    for (algorithm, key) in [("Hmac", &bench.key), ("AesSiv", &hmac), ("AesGcm", &hmac), ("AesGcm", &aes_128)] {
        let body = json!({
            "objInfo": {"name": "mismatch"}, "algorithm": algorithm, "keyUuid": key, "useIv": algorithm == "AesGcm",
        });
        let reply = bench.admin.post("/api/v2/token-profiles", body).await;
        reply.refused(400, "InvalidValue", Some("/keyUuid"));
    }
    bench.profile(json!({})).await;
    let body = json!({"objInfo": {"name": "second"}, "algorithm": "AesSiv", "keyUuid": bench.key});
    let reply = bench.admin.post("/api/v2/token-profiles", body).await;
    reply.refused(400, "InvalidValue", Some("/keyUuid"));
}
