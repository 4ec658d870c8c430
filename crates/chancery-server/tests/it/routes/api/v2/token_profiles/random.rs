//! Profiles of the algorithm Random.

use serde_json::{Value, json};

use super::{Bench, Profile, rotate};
use crate::app::Setup;

pub(super) const CARD: &str = "4111 1111 1111 1111";

pub(super) async fn random(bench: &Bench, changes: Value) -> Profile<'_> {
    let mut members = json!({"objInfo": {"name": "random"}, "algorithm": "Random"});
    members.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    bench.profile(members).await
}

pub(super) async fn on_postgres() -> Bench {
    Bench::with(Setup { postgres: true, ..Setup::default() }).await
}

async fn tokens_are_random_and_come_back(bench: Bench) {
    let profile = random(&bench, json!({})).await;
    let token = profile.tokenize(CARD).await;
    assert_eq!((token.len(), &token[14..]), (19, " 1111"));
    assert_ne!(token, CARD);
    assert_eq!(profile.tokenize(CARD).await, token);
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.DetokenizationResponse", "message": CARD}));
    let messages = json!([CARD, "378282246310005", CARD, "5555555555554444"]);
    let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
    let tokens = reply.response()["tokens"].clone();
    assert_eq!((&tokens[0], &tokens[2]), (&json!(token), &json!(token)));
    assert_eq!(reply.response().as_object().unwrap().len(), 2, "neither ivs nor keyVersion nor errors");
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens})).await;
    assert_eq!(reply.response()["messages"], messages);
    let tokens = json!([token, "4222222222222", "x"]);
    profile.call("batch-detokenize", json!({"tokens": tokens})).await.refused(400, "InvalidValue", Some("/tokens"));
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens, "partial": true})).await;
    assert_eq!(reply.response()["messages"], json!([CARD, null, null]));
    assert_eq!(reply.response()["errors"][0]["message"], "There is no such token.");
    let reply = profile.call("track-tokenize", json!({"track": ";4111111111111111=2912?"})).await;
    let track = reply.response()["track"].clone();
    assert_ne!(track, ";4111111111111111=2912?");
    let reply = profile.call("track-detokenize", json!({"track": track})).await;
    assert_eq!(reply.response()["track"], ";4111111111111111=2912?");
}

#[tokio::test]
async fn tokens_are_random_and_come_back_on_sqlite() {
    tokens_are_random_and_come_back(Bench::new().await).await;
}

#[tokio::test]
async fn tokens_are_random_and_come_back_on_postgres() {
    tokens_are_random_and_come_back(on_postgres().await).await;
}

#[tokio::test]
async fn a_partial_rule_masks() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({})).await;
    let token = profile.tokenize(CARD).await;
    profile
        .patch(json!({"controlRules": [
        {"roleUuid": super::OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4}]}))
        .await
        .response();
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response()["message"], "**** **** **** 1111");
}

#[tokio::test]
async fn a_profile_says_what_it_keeps_and_what_it_thinks() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({"timeToLive": {"unit": "Month", "amount": "6"}})).await;
    let read = profile.read().await;
    assert_eq!((&read["deterministic"], &read["timeToLive"]["amount"]), (&json!(true), &json!("6")));
    assert_eq!(read["security"]["domainSize"], "100000000");
    assert!(read["security"]["notes"].to_string().contains("only 100000000 tokens"), "{read}");
    profile.patch(read.clone()).await.response();
    assert_eq!(profile.read().await, read, "what was read can be written back");
    profile.tokenize(CARD).await;
    // Nothing of this makes tokens unreadable.
    let reply = profile.patch(json!({"deterministic": false, "timeToLive": null})).await;
    assert_eq!(reply.response()["deterministic"], false);
    assert_eq!(reply.response().get("timeToLive"), None);
    profile.patch(json!({"format": {"keepTrailing": 0}})).await.refused(
        409,
        "InvalidState",
        Some("/format/keepTrailing"),
    );
    profile.patch(json!({"algorithm": "Ff1", "deterministic": null})).await.refused(
        409,
        "InvalidState",
        Some("/algorithm"),
    );
}

