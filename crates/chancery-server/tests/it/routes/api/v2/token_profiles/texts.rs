//! Profiles whose messages are any text: AesSiv and AesGcm.

use serde_json::{Value, json};

use super::{Bench, FOREIGN_ROLE, OWN_ROLE, changed, rules, texts};

const MESSAGE: &str = "Straße 5, Zürich 🂡";

#[tokio::test]
async fn a_format_is_optional_and_has_lengths_only() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesSiv", json!({})).await;
    let read = profile.read().await;
    let format = json!({
        "alphabet": null, "minLength": 1, "maxLength": 65536, "keepLeading": 0, "keepTrailing": 0, "passThrough": "",
        "luhn": "Ignore", "tokenLength": null, "pattern": null, "versionPrefix": null,
    });
    assert_eq!((&read["format"], &read["security"]["domainSize"]), (&format, &Value::Null));
    assert_eq!(profile.patch(read.clone()).await.response(), &read);
    let stubs = bench.admin.get("/api/v2/token-profiles/stubs").await;
    assert_eq!(stubs.response()["results"][0]["alphabet"], Value::Null);
    for (member, value) in [
        ("alphabet", json!("Decimal")),
        ("keepLeading", json!(1)),
        ("keepTrailing", json!(1)),
        ("passThrough", json!("-")),
        ("luhn", json!("Valid")),
        ("tokenLength", json!(70000)),
        ("pattern", json!("x")),
        ("versionPrefix", json!(1)),
        ("minLength", json!(0)),
        ("maxLength", json!(65_537)),
    ] {
        let reply = profile.patch(json!({"format": {member: value}})).await;
        reply.refused(400, "InvalidValue", Some(&format!("/format/{member}")));
        let body = changed(read.clone(), &json!({"objInfo": {"name": "other"}, "format": {member: value}}));
        let reply = bench.admin.post("/api/v2/token-profiles", body).await;
        reply.refused(400, "InvalidValue", Some(&format!("/format/{member}")));
    }
    let reply = profile.patch(json!({"format": {"minLength": 9, "maxLength": 8}})).await;
    reply.refused(400, "InvalidValue", Some("/format/minLength"));
    profile.patch(json!({"useIv": true})).await.refused(400, "InvalidValue", Some("/useIv"));
}

#[tokio::test]
async fn aes_siv_is_deterministic() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesSiv", json!({})).await;
    let token = profile.tokenize(MESSAGE).await;
    assert_eq!(profile.tokenize(MESSAGE).await, token);
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.DetokenizationResponse", "message": MESSAGE}));
    let reply = profile.call("detokenize", json!({"token": token, "iv": "AAAA"})).await;
    reply.refused(400, "InvalidValue", Some("/iv"));
    let altered = token.clone() + "AA";
    profile.call("detokenize", json!({"token": altered})).await.refused(400, "InvalidValue", Some("/token"));
    profile.call("tokenize", json!({"message": ""})).await.refused(400, "InvalidValue", Some("/message"));
    let large = json!({"message": "x".repeat(65_537)});
    profile.call("tokenize", large).await.refused(413, "LimitExceeded", Some("/message"));
    let longest = "x".repeat(65_536);
    let token = profile.tokenize(&longest).await;
    assert_eq!(profile.call("detokenize", json!({"token": token})).await.response()["message"], longest);
}

#[tokio::test]
async fn aes_gcm_gives_an_iv_of_24_bytes() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesGcm", json!({})).await;
    profile.patch(json!({"useIv": false})).await.refused(400, "InvalidValue", Some("/useIv"));
    let reply = profile.call("tokenize", json!({"message": MESSAGE})).await;
    let (token, iv) = (&reply.response()["token"], &reply.response()["iv"]);
    assert_eq!(iv.as_str().unwrap().len(), 32);
    assert_ne!(&profile.tokenize(MESSAGE).await, token);
    let back = profile.call("detokenize", json!({"token": token, "iv": iv})).await;
    assert_eq!(back.response()["message"], MESSAGE);
    profile.call("detokenize", json!({"token": token})).await.refused(400, "ArgumentParseError", Some("/iv"));
    for short in ["AAAA", "AAECAwQFBgcICQoLDA0ODw=="] {
        let reply = profile.call("detokenize", json!({"token": token, "iv": short})).await;
        reply.refused(400, "InvalidValue", Some("/iv"));
    }
    let other = profile.call("tokenize", json!({"message": MESSAGE})).await;
    let reply = profile.call("detokenize", json!({"token": token, "iv": other.response()["iv"]})).await;
    reply.refused(400, "InvalidValue", Some("/token"));
}

