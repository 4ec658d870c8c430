//! POST /api/v2/token-profiles/{uuid}/batch-detokenize.

use serde_json::json;

use super::{Bench, OWN_ROLE, batch_tokenize::numbers};

#[tokio::test]
async fn messages_come_in_the_order_of_the_tokens() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": {"luhn": "Ignore"}})).await;
    let tokens = numbers(3);
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens})).await;
    let mut messages = Vec::new();
    for token in tokens {
        let single = profile.call("detokenize", json!({"token": token})).await;
        messages.push(single.response()["message"].clone());
    }
    assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.BatchDetokenizationResponse", "messages": messages}));
    let reply = profile.call("batch-detokenize", json!({"tokens": []})).await;
    assert_eq!(reply.response()["messages"], json!([]));
}

#[tokio::test]
async fn each_token_has_its_own_iv() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"useIv": true, "format": {"luhn": "Ignore"}})).await;
    let messages = numbers(2_100);
    let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
    let (tokens, ivs) = (&reply.response()["tokens"], &reply.response()["ivs"]);
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens, "ivs": ivs})).await;
    assert_eq!(reply.response()["messages"], json!(messages));
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens})).await;
    reply.refused(400, "ArgumentParseError", Some("/ivs"));
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens, "ivs": [ivs[0]]})).await;
    reply.refused(400, "InvalidValue", Some("/ivs"));
    let body = json!({"tokens": [tokens[0], tokens[1]], "ivs": ["AAAA", ivs[1]], "partial": true});
    let reply = profile.call("batch-detokenize", body).await;
    assert_eq!(reply.response()["messages"], json!([null, messages[1]]));
    assert_eq!(reply.response()["errors"][0]["errorCode"], "InvalidValue");
    let body = json!({"tokens": [tokens[0]], "ivs": ["*"]});
    profile.call("batch-detokenize", body).await.refused(400, "ArgumentParseError", Some("/ivs/0"));
    let without = bench.profile(json!({"objInfo": {"name": "without"}})).await;
    let reply = without.call("batch-detokenize", json!({"tokens": [], "ivs": []})).await;
    reply.refused(400, "InvalidValue", Some("/ivs"));
}

#[tokio::test]
async fn one_bad_token_fails_the_call_unless_partial() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let token = profile.tokenize("4111111111111111").await;
    let tokens = json!(["4111111111111112", token]);
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens})).await;
    reply.refused(400, "InvalidValue", Some("/tokens"));
    assert_eq!(reply.json["response"]["errors"][0]["index"], 0);
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens, "partial": true})).await;
    assert_eq!(reply.response()["messages"], json!([null, "4111111111111111"]));
}

#[tokio::test]
async fn a_partial_rule_masks_every_message() {
    let bench = Bench::new().await;
    let rules = json!([
        {"roleUuid": OWN_ROLE, "operation": "Tokenize"},
        {"roleUuid": OWN_ROLE, "operation": "Batch"},
        {"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4},
    ]);
    let profile = bench.profile(json!({"controlRules": rules})).await;
    let messages = json!(["4111111111111111", "378282246310005"]);
    let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
    let reply = profile.call("batch-detokenize", json!({"tokens": reply.response()["tokens"]})).await;
    assert_eq!(reply.response()["messages"], json!(["************1111", "***********0005"]));
}

#[tokio::test]
async fn needs_rules_for_batch_and_for_detokenize() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for operations in [&["Detokenize"][..], &["Batch"], &["Batch", "Tokenize"]] {
        profile.allow(operations).await;
        profile.call("batch-detokenize", json!({"tokens": []})).await.refused(403, "NotAuthorized", None);
    }
    profile.allow(&["Detokenize", "Batch"]).await;
    profile.call("batch-detokenize", json!({"tokens": []})).await.response();
}
