//! POST /api/v2/token-profiles/{uuid}/detokenize.

use serde_json::{Value, json};

use super::{Bench, OTHER_OWN_ROLE, OWN_ROLE, changed};

#[tokio::test]
async fn a_token_becomes_its_message_again() {
    let bench = Bench::new().await;
    for (luhn, message) in
        [("Valid", "4111-1111 1111-1111"), ("Invalid", "378282246310005"), ("Ignore", "4111111111111112")]
    {
        let profile = bench.profile(json!({"objInfo": {"name": luhn}, "format": {"luhn": luhn}})).await;
        let token = profile.tokenize(message).await;
        let reply = profile.call("detokenize", json!({"token": token})).await;
        let expected = json!({"@type": "api.v2.dp.DetokenizationResponse", "message": message});
        assert_eq!(reply.response(), &expected);
    }
}

#[tokio::test]
async fn refuses_what_is_no_token() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for token in ["", "411111111111", "41111111111111111111", "4111 1111 1111 111x", "4111111111111112"] {
        let reply = profile.call("detokenize", json!({"token": token})).await;
        reply.refused(400, "InvalidValue", Some("/token"));
    }
    profile.call("detokenize", json!({})).await.refused(400, "ArgumentParseError", Some("/token"));
    let ranked = json!({"keepTrailing": 0, "luhn": "Ignore", "passThrough": "", "minLength": 6, "maxLength": 9,
        "tokenLength": 16});
    let ranked = bench.profile(json!({"objInfo": {"name": "ranked"}, "format": ranked})).await;
    let token = ranked.tokenize("000123").await;
    assert_eq!(token.len(), 16);
    assert_eq!(ranked.call("detokenize", json!({"token": token})).await.response()["message"], "000123");
    let reply = ranked.call("detokenize", json!({"token": "0000000000000000"})).await;
    reply.refused(400, "InvalidValue", Some("/token"));
}

#[tokio::test]
async fn the_iv_is_needed_where_there_is_one_and_nowhere_else() {
    let bench = Bench::new().await;
    let with = bench.profile(json!({"useIv": true})).await;
    let without = bench.profile(json!({"objInfo": {"name": "without"}})).await;
    let iv = "AAAAAAAAAAAAAAAAAAAAAA==";
    let body = json!({"token": "4111111111111111"});
    with.call("detokenize", body.clone()).await.refused(400, "ArgumentParseError", Some("/iv"));
    for (bad, code) in
        [("AAAA", "InvalidValue"), ("", "InvalidValue"), ("*", "ArgumentParseError"), ("A", "ArgumentParseError")]
    {
        let reply = with.call("detokenize", changed(body.clone(), &json!({"iv": bad}))).await;
        reply.refused(400, code, Some("/iv"));
    }
    with.call("detokenize", changed(body.clone(), &json!({"iv": iv}))).await.response();
    without.call("detokenize", changed(body.clone(), &json!({"iv": iv}))).await.refused(
        400,
        "InvalidValue",
        Some("/iv"),
    );
    without.call("detokenize", changed(body, &json!({"iv": null}))).await.response();
}

fn partial(role: &str, reveal: u32) -> Value {
    json!({"roleUuid": role, "operation": "PartialDetokenize", "reveal": reveal})
}

#[tokio::test]
async fn a_partial_rule_masks_and_the_most_revealing_one_applies() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"controlRules": [{"roleUuid": OWN_ROLE, "operation": "Tokenize"}]})).await;
    let token = profile.tokenize("4111 1111-1111 1111").await;
    let rules = |rules: &[Value]| json!({"controlRules": rules});
    for (rules, message) in [
        (rules(&[partial(OWN_ROLE, 4)]), "**** ****-**** 1111"),
        (rules(&[partial(OWN_ROLE, 4), partial(OTHER_OWN_ROLE, 6)]), "**** ****-**11 1111"),
        (rules(&[partial(OWN_ROLE, 0)]), "**** ****-**** ****"),
        (
            rules(&[changed(partial(OWN_ROLE, 6), &json!({"revealFrom": "Start", "maskChar": "x"}))]),
            "4111 11xx-xxxx xxxx",
        ),
        (
            rules(&[partial(OWN_ROLE, 6), json!({"roleUuid": OTHER_OWN_ROLE, "operation": "Detokenize"})]),
            "4111 1111-1111 1111",
        ),
    ] {
        profile.patch(rules).await.response();
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], message);
    }
}