#[tokio::test]
async fn members_that_do_not_go_with_random() {
    let bench = Bench::new().await;
    let life = |unit: &str, amount: &str| json!({"timeToLive": {"unit": unit, "amount": amount}});
    for (members, code, field) in [
        (json!({"useIv": true}), "InvalidValue", "/useIv"),
        (json!({"format": {"versionPrefix": 1}}), "InvalidValue", "/format/versionPrefix"),
        (json!({"format": {"minLength": 5, "maxLength": 5, "keepTrailing": 4}}), "InvalidValue", "/format/minLength"),
        (life("Day", "0"), "InvalidValue", "/timeToLive/amount"),
        (life("Millisecond", "999"), "InvalidValue", "/timeToLive/amount"),
        (life("Year", "9000"), "InvalidValue", "/timeToLive/amount"),
        (life("Day", "one"), "InvalidValue", "/timeToLive/amount"),
        (life("Fortnight", "1"), "InvalidSelection", "/timeToLive/unit"),
        (json!({"deterministic": "yes"}), "ArgumentParseError", "/deterministic"),
    ] {
        let mut body = json!({"algorithm": "Random"});
        body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        bench.create(body).await.refused(400, code, Some(field));
    }
    for member in ["deterministic", "timeToLive"] {
        let body = json!({member: if member == "deterministic" { json!(true) } else { json!({"unit": "Day", "amount": "1"}) }});
        bench.create(body).await.refused(400, "InvalidValue", Some(&format!("/{member}")));
    }
    let cards = bench.profile(json!({})).await;
    for (member, value) in [("metadata", json!({})), ("expiresAt", json!("2030-01-01T00:00:00Z"))] {
        for (call, mut body) in
            [("tokenize", json!({"message": CARD})), ("batch-tokenize", json!({"messages": [CARD]}))]
        {
            body[member] = value.clone();
            cards.call(call, body).await.refused(400, "InvalidValue", Some(&format!("/{member}")));
        }
    }
}

#[tokio::test]
async fn metadata_and_end_of_a_token_have_limits() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({"timeToLive": {"unit": "Day", "amount": "2"}})).await;
    // {"k":"…"} has 8 bytes besides the text.
    let metadata = |bytes: usize| json!({"k": "x".repeat(bytes - 8)});
    for (body, field, status, code) in [
        (json!({"metadata": metadata(4_097)}), "/metadata", 413, "LimitExceeded"),
        (json!({"metadata": ["list"]}), "/metadata", 400, "ArgumentParseError"),
        (json!({"expiresAt": "tomorrow"}), "/expiresAt", 400, "ArgumentParseError"),
        (json!({"expiresAt": "2000-01-01T00:00:00Z"}), "/expiresAt", 400, "InvalidValue"),
        (json!({"expiresAt": "2200-01-01T00:00:00Z"}), "/expiresAt", 400, "InvalidValue"),
    ] {
        let mut body = body;
        body["message"] = json!(CARD);
        profile.call("tokenize", body.clone()).await.refused(status, code, Some(field));
        body["messages"] = json!([CARD]);
        profile.call("batch-tokenize", body).await.refused(status, code, Some(field));
    }
    profile.call("tokenize", json!({"message": CARD, "metadata": metadata(4_096)})).await.response();
}

#[tokio::test]
async fn a_small_format_is_refused_only_when_it_is_full() {
    let bench = Bench::new().await;
    let format = json!({"minLength": 1, "maxLength": 1, "keepTrailing": 0, "luhn": "Ignore"});
    let profile = random(&bench, json!({"deterministic": false, "format": format})).await;
    for _ in 0..9 {
        assert_ne!(profile.tokenize("5").await, "5");
    }
    profile.call("tokenize", json!({"message": "5"})).await.refused(409, "InvalidState", Some("/message"));
    let reply = profile.call("batch-tokenize", json!({"messages": ["5", "6"], "partial": true})).await;
    assert_eq!((&reply.response()["tokens"]), &json!([null, "5"]));
    assert_eq!(reply.response()["errors"][0]["errorCode"], "InvalidState");
}

