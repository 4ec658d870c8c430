//! Profiles whose key was rotated: which version makes tokens, and which are read.

use serde_json::{Value, json};

use super::{Bench, rotate, texts};

const CARD: &str = "4111111111111111";

#[tokio::test]
async fn without_a_prefix_the_call_names_the_version() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let old = profile.tokenize(CARD).await;
    rotate(&bench.admin, &bench.key).await;
    let patched = profile.patch(json!({"keyVersion": 2})).await;
    assert_eq!((&patched.response()["keyVersion"], &patched.response()["minDecryptVersion"]), (&json!(2), &json!(1)));
    let reply = profile.call("tokenize", json!({"message": CARD, "keyVersion": 2})).await;
    let new = reply.response().clone();
    assert_eq!(new["keyVersion"], 2);
    assert_ne!(new["token"], json!(old));
    for (token, version) in [(&json!(old), 1), (&new["token"], 2)] {
        let reply = profile.call("detokenize", json!({"token": token, "keyVersion": version})).await;
        assert_eq!(reply.response()["message"], CARD);
        let reply = profile.call("batch-detokenize", json!({"tokens": [token], "keyVersion": version})).await;
        assert_eq!(reply.response()["messages"], json!([CARD]));
    }
    let token = &new["token"];
    for (call, body) in [
        ("detokenize", json!({"token": token})),
        ("batch-detokenize", json!({"tokens": [token]})),
        ("track-detokenize", json!({"track": ";4111111111111111=2912?"})),
    ] {
        profile.call(call, body.clone()).await.refused(400, "ArgumentParseError", Some("/keyVersion"));
        for version in [0, 3] {
            let mut body = body.clone();
            body["keyVersion"] = json!(version);
            profile.call(call, body).await.refused(400, "InvalidValue", Some("/keyVersion"));
        }
    }
    for (call, body) in [
        ("tokenize", json!({"message": CARD, "keyVersion": 1})),
        ("batch-tokenize", json!({"messages": [CARD], "keyVersion": 1})),
        ("track-tokenize", json!({"track": ";4111111111111111=2912?", "keyVersion": 3})),
    ] {
        profile.call(call, body).await.refused(400, "InvalidValue", Some("/keyVersion"));
    }
    let reply = profile.call("batch-tokenize", json!({"messages": [CARD]})).await;
    assert_eq!(reply.response()["keyVersion"], 2);
    let reply = profile.call("track-tokenize", json!({"track": ";4111111111111111=2912?"})).await;
    assert_eq!(reply.response()["keyVersion"], 2);
}

#[tokio::test]
async fn a_prefix_tells_the_version() {
    let bench = Bench::new().await;
    let format = json!({"luhn": "Ignore", "versionPrefix": 2});
    let profile = bench.profile(json!({"format": format})).await;
    let old = profile.tokenize("4111-1111-1111-1111").await;
    assert_eq!((&old[..2], old.len()), ("01", 21));
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    let new = profile.tokenize("4111-1111-1111-1111").await;
    assert_eq!(&new[..2], "02");
    let reply = profile.call("batch-detokenize", json!({"tokens": [old, new]})).await;
    assert_eq!(reply.response()["messages"], json!(["4111-1111-1111-1111", "4111-1111-1111-1111"]));
    let reply = profile.call("detokenize", json!({"token": old, "keyVersion": 2})).await;
    reply.refused(400, "InvalidValue", Some("/keyVersion"));
    let unknown = "03".to_owned() + &old[2..];
    profile.call("detokenize", json!({"token": unknown})).await.refused(400, "InvalidValue", Some("/token"));
    profile.patch(json!({"minDecryptVersion": 2})).await.response();
    profile.call("detokenize", json!({"token": old})).await.refused(400, "InvalidValue", Some("/token"));
    profile.patch(json!({"format": {"versionPrefix": null}})).await.refused(
        409,
        "InvalidState",
        Some("/format/versionPrefix"),
    );
}

