//! POST /api/v2/token-profiles/{uuid}/batch-tokenize.

use serde_json::{Value, json};

use super::Bench;
use crate::app::Setup;

/// So many different card numbers without check digits.
pub(super) fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{:016}", 4_000_000_000_000_000 + number as u64 * 7_919)).collect()
}

#[tokio::test]
async fn tokens_come_in_the_order_of_the_messages_and_equal_single_ones() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": {"luhn": "Ignore"}})).await;
    // More than one job.
    let messages = numbers(12_345);
    let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
    let response = reply.response();
    assert_eq!(response["@type"], "api.v2.dp.BatchTokenizationResponse");
    assert_eq!(response.as_object().unwrap().len(), 2, "neither ivs nor errors");
    let tokens = response["tokens"].as_array().unwrap();
    assert_eq!(tokens.len(), messages.len());
    for index in [0, 6_172, 6_173, 12_344] {
        assert_eq!(tokens[index], profile.tokenize(&messages[index]).await);
    }
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens})).await;
    assert_eq!(reply.response()["messages"], json!(messages));
}

#[tokio::test]
async fn an_empty_batch_has_an_empty_answer_and_uses_nothing() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let reply = profile.call("batch-tokenize", json!({"messages": []})).await;
    assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.BatchTokenizationResponse", "tokens": []}));
    profile.call("batch-tokenize", json!({"messages": ["no"], "partial": true})).await.response();
    profile.patch(json!({"format": {"minLength": 14}})).await.response();
    let profile = bench.profile(json!({"objInfo": {"name": "iv"}, "useIv": true})).await;
    let reply = profile.call("batch-tokenize", json!({"messages": []})).await;
    assert_eq!(reply.response()["ivs"], json!([]));
}

#[tokio::test]
async fn one_bad_value_fails_the_call_unless_partial() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"useIv": true})).await;
    let messages = json!(["4111111111111111", "x", "4111111111111112", "378282246310005"]);
    let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
    reply.refused(400, "InvalidValue", Some("/messages"));
    let errors = reply.json["response"]["errors"].clone();
    assert_eq!((&errors[0]["index"], &errors[1]["index"], errors.as_array().unwrap().len()), (&json!(1), &json!(2), 2));
    assert_eq!(errors[0]["errorCode"], "InvalidValue");
    assert!(!reply.text().contains("4111111111111112"), "{}", reply.text());
    let reply = profile.call("batch-tokenize", json!({"messages": messages, "partial": true})).await;
    let response = reply.response();
    assert_eq!(response["errors"], errors);
    for (index, bad) in [false, true, true, false].into_iter().enumerate() {
        assert_eq!((response["tokens"][index].is_null(), response["ivs"][index].is_null()), (bad, bad), "{index}");
    }
}

#[tokio::test]
async fn a_hundred_errors_are_told() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let body = json!({"messages": vec!["no"; 3_000], "partial": true});
    let reply = profile.call("batch-tokenize", body).await;
    let errors = reply.response()["errors"].as_array().unwrap();
    assert_eq!((errors.len(), &errors[99]["index"]), (100, &json!(99)));
    assert_eq!(reply.response()["tokens"], json!(vec![Value::Null; 3_000]));
}

#[tokio::test]
async fn a_value_too_large_is_told_as_such() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let body = json!({"messages": ["4111111111111111", "-".repeat(65_537)]});
    let reply = profile.call("batch-tokenize", body).await;
    reply.refused(413, "LimitExceeded", Some("/messages"));
    assert_eq!(reply.json["response"]["errors"][0]["errorCode"], "LimitExceeded");
}

#[tokio::test]
async fn what_is_no_array_of_strings_is_an_argument_parse_error() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for (messages, field) in [
        (json!("4111111111111111"), "/messages"),
        (json!(null), "/messages"),
        (json!(["4111111111111111", 1]), "/messages/1"),
        (json!([null]), "/messages/0"),
    ] {
        let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
        reply.refused(400, "ArgumentParseError", Some(field));
    }
    profile.call("batch-tokenize", json!({})).await.refused(400, "ArgumentParseError", Some("/messages"));
    let reply = profile.call("batch-tokenize", json!({"messages": [], "partial": "yes"})).await;
    reply.refused(400, "ArgumentParseError", Some("/partial"));
}

#[tokio::test]
async fn needs_rules_for_batch_and_for_tokenize() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let body = json!({"messages": ["4111111111111111"]});
    for operations in [&["Tokenize"][..], &["Batch"], &["Batch", "Detokenize"]] {
        profile.allow(operations).await;
        profile.call("batch-tokenize", body.clone()).await.refused(403, "NotAuthorized", None);
    }
    profile.allow(&["Tokenize", "Batch"]).await;
    profile.call("batch-tokenize", body).await.response();
}

#[tokio::test]
async fn limits_are_exact() {
    let mut setup = Setup::default();
    assert_eq!(setup.limits.batch_values_max, 100_000);
    setup.limits.batch_values_max = 100;
    setup.limits.batch_work_max = 30 * 100;
    let bench = Bench::with(setup).await;
    let profile = bench.profile(json!({"format": {"luhn": "Ignore"}})).await;
    profile.call("batch-tokenize", json!({"messages": numbers(100)})).await.response();
    let reply = profile.call("batch-tokenize", json!({"messages": numbers(101)})).await;
    reply.refused(413, "LimitExceeded", Some("/messages"));
    let long = json!({"alphabet": "Decimal", "maxLength": 512, "passThrough": "", "luhn": "Ignore"});
    let profile = bench.profile(json!({"objInfo": {"name": "long"}, "format": long})).await;
    let reply = profile.call("batch-tokenize", json!({"messages": ["1".repeat(512)]})).await;
    reply.refused(413, "LimitExceeded", Some("/messages"));
    profile.call("batch-tokenize", json!({"messages": ["1".repeat(200)]})).await.response();
}