#[tokio::test]
async fn tokens_outlive_a_rotation_and_say_their_version_themselves() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({})).await;
    let old = profile.tokenize(CARD).await;
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    assert_eq!(profile.tokenize(CARD).await, old, "the same message has its token still");
    let new = profile.tokenize("378282246310005").await;
    for (token, version, other) in [(&old, 1, 2), (&new, 2, 1)] {
        profile.call("detokenize", json!({"token": token})).await.response();
        profile.call("detokenize", json!({"token": token, "keyVersion": version})).await.response();
        let reply = profile.call("detokenize", json!({"token": token, "keyVersion": other})).await;
        reply.refused(400, "InvalidValue", Some("/keyVersion"));
        let reply = profile.call("tokens/read", json!({"token": token})).await;
        assert_eq!(reply.response()["keyVersion"], version);
    }
    profile.patch(json!({"minDecryptVersion": 2})).await.response();
    profile.call("detokenize", json!({"token": old})).await.refused(400, "InvalidValue", Some("/token"));
    profile.call("detokenize", json!({"token": new})).await.response();
}

async fn rewrap_seals_rows_anew_and_keeps_the_tokens(bench: Bench) {
    let profile = random(&bench, json!({"format": {"luhn": "Ignore"}})).await;
    let messages = super::batch_tokenize::numbers(1_500);
    let tokens = profile.call("batch-tokenize", json!({"messages": messages})).await.response()["tokens"].clone();
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    let with_a_bad_one = json!([tokens[0], "0000000000000"]);
    profile.call("rewrap", json!({"tokens": with_a_bad_one})).await.refused(400, "InvalidValue", Some("/tokens"));
    let read = profile.call("tokens/read", json!({"token": tokens[0]})).await;
    assert_eq!(read.response()["keyVersion"], 1, "one bad token fails the call, and nothing is written");
    let reply = profile.call("rewrap", json!({"tokens": with_a_bad_one, "partial": true})).await;
    assert_eq!(reply.response()["tokens"], json!([tokens[0], null]));
    for _ in 0..2 {
        let reply = profile.call("rewrap", json!({"tokens": tokens})).await;
        assert_eq!((&reply.response()["tokens"], &reply.response()["keyVersion"]), (&tokens, &json!(2)));
    }
    profile.patch(json!({"minDecryptVersion": 2})).await.response();
    let reply = profile.call("batch-detokenize", json!({"tokens": tokens})).await;
    assert_eq!(reply.response()["messages"], json!(messages));
}

#[tokio::test]
async fn rewrap_seals_rows_anew_and_keeps_the_tokens_on_sqlite() {
    rewrap_seals_rows_anew_and_keeps_the_tokens(Bench::new().await).await;
}

#[tokio::test]
async fn rewrap_seals_rows_anew_and_keeps_the_tokens_on_postgres() {
    rewrap_seals_rows_anew_and_keeps_the_tokens(on_postgres().await).await;
}

#[tokio::test]
async fn a_preview_draws_tokens_and_keeps_none() {
    let bench = Bench::new().await;
    let format = json!({"alphabet": "Decimal", "minLength": 1, "maxLength": 2, "passThrough": "-"});
    for deterministic in [true, false] {
        let profile = json!({"algorithm": "Random", "format": format, "deterministic": deterministic});
        let request = json!({"profile": profile, "samples": ["1-2", "12", "x", "7"]});
        let shown = bench.admin.post("/api/v2/token-profiles/preview", request).await.response().clone();
        let tokens = &shown["tokens"];
        let (first, second) = (tokens[0].as_str().unwrap(), tokens[1].as_str().unwrap());
        assert_eq!((first.len(), first.replace('-', "") == second), (3, deterministic), "{shown}");
        assert_eq!((&tokens[2], &shown["errors"][0]["index"]), (&Value::Null, &json!(2)));
        assert_ne!(tokens[3], "7");
    }
}
