//! POST /api/v2/token-profiles/{uuid}/tokenize.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Bench, FOREIGN_ROLE, NOTHING, OTHER_OWN_ROLE};
use crate::client::Reply;

#[tokio::test]
async fn a_card_number_becomes_another_one_with_the_same_last_digits() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let reply = profile.call("tokenize", json!({"message": "4111 1111-1111 1111"})).await;
    let token = reply.response()["token"].as_str().unwrap();
    assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.TokenizationResponse", "token": token}));
    assert!(token.ends_with(" 1111") && token.as_bytes()[9] == b'-', "{token}");
    assert_eq!(profile.tokenize("4111 1111-1111 1111").await, token, "deterministic without an iv");
}

#[tokio::test]
async fn with_an_iv_the_same_message_has_many_tokens() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"useIv": true})).await;
    let body = json!({"message": "4111111111111111"});
    let (one, two) = (profile.call("tokenize", body.clone()).await, profile.call("tokenize", body).await);
    assert_ne!(one.response()["token"], two.response()["token"]);
    for reply in [one, two] {
        assert_eq!(reply.response()["iv"].as_str().unwrap().len(), 24, "16 bytes in base64");
        let body = json!({"token": reply.response()["token"], "iv": reply.response()["iv"]});
        let reply = profile.call("detokenize", body).await;
        assert_eq!(reply.response()["message"], "4111111111111111");
    }
}

#[tokio::test]
async fn refuses_what_is_not_of_the_format_and_never_repeats_it() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for message in ["", "411111111111", "41111111111111111111", "4111 1111 1111 111x", "4111111111111112", "4111_1111"]
    {
        let reply = profile.call("tokenize", json!({"message": message})).await;
        reply.refused(400, "InvalidValue", Some("/message"));
        assert!(message.is_empty() || !reply.text().contains(message), "{}", reply.text());
    }
    let large = "-".repeat(65_537);
    let reply = profile.call("tokenize", json!({"message": large})).await;
    reply.refused(413, "LimitExceeded", Some("/message"));
    let reply = profile.call("tokenize", json!({"message": large[1..]})).await;
    reply.refused(400, "InvalidValue", Some("/message"));
}

#[tokio::test]
async fn a_body_that_is_not_as_described_is_an_argument_parse_error() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    profile.call("tokenize", json!({})).await.refused(400, "ArgumentParseError", Some("/message"));
    profile.call("tokenize", json!({"message": 4_111})).await.refused(400, "ArgumentParseError", Some("/message"));
    profile.call("tokenize", json!({"message": null})).await.refused(400, "ArgumentParseError", Some("/message"));
    profile.call("tokenize", json!(["4111111111111111"])).await.refused(400, "ArgumentParseError", None);
    let path = profile.path("tokenize");
    for body in [&b"{"[..], b"", b"{\"message\":\"\xff\"}", b"{\"message\":\"a\",\"message\":\"b\"}"] {
        let reply = bench.admin.send("POST", &path, None, body.to_vec()).await;
        assert_eq!((reply.status.as_u16(), &reply.json["errorCode"]), (400, &json!("ArgumentParseError")));
    }
    let reply = bench.admin.send("POST", &path, Some("text/plain"), "{}").await;
    reply.refused(415, "ArgumentParseError", None);
}

#[tokio::test]
async fn needs_a_rule_for_one_of_the_callers_roles() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"controlRules": []})).await;
    let body = json!({"message": "4111111111111111"});
    profile.call("tokenize", body.clone()).await.refused(403, "NotAuthorized", None);
    profile.allow(&["Detokenize", "Batch"]).await;
    profile.call("tokenize", body.clone()).await.refused(403, "NotAuthorized", None);
    let rule = |role| json!({"controlRules": [{"roleUuid": role, "operation": "Tokenize"}]});
    profile.patch(rule(FOREIGN_ROLE)).await.response();
    profile.call("tokenize", body.clone()).await.refused(403, "NotAuthorized", None);
    profile.patch(rule(OTHER_OWN_ROLE)).await.response();
    profile.call("tokenize", body).await.response();
}

