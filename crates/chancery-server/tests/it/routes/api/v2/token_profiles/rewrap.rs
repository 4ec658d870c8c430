//! POST /api/v2/token-profiles/{uuid}/rewrap.

use serde_json::{Value, json};

use super::{Bench, OWN_ROLE, batch_tokenize::numbers, rotate, rules, texts};

const CARD: &str = "4111111111111111";

#[tokio::test]
async fn tokens_that_tell_their_version_are_moved_and_moved_again_stay() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": {"luhn": "Ignore", "versionPrefix": 2}})).await;
    let messages = numbers(2_500);
    let old = profile.call("batch-tokenize", json!({"messages": messages})).await.response()["tokens"].clone();
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    let expected = profile.call("batch-tokenize", json!({"messages": messages})).await.response()["tokens"].clone();
    let reply = profile.call("rewrap", json!({"tokens": old})).await;
    assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.RewrapResponse", "tokens": expected, "keyVersion": 2}));
    let mixture = json!({"tokens": [old[0], expected[1]]});
    let reply = profile.call("rewrap", mixture).await;
    assert_eq!(reply.response()["tokens"], json!([expected[0], expected[1]]));
    profile.patch(json!({"minDecryptVersion": 2})).await.response();
    let reply = profile.call("rewrap", json!({"tokens": [old[0]]})).await;
    reply.refused(400, "InvalidValue", Some("/tokens"));
}

#[tokio::test]
async fn an_iv_stays_what_it_is() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesGcm", json!({})).await;
    let old = profile.call("batch-tokenize", json!({"messages": ["one", "two"]})).await.response().clone();
    rotate(&bench.admin, profile.read().await["keyUuid"].as_str().unwrap()).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    let body = json!({"tokens": old["tokens"], "ivs": old["ivs"]});
    let new = profile.call("rewrap", body).await.response().clone();
    assert_eq!(new["ivs"], old["ivs"]);
    assert_ne!(new["tokens"], old["tokens"]);
    let body = json!({"tokens": new["tokens"], "ivs": new["ivs"]});
    assert_eq!(profile.call("rewrap", body.clone()).await.response(), &new);
    let reply = profile.call("batch-detokenize", body).await;
    assert_eq!(reply.response()["messages"], json!(["one", "two"]));
    let without = json!({"tokens": old["tokens"]});
    profile.call("rewrap", without).await.refused(400, "ArgumentParseError", Some("/ivs"));
    let swapped = json!({"tokens": ["AAAA", old["tokens"][1]], "ivs": old["ivs"], "partial": true});
    let reply = profile.call("rewrap", swapped).await;
    assert_eq!(reply.response()["tokens"], json!([null, new["tokens"][1]]));
    assert_eq!(reply.response()["ivs"], json!([null, new["ivs"][1]]));
    assert_eq!(reply.response()["errors"][0]["index"], 0);
}

#[tokio::test]
async fn tokens_that_do_not_tell_their_version_need_it() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let old = profile.tokenize(CARD).await;
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    let body = json!({"tokens": [old]});
    profile.call("rewrap", body).await.refused(400, "ArgumentParseError", Some("/keyVersion"));
    let body = json!({"tokens": [old], "keyVersion": 3});
    profile.call("rewrap", body).await.refused(400, "InvalidValue", Some("/keyVersion"));
    let reply = profile.call("rewrap", json!({"tokens": [old], "keyVersion": 1})).await;
    assert_eq!(reply.response()["tokens"], json!([profile.tokenize(CARD).await]));
    let body = json!({"tokens": ["no token", old], "keyVersion": 1});
    let reply = profile.call("rewrap", body.clone()).await;
    reply.refused(400, "InvalidValue", Some("/tokens"));
    let reply = profile.call("rewrap", json!({"tokens": []})).await;
    reply.refused(400, "ArgumentParseError", Some("/keyVersion"));
}

#[tokio::test]
async fn it_needs_full_rules_for_both_ways_and_for_batches() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesSiv", json!({})).await;
    let body = json!({"tokens": [profile.tokenize("message").await]});
    for operations in [["Tokenize", "Detokenize"], ["Tokenize", "Batch"], ["Detokenize", "Batch"]] {
        profile.allow(&operations).await;
        profile.call("rewrap", body.clone()).await.refused(403, "NotAuthorized", None);
    }
    let mut partial = rules(&["Tokenize", "Batch"]);
    partial.as_array_mut().unwrap().push(json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4}));
    profile.patch(json!({"controlRules": partial})).await.response();
    profile.call("rewrap", body.clone()).await.refused(403, "NotAuthorized", None);
    profile.allow(&["Tokenize", "Detokenize", "Batch"]).await;
    profile.call("rewrap", body.clone()).await.response();
    let key = profile.read().await["keyUuid"].as_str().unwrap().to_owned();
    for usages in [json!(["Tokenize"]), json!(["Detokenize"])] {
        bench.admin.patch(&format!("/api/v2/keys/{key}"), json!({"usages": usages})).await.response();
        profile.call("rewrap", body.clone()).await.refused(403, "NotAuthorized", None);
    }
    let hmac = texts(&bench, "Hmac", json!({})).await;
    hmac.call("rewrap", json!({"tokens": [hmac.tokenize("message").await]})).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn a_bad_call_is_refused() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for (body, field) in [
        (json!({}), "/tokens"),
        (json!({"tokens": "one"}), "/tokens"),
        (json!({"tokens": [null]}), "/tokens/0"),
        (json!({"tokens": [], "keyVersion": "1"}), "/keyVersion"),
        (json!({"tokens": [], "partial": 1}), "/partial"),
    ] {
        profile.call("rewrap", body).await.refused(400, "ArgumentParseError", Some(field));
    }
    let many = vec![Value::from(CARD); 100_001];
    profile.call("rewrap", json!({"tokens": many})).await.refused(413, "LimitExceeded", Some("/tokens"));
}