#[tokio::test]
async fn a_prefixed_token_still_fits_on_a_track() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": {"luhn": "Ignore", "versionPrefix": 1}})).await;
    let track = ";4111111111111111=29122011000012345?";
    let reply = profile.call("track-tokenize", json!({"track": track})).await;
    let tokenized = reply.response()["track"].clone();
    assert_eq!(tokenized.as_str().unwrap().len(), track.len() + 1);
    let back = profile.call("track-detokenize", json!({"track": tokenized})).await;
    assert_eq!(back.response()["track"], track);
}

#[tokio::test]
async fn a_prefix_has_room_for_so_many_versions() {
    let bench = Bench::new().await;
    for _ in 0..2 {
        rotate(&bench.admin, &bench.key).await;
    }
    let format = json!({"alphabet": "01", "minLength": 20, "maxLength": 64, "keepTrailing": 0, "luhn": "Ignore"});
    let mut body = json!({"format": format});
    body["format"]["versionPrefix"] = json!(1);
    bench.create(body.clone()).await.refused(400, "InvalidValue", Some("/format/versionPrefix"));
    body["format"]["versionPrefix"] = json!(2);
    let profile = bench.profile(body).await;
    assert_eq!(&profile.tokenize(&"01".repeat(10)).await[..2], "11");
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 4})).await.refused(400, "InvalidValue", Some("/format/versionPrefix"));
}

#[tokio::test]
async fn tokens_of_texts_tell_their_version() {
    let bench = Bench::new().await;
    for algorithm in ["AesSiv", "AesGcm"] {
        let profile = texts(&bench, algorithm, json!({})).await;
        let key = profile.read().await["keyUuid"].as_str().unwrap().to_owned();
        let old = profile.call("tokenize", json!({"message": "message"})).await.response().clone();
        rotate(&bench.admin, &key).await;
        profile.patch(json!({"keyVersion": 2})).await.response();
        let new = profile.call("tokenize", json!({"message": "message"})).await.response().clone();
        assert_eq!((&old["keyVersion"], &new["keyVersion"]), (&Value::Null, &json!(2)));
        let body = |made: &Value, version: Value| {
            let mut body = json!({"token": made["token"], "keyVersion": version});
            if algorithm == "AesGcm" {
                body["iv"] = made["iv"].clone();
            }
            body
        };
        for (made, version) in [(&old, json!(1)), (&new, json!(2)), (&old, Value::Null), (&new, Value::Null)] {
            let reply = profile.call("detokenize", body(made, version)).await;
            assert_eq!(reply.response()["message"], "message");
        }
        let reply = profile.call("detokenize", body(&old, json!(2))).await;
        reply.refused(400, "InvalidValue", Some("/keyVersion"));
        profile.patch(json!({"minDecryptVersion": 2})).await.response();
        let reply = profile.call("detokenize", body(&old, Value::Null)).await;
        reply.refused(400, "InvalidValue", Some("/token"));
    }
}

#[tokio::test]
async fn a_used_profile_moves_up_and_takes_back_what_it_gave_up() {
    let bench = Bench::new().await;
    rotate(&bench.admin, &bench.key).await;
    let profile = bench.profile(json!({"keyVersion": 2})).await;
    assert_eq!(profile.read().await["minDecryptVersion"], 2);
    let token = profile.tokenize(CARD).await;
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 4})).await.refused(400, "InvalidSelection", Some("/keyVersion"));
    profile.patch(json!({"keyVersion": 3, "minDecryptVersion": 3, "giveUpTokens": true})).await.response();
    let reply = profile.call("detokenize", json!({"token": token, "keyVersion": 2})).await;
    reply.refused(400, "InvalidValue", Some("/keyVersion"));
    profile.patch(json!({"minDecryptVersion": 2})).await.response();
    let reply = profile.call("detokenize", json!({"token": token, "keyVersion": 2})).await;
    assert_eq!(reply.response()["message"], CARD);
    profile.tokenize(CARD).await;
    for (changes, field) in
        [(json!({"keyVersion": 2}), "/keyVersion"), (json!({"minDecryptVersion": 1}), "/minDecryptVersion")]
    {
        profile.patch(changes).await.refused(409, "InvalidState", Some(field));
    }
    profile.patch(json!({"minDecryptVersion": 4})).await.refused(400, "InvalidValue", Some("/minDecryptVersion"));
}