#[tokio::test]
async fn masks_by_name_show_what_they_say() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": {"keepTrailing": 0}})).await;
    let token = profile.tokenize("4012-8888-8888-1881").await;
    let masked = |role: &str, mask: &str| json!({"roleUuid": role, "operation": "PartialDetokenize", "mask": mask});
    let mut seen = Vec::new();
    for (rules, message) in [
        (vec![masked(OWN_ROLE, "FirstOne")], "4***-****-****-****"),
        (vec![masked(OWN_ROLE, "FirstSix")], "4012-88**-****-****"),
        (vec![masked(OWN_ROLE, "FirstSixLastFour")], "4012-88**-****-1881"),
        (vec![masked(OWN_ROLE, "LastTwo")], "****-****-****-**81"),
        (vec![masked(OWN_ROLE, "LastFour")], "****-****-****-1881"),
        (vec![masked(OWN_ROLE, "FirstAndLast")], "4***-****-****-***1"),
        (vec![masked(OWN_ROLE, "EmailDomain")], "****-****-****-****"),
        (vec![changed(masked(OWN_ROLE, "LastFour"), &json!({"maskChar": "x"}))], "xxxx-xxxx-xxxx-1881"),
        // Several of one role and of several: the one that reveals most, and never two of them put together.
        (vec![masked(OWN_ROLE, "LastFour"), masked(OWN_ROLE, "FirstSix")], "4012-88**-****-****"),
        (vec![masked(OWN_ROLE, "LastTwo"), masked(OTHER_OWN_ROLE, "FirstOne")], "****-****-****-**81"),
        (vec![masked(OWN_ROLE, "FirstOne"), partial(OTHER_OWN_ROLE, 7)], "****-****-*888-1881"),
        // What two see between them would leave two symbols.
        (vec![masked(OWN_ROLE, "FirstSix"), partial(OTHER_OWN_ROLE, 7)], "****-****-****-****"),
    ] {
        profile.patch(json!({"controlRules": rules})).await.response();
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], message, "{rules:?}");
        seen.push(profile.read().await["controlRules"] == json!(rules));
    }
    assert!(seen.iter().all(|same| *same), "rules are read as they were written: {seen:?}");
}

#[tokio::test]
async fn a_value_not_longer_than_what_is_revealed_reveals_nothing() {
    let bench = Bench::new().await;
    let format = json!({"minLength": 6, "keepTrailing": 0, "luhn": "Ignore"});
    let rules = json!([{"roleUuid": OWN_ROLE, "operation": "Tokenize"}, partial(OWN_ROLE, 8)]);
    let profile = bench.profile(json!({"format": format, "controlRules": rules})).await;
    for (message, shown) in [
        ("123456", "******"),
        ("1234-5678", "****-****"),
        ("123456789", "*********"),
        ("123456789012", "************"),
        ("1234567890123", "*****67890123"),
    ] {
        let token = profile.tokenize(message).await;
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], shown);
    }
}

#[tokio::test]
async fn what_a_token_keeps_and_a_check_digit_tells_is_not_hidden() {
    let bench = Bench::new().await;
    let from_start = |reveal: u32| changed(partial(OWN_ROLE, reveal), &json!({"revealFrom": "Start"}));
    let rules = |reveal: u32| json!([{"roleUuid": OWN_ROLE, "operation": "Tokenize"}, from_start(reveal)]);
    // The last four are in the token and one digit follows from the others: nine more leave five digits of nineteen.
    let profile = bench.profile(json!({"controlRules": rules(9)})).await;
    for (message, shown) in [
        ("4111111111111111", "****************"),
        ("4111 1111 1111 1111", "**** **** **** ****"),
        ("4111111111111111110", "411111111**********"),
    ] {
        let token = profile.tokenize(message).await;
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], shown);
    }
    // One more would leave too few of the longest, too.
    let member = Some("/controlRules/1/reveal");
    profile.patch(json!({"controlRules": rules(10)})).await.refused(400, "InvalidValue", member);
    profile.patch(json!({"format": {"maxLength": 18}})).await.refused(400, "InvalidValue", member);
    let path = profile.path("permissions");
    bench.admin.patch(&path, json!({"controlRules": rules(11)})).await.refused(400, "InvalidValue", member);
    bench.create(json!({"controlRules": rules(11)})).await.refused(400, "InvalidValue", member);
}

#[tokio::test]
async fn needs_a_rule_and_a_key_that_allows_it() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let token = json!({"token": profile.tokenize("4111111111111111").await});
    profile.allow(&["Tokenize", "Batch"]).await;
    profile.call("detokenize", token.clone()).await.refused(403, "NotAuthorized", None);
    profile.allow(&["Detokenize"]).await;
    profile.call("detokenize", token.clone()).await.response();
    let key = format!("/api/v2/keys/{}", bench.key);
    bench.admin.patch(&key, json!({"usages": ["Tokenize"]})).await.response();
    profile.call("detokenize", token.clone()).await.refused(403, "NotAuthorized", None);
    bench.admin.patch(&key, json!({"usages": ["Detokenize"]})).await.response();
    profile.call("detokenize", token.clone()).await.response();
    bench.admin.post_nothing(&format!("{key}/disable")).await.response();
    profile.call("detokenize", token).await.refused(409, "InvalidState", None);
}