#[tokio::test]
async fn batches_are_many_singles() {
    let bench = Bench::new().await;
    let messages: Vec<_> = (0..3_000).map(|number| format!("{MESSAGE} {number}")).collect();
    for algorithm in ["AesSiv", "AesGcm"] {
        let profile = texts(&bench, algorithm, json!({})).await;
        let reply = profile.call("batch-tokenize", json!({"messages": messages})).await;
        let mut body = json!({"tokens": reply.response()["tokens"]});
        if algorithm == "AesGcm" {
            body["ivs"] = reply.response()["ivs"].clone();
        } else {
            assert_eq!(body["tokens"][7], profile.tokenize(&messages[7]).await);
        }
        let back = profile.call("batch-detokenize", body.clone()).await;
        assert_eq!(back.response()["messages"], json!(messages));
        body["tokens"][1] = json!("AAAA");
        profile.call("batch-detokenize", body.clone()).await.refused(400, "InvalidValue", Some("/tokens"));
        body["partial"] = json!(true);
        let reply = profile.call("batch-detokenize", body).await;
        assert_eq!(reply.response()["messages"][1], Value::Null);
        assert_eq!(reply.response()["errors"][0]["index"], 1);
    }
}

#[tokio::test]
async fn a_partial_rule_masks_characters() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesSiv", json!({})).await;
    let token = profile.tokenize("Zoë 🂡!").await;
    let rule = json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 2, "maskChar": "#"});
    profile.patch(json!({"controlRules": [rule]})).await.response();
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response()["message"], "####🂡!");
}

#[tokio::test]
async fn of_an_email_address_the_domain_can_be_shown() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesSiv", json!({})).await;
    let addresses = [
        ("jane.doe@example.com", "********@example.com"),
        ("\"a@b\"c@example.com", "******@example.com"),
        // What is before it would be too little to guess.
        ("jo@example.com", "**************"),
        ("no address", "**********"),
        ("nobody@", "******@"),
    ];
    let mut tokens = Vec::new();
    for (address, _) in addresses {
        tokens.push(profile.tokenize(address).await);
    }
    let rule = json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "mask": "EmailDomain"});
    profile.patch(json!({"controlRules": [rule]})).await.response();
    for ((address, shown), token) in addresses.iter().zip(tokens) {
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], *shown, "{address}");
    }
}

#[tokio::test]
async fn track_data_are_for_decimal_profiles() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesSiv", json!({})).await;
    for call in ["track-tokenize", "track-detokenize"] {
        let reply = profile.call(call, json!({"track": ";4111111111111111=2912?"})).await;
        reply.refused(400, "InvalidValue", Some("/track"));
    }
}

#[tokio::test]
async fn profiles_on_one_key_do_not_open_each_others_tokens() {
    let bench = Bench::new().await;
    let one = texts(&bench, "AesSiv", json!({})).await;
    let key = one.read().await["keyUuid"].clone();
    let body = |name: &str| {
        json!({
            "objInfo": {"name": name}, "algorithm": "AesSiv", "keyUuid": key,
            "controlRules": rules(&["Tokenize", "Detokenize"]),
        })
    };
    let token = one.tokenize(MESSAGE).await;
    let detokenize = async |body: Value| {
        let made = bench.admin.post("/api/v2/token-profiles", body).await;
        let uuid = made.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
        bench.admin.post(&format!("/api/v2/token-profiles/{uuid}/detokenize"), json!({"token": token})).await
    };
    detokenize(body("apart")).await.refused(400, "InvalidValue", Some("/token"));
    let shared = detokenize(changed(body("shared"), &json!({"tweakDomain": one.id}))).await;
    assert_eq!(shared.response()["message"], MESSAGE);
}

#[tokio::test]
async fn a_used_profile_refuses_what_would_orphan_its_tokens() {
    let bench = Bench::new().await;
    let profile = texts(&bench, "AesGcm", json!({"format": {"minLength": 3, "maxLength": 30}})).await;
    profile.tokenize(MESSAGE).await;
    for (changes, field) in [
        (json!({"algorithm": "AesSiv", "useIv": false}), "/algorithm"),
        (json!({"keyUuid": bench.key}), "/keyUuid"),
        (json!({"format": {"minLength": 4}}), "/format/minLength"),
        (json!({"format": {"maxLength": 29}}), "/format/maxLength"),
    ] {
        profile.patch(changes).await.refused(409, "InvalidState", Some(field));
    }
    let harmless = json!({"format": {"minLength": 2, "maxLength": 31}, "controlRules": rules(&["Tokenize"])});
    profile.patch(harmless).await.response();
    let foreign = json!([{"roleUuid": FOREIGN_ROLE, "operation": "Tokenize"}]);
    profile.patch(json!({"controlRules": foreign})).await.response();
    profile.call("tokenize", json!({"message": MESSAGE})).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn an_unused_profile_may_become_another_algorithm() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    // The key is bound to the first algorithm that used it, so another comes with it.
    let other = super::new_key(&bench.admin, "other", "AES-256 Tokenization").await;
    let reply = profile.patch(json!({"algorithm": "AesSiv", "keyUuid": other})).await;
    assert_eq!(reply.response()["format"]["alphabet"], Value::Null);
    profile.tokenize(MESSAGE).await;
    let ff1 = json!({"algorithm": "Ff1", "keyUuid": bench.key});
    let unused = texts(&bench, "AesGcm", json!({})).await;
    unused.patch(ff1.clone()).await.refused(400, "ArgumentParseError", Some("/format"));
    let format = json!({"alphabet": "Decimal", "minLength": 6, "maxLength": 9});
    let reply = unused.patch(changed(ff1, &json!({"useIv": false, "format": format}))).await;
    assert_eq!(reply.response()["format"]["alphabet"], "Decimal");
}