#[tokio::test]
async fn the_key_must_allow_it_and_be_enabled() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let key = format!("/api/v2/keys/{}", bench.key);
    let body = json!({"message": "4111111111111111"});
    bench.admin.patch(&key, json!({"usages": ["Detokenize"]})).await.response();
    profile.call("tokenize", body.clone()).await.refused(403, "NotAuthorized", None);
    bench.admin.patch(&key, json!({"usages": ["Tokenize"]})).await.response();
    profile.call("tokenize", body.clone()).await.response();
    bench.admin.post_nothing(&format!("{key}/disable")).await.response();
    profile.call("tokenize", body.clone()).await.refused(409, "InvalidState", None);
    bench.admin.post_nothing(&format!("{key}/enable")).await.response();
    profile.call("tokenize", body).await.response();
}

#[tokio::test]
async fn checks_come_in_the_interfaces_order() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"controlRules": []})).await;
    let path = profile.path("tokenize");
    let nobody = bench.app.nobody();
    nobody.post(&path.replace(&profile.id, "no-uuid"), json!([])).await.refused(401, "InvalidAuthToken", None);
    let no_uuid = path.replace(&profile.id, "no-uuid");
    let reply = bench.admin.send("POST", &no_uuid, Some("text/plain"), "").await;
    reply.refused(404, "InvalidSelection", None);
    let nothing = path.replace(&profile.id, NOTHING);
    bench.admin.post(&nothing, json!([])).await.refused(400, "ArgumentParseError", None);
    bench.admin.post(&nothing, json!({"message": "x"})).await.refused(404, "InvalidSelection", None);
    profile.call("tokenize", json!({"message": "x"})).await.refused(403, "NotAuthorized", None);
    bench.admin.get(&path).await.refused(405, "InvalidSelection", None);
}

#[tokio::test]
async fn calls_are_counted_in_the_audit_records_without_their_values() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for message in ["4111111111111111", "378282246310005", "4111111111111112"] {
        profile.call("tokenize", json!({"message": message})).await;
    }
    profile.call("batch-tokenize", json!({"messages": ["4111111111111111", "378282246310005"]})).await.response();
    profile.allow(&[]).await;
    profile.call("tokenize", json!({"message": "4111111111111111"})).await.refused(403, "NotAuthorized", None);
    let path = format!("/api/v2/audit?objectUuid={}", profile.id);
    let app = bench.app.restarted().await;
    let reply = app.admin().await.get(&path).await;
    let items = reply.response()["items"].as_array().unwrap();
    // What is counted is written each second, so calls that belong together may be in several records.
    let counted = |action: &str, outcome: &str| {
        let found: Vec<_> =
            items.iter().filter(|item| item["action"] == action && item["outcome"] == outcome).collect();
        let sum = |number: &dyn Fn(&Value) -> Option<i64>| found.iter().map(|item| number(item)).sum::<Option<i64>>();
        let (count, values) = (sum(&|item| item["count"].as_i64()), sum(&|item| item["detail"]["values"].as_i64()));
        found.first().map(|item| (count, values, item["identities"].clone()))
    };
    let (count, values, identities) = counted("Tokenize", "Success").unwrap();
    assert_eq!((count, values), (Some(2), Some(2)));
    assert_eq!((&identities[0]["name"], &identities[1]["name"]), (&json!("Admin1"), &json!("Admin2")));
    assert_eq!(counted("Tokenize", "InvalidValue").unwrap().0, Some(1));
    assert_eq!(counted("Tokenize", "NotAuthorized").unwrap().0, Some(1));
    assert_eq!(counted("BatchTokenize", "Success").map(|(count, values, _)| (count, values)), Some((Some(1), Some(2))));
    assert!(counted("TokenProfileCreate", "Success").is_some() && counted("ControlRulesChange", "Success").is_some());
    assert!(!reply.text().contains("41111111") && !reply.text().contains("37828224"), "{}", reply.text());
}