#[tokio::test]
async fn a_move_says_what_callers_have_to_send_and_can_be_taken_back_until_a_token_is_made() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let old = profile.tokenize(CARD).await;
    rotate(&bench.admin, &bench.key).await;
    let moved = profile.patch(json!({"keyVersion": 2})).await;
    let warnings = moved.response()["warnings"].as_array().unwrap();
    let warning = warnings[0].as_str().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warning.contains("send keyVersion") && warning.contains("key versions 1 to 2"), "{warning}");
    let read = profile.read().await;
    assert_eq!(read["warnings"], Value::Null, "only the change is warned of");
    let body = json!({"token": old});
    profile.call("detokenize", body.clone()).await.refused(400, "ArgumentParseError", Some("/keyVersion"));
    let back = profile.patch(json!({"keyVersion": 1})).await;
    assert_eq!((&back.response()["keyVersion"], &back.response()["warnings"]), (&json!(1), &Value::Null));
    assert_eq!(profile.call("detokenize", body.clone()).await.response()["message"], CARD);
    assert_eq!(profile.tokenize(CARD).await, old);
    for call in ["tokenize", "batch-tokenize", "rewrap"] {
        profile.patch(json!({"keyVersion": 2})).await.response();
        let made = match call {
            "tokenize" => profile.call(call, json!({"message": CARD})).await,
            "batch-tokenize" => profile.call(call, json!({"messages": [CARD]})).await,
            _ => profile.call(call, json!({"tokens": [old], "keyVersion": 1})).await,
        };
        made.response();
        profile.patch(json!({"keyVersion": 1})).await.refused(409, "InvalidState", Some("/keyVersion"));
    }
}

#[tokio::test]
async fn of_tokens_that_are_written_back_nothing_is_warned_again() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    profile.tokenize(CARD).await;
    rotate(&bench.admin, &bench.key).await;
    let moved = profile.patch(json!({"keyVersion": 2})).await.response().clone();
    // With its warnings, as it was answered.
    let again = profile.patch(moved).await;
    assert_eq!(again.response()["warnings"], Value::Null);
}

#[tokio::test]
async fn tokens_that_would_read_as_something_else_are_given_up_only_where_the_body_says_so() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    rotate(&bench.admin, &bench.key).await;
    // No token was made: nothing is given up.
    profile.patch(json!({"keyVersion": 2, "minDecryptVersion": 2})).await.response();
    profile.patch(json!({"keyVersion": 1, "minDecryptVersion": 1})).await.response();
    profile.tokenize(CARD).await;
    profile.patch(json!({"keyVersion": 2})).await.response();
    for changes in [json!({"minDecryptVersion": 2}), json!({"minDecryptVersion": 2, "giveUpTokens": false})] {
        let refused = profile.patch(changes).await;
        assert!(
            refused.text().contains("giveUpTokens") && refused.text().contains("key version 1,"),
            "{}",
            refused.text()
        );
        refused.refused(409, "InvalidState", Some("/minDecryptVersion"));
    }
    let given_up = profile.patch(json!({"minDecryptVersion": 2, "giveUpTokens": true})).await;
    let warning = given_up.response()["warnings"][0].as_str().unwrap().to_owned();
    assert!(warning.contains("key version 1 is not refused"), "{warning}");
    // Nothing more of it is lost.
    rotate(&bench.admin, &bench.key).await;
    profile.patch(json!({"keyVersion": 3, "minDecryptVersion": 3})).await.response();
}

#[tokio::test]
async fn tokens_that_tell_their_version_are_refused_afterwards_and_said_to_be() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": {"luhn": "Ignore", "versionPrefix": 2}})).await;
    profile.tokenize("4111-1111-1111-1111").await;
    rotate(&bench.admin, &bench.key).await;
    assert_eq!(profile.patch(json!({"keyVersion": 2})).await.response()["warnings"], Value::Null);
    let raised = profile.patch(json!({"minDecryptVersion": 2})).await;
    let warning = raised.response()["warnings"][0].as_str().unwrap();
    assert!(warning.contains("key version 1 is refused"), "{warning}");
}
