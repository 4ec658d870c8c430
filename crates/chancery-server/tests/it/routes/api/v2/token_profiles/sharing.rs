//! Profiles that share tokens: `tweakDomain`, with the same key.

use serde_json::{Value, json};

use super::{
    Bench, changed, new_key,
    random::{CARD, random},
    rotate,
};

#[tokio::test]
async fn profiles_of_which_neither_would_read_the_others_tokens_share_none() {
    let bench = Bench::new().await;
    let cards = random(&bench, json!({})).await;
    for (format, field) in [
        (json!({"alphabet": "LowerHex", "luhn": "Ignore"}), "/format/alphabet"),
        (json!({"minLength": 14, "maxLength": 20}), "/format/minLength"),
        (json!({"minLength": 12, "maxLength": 18}), "/format/maxLength"),
        (json!({"keepLeading": 1}), "/format/keepLeading"),
        (json!({"keepTrailing": 0}), "/format/keepTrailing"),
        (json!({"passThrough": "/"}), "/format/passThrough"),
        (json!({"luhn": "Ignore"}), "/format/luhn"),
    ] {
        let members = json!({"objInfo": {"name": field}, "format": format});
        let sharing = changed(members.clone(), &json!({"tweakDomain": cards.id}));
        let refused = cards.call("copy", sharing.clone()).await;
        refused.refused(400, "InvalidValue", Some(field));
        assert!(refused.text().contains("random"), "{}", refused.text());
        let made = bench.create(changed(sharing, &json!({"algorithm": "Random"}))).await;
        made.refused(400, "InvalidValue", Some(field));
        let own = random(&bench, members).await;
        own.patch(json!({"tweakDomain": cards.id})).await.refused(400, "InvalidValue", Some(field));
    }
}

#[tokio::test]
async fn profiles_that_share_tokens_differ_in_how_much_they_take() {
    let bench = Bench::new().await;
    let cards = random(&bench, json!({})).await;
    let narrow =
        json!({"objInfo": {"name": "second"}, "tweakDomain": cards.id, "format": {"minLength": 16, "maxLength": 16}});
    let second = random(&bench, narrow).await;
    for profile in [&cards, &second] {
        let other = profile.patch(json!({"format": {"keepTrailing": 3}})).await;
        other.refused(400, "InvalidValue", Some("/format/keepTrailing"));
    }
    let token = second.tokenize(CARD).await;
    assert_eq!(cards.tokenize(CARD).await, token);
    for profile in [&cards, &second] {
        let more = json!({"format": {"minLength": 12, "maxLength": 20, "passThrough": "/ -"}});
        profile.patch(more).await.response();
    }
    // What it has made itself it goes on reading.
    let narrower = second.patch(json!({"format": {"minLength": 17}})).await;
    narrower.refused(409, "InvalidState", Some("/format/minLength"));
}

#[tokio::test]
async fn each_reads_the_key_versions_that_the_others_make() {
    let bench = Bench::new().await;
    let cards = random(&bench, json!({})).await;
    rotate(&bench.admin, &bench.key).await;
    let members = |more: Value| {
        let second = json!({"objInfo": {"name": "second"}, "algorithm": "Random", "tweakDomain": cards.id});
        changed(second, &more)
    };
    // The newest version of the key by default, and no older one.
    let refused = bench.create(members(json!({}))).await;
    refused.refused(400, "InvalidValue", Some("/minDecryptVersion"));
    let second = bench.profile(members(json!({"minDecryptVersion": 1}))).await;
    let token = second.tokenize(CARD).await;
    assert_eq!(cards.tokenize(CARD).await, token);
    for body in [json!({"token": token}), json!({"token": token, "keyVersion": 2})] {
        let reply = cards.call("detokenize", body).await;
        assert_eq!(reply.response()["message"], CARD);
    }
    let raised = json!({"minDecryptVersion": 2});
    second.patch(raised.clone()).await.refused(400, "InvalidValue", Some("/minDecryptVersion"));
    cards.patch(json!({"keyVersion": 2})).await.response();
    second.patch(raised).await.response();
    cards.patch(json!({"keyVersion": 1})).await.refused(400, "InvalidValue", Some("/keyVersion"));
}

#[tokio::test]
async fn computed_tokens_are_shared_likewise() {
    let bench = Bench::new().await;
    let cards = bench.profile(json!({})).await;
    let sharing = json!({"objInfo": {"name": "second"}, "tweakDomain": cards.id});
    for (members, field) in
        [(json!({"useIv": true}), "/useIv"), (json!({"format": {"keepTrailing": 0}}), "/format/keepTrailing")]
    {
        bench.create(changed(sharing.clone(), &members)).await.refused(400, "InvalidValue", Some(field));
    }
    // With another key they are others.
    let key = new_key(&bench.admin, "other", "AES-256 Tokenization").await;
    bench.create(changed(sharing.clone(), &json!({"keyUuid": key, "useIv": true}))).await.response();
    // Tokens that do not tell their version would read as others.
    rotate(&bench.admin, &bench.key).await;
    let newer = changed(sharing, &json!({"objInfo": {"name": "newer"}, "format": {"maxLength": 16}}));
    bench.create(newer.clone()).await.refused(400, "InvalidValue", Some("/keyVersion"));
    let newer = bench.profile(changed(newer, &json!({"keyVersion": 1}))).await;
    let moved = cards.patch(json!({"keyVersion": 2})).await.response().clone();
    assert!(moved["warnings"].to_string().contains("as other, plausible messages, until they have"), "{moved}");
    let given_up = json!({"minDecryptVersion": 2, "giveUpTokens": true});
    cards.patch(given_up.clone()).await.refused(400, "InvalidValue", Some("/minDecryptVersion"));
    let moved = newer.patch(json!({"keyVersion": 2})).await.response().clone();
    assert!(!moved["warnings"].to_string().contains("until they have"), "{moved}");
    cards.patch(given_up).await.response();
}