#[tokio::test]
async fn an_application_works_by_control_rules_alone() {
    let bench = Bench::new().await;
    let role = json!({"name": "payments", "loginsRequired": 1, "perms": []});
    let role = bench.admin.post("/api/v2/roles", role).await.response()["uuid"].clone();
    // base64 of `correct horse battery`.
    let password = "Y29ycmVjdCBob3JzZSBiYXR0ZXJ5";
    let identity = json!({"name": "shop", "kind": "Application", "roleUuids": [role], "password": password});
    bench.admin.post("/api/v2/identities", identity).await.response();
    let rules = json!([
        {"roleUuid": role, "operation": "Tokenize"},
        {"roleUuid": role, "operation": "PartialDetokenize", "reveal": 4},
    ]);
    let profile = bench.profile(json!({"controlRules": rules})).await;
    let shop = bench.app.logged_in(&[("shop", "correct horse battery")]).await;
    let reply = shop.post(&profile.path("tokenize"), json!({"message": "4111111111111111"})).await;
    let reply = shop.post(&profile.path("detokenize"), json!({"token": reply.response()["token"]})).await;
    assert_eq!(reply.response()["message"], "************1111");
    shop.post(&profile.path("batch-tokenize"), json!({"messages": []})).await.refused(403, "NotAuthorized", None);
    shop.get(&profile.path("")).await.refused(403, "NotAuthorized", None);
    shop.patch(&profile.path("permissions"), json!({"controlRules": []})).await.refused(403, "NotAuthorized", None);
    shop.delete(&profile.path("")).await.refused(403, "NotAuthorized", None);
    shop.get("/api/v2/token-profiles/stubs").await.response();
    profile.call("tokenize", json!({"message": "4111111111111111"})).await.refused(403, "NotAuthorized", None);
}

/// A path that is written in another way takes the router, others go round it.
#[tokio::test]
async fn both_ways_to_a_call_answer_the_same() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let token = profile.tokenize("4111111111111111").await;
    let json = Some("application/json");
    let seen = |reply: Reply| {
        let mut body = reply.json;
        assert!(body["response"]["requestId"].take().is_null() || reply.status != 200);
        let values = reply.headers.into_iter().filter_map(|(name, value)| name.map(|name| (name.to_string(), value)));
        let (mut ids, headers): (Vec<_>, Vec<_>) = values.partition(|(name, _)| name == "x-request-id");
        assert_eq!(ids.pop().map(|(_, id)| id.len()), Some(32));
        // The router writes down the length that the transport would write.
        let headers = headers.into_iter().filter(|(name, _)| name != "content-length");
        (reply.status, body, headers.collect::<BTreeMap<_, _>>())
    };
    for (verb, content_type, body) in [
        ("tokenize", json, json!({"message": "4111111111111111"}).to_string()),
        ("tokenize", json, json!({"message": "4111111111111112"}).to_string()),
        ("tokenize", Some("text/plain"), "{}".to_owned()),
        ("tokenize", json, " ".repeat(1024 * 1024 + 1)),
        ("detokenize", json, json!({"token": token}).to_string()),
        ("detokenize", json, json!({"token": 1}).to_string()),
    ] {
        for client in [&bench.admin, &bench.app.nobody(), &bench.admin.with_cookie_alone()] {
            let straight = profile.path(verb);
            let escaped =
                straight.replace(&profile.id, &format!("%{:x}{}", profile.id.as_bytes()[0], &profile.id[1..]));
            let straight = client.send("POST", &straight, content_type, body.clone()).await;
            let escaped = client.send("POST", &escaped, content_type, body.clone()).await;
            assert_eq!(seen(straight), seen(escaped), "{verb} {content_type:?}");
        }
    }
}

/// Every connection has room for it, which each call fills anew.
#[tokio::test]
async fn the_future_of_a_call_is_small() {
    let bytes = Bench::new().await.admin.bytes_of_a_call();
    assert!(bytes <= 2_048, "{bytes}");
}
