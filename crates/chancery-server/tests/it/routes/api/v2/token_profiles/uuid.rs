//! GET, PATCH and DELETE of /api/v2/token-profiles/{uuid}.

use serde_json::json;

use super::{Bench, NOTHING, OTHER_OWN_ROLE, OWN_ROLE, new_key};

#[tokio::test]
async fn what_was_read_can_be_written_back() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"useIv": true})).await;
    profile.call("tokenize", json!({"message": "4111111111111111"})).await.response();
    let read = profile.read().await;
    assert_eq!(profile.patch(read.clone()).await.response(), &read);
    assert_eq!(profile.patch(json!({})).await.response(), &read);
    assert_eq!(profile.read().await, read);
}

#[tokio::test]
async fn a_patch_changes_what_it_names() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let other_key = new_key(&bench.admin, "other", "AES-128 Tokenization").await;
    let other = bench.profile(json!({"objInfo": {"name": "other"}})).await;
    let changes = json!({
        "objInfo": {"name": "numbers"},
        "keyUuid": other_key,
        "tweakDomain": other.id,
        "format": {"luhn": "Ignore", "keepTrailing": 0, "passThrough": "", "tokenLength": 30},
        "useIv": true,
    });
    let mut expected = super::changed(profile.read().await, &changes);
    let reply = profile.patch(changes).await;
    expected["security"] = reply.response()["security"].clone();
    assert_eq!(reply.response(), &expected);
    assert_eq!(expected["security"]["domainSize"], format!("1{}", "0".repeat(30)));
    let reply = profile.patch(json!({"format": {"tokenLength": null}, "tweakDomain": null})).await;
    assert!(reply.response()["format"]["tokenLength"].is_null() && reply.response()["tweakDomain"].is_null());
}

#[tokio::test]
async fn a_patch_is_checked_as_create_is() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    bench.profile(json!({"objInfo": {"name": "taken"}})).await;
    for (changes, status, code, field) in [
        (json!({"objInfo": {"name": ""}}), 400, "InvalidValue", "/objInfo/name"),
        (json!({"objInfo": {"name": "Taken"}}), 409, "AlreadyExists", "/objInfo/name"),
        (json!({"algorithm": "Random"}), 400, "InvalidValue", "/keyUuid"),
        (json!({"algorithm": "Des"}), 400, "InvalidSelection", "/algorithm"),
        (json!({"keyUuid": NOTHING}), 400, "InvalidSelection", "/keyUuid"),
        (json!({"keyVersion": 7}), 400, "InvalidSelection", "/keyVersion"),
        (json!({"minDecryptVersion": 2}), 400, "InvalidValue", "/minDecryptVersion"),
        (json!({"tweakDomain": NOTHING}), 400, "InvalidSelection", "/tweakDomain"),
        (json!({"format": {"keepLeading": 5}}), 400, "InvalidValue", "/format/minLength"),
        (json!({"format": {"minLength": "13"}}), 400, "ArgumentParseError", "/format/minLength"),
        (
            json!({"controlRules": [{"roleUuid": NOTHING, "operation": "Batch"}]}),
            400,
            "InvalidSelection",
            "/controlRules/0/roleUuid",
        ),
    ] {
        profile.patch(changes).await.refused(status, code, Some(field));
    }
}

#[tokio::test]
async fn a_used_profile_refuses_what_would_orphan_its_tokens() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let other = bench.profile(json!({"objInfo": {"name": "other"}})).await;
    let other_key = new_key(&bench.admin, "other", "AES-256 Tokenization").await;
    profile.call("tokenize", json!({"message": "4111111111111112"})).await.refused(
        400,
        "InvalidValue",
        Some("/message"),
    );
    profile.patch(json!({"format": {"minLength": 14}})).await.response();
    let token = profile.tokenize("4111111111111111").await;
    for (changes, field) in [
        (json!({"keyUuid": other_key}), "/keyUuid"),
        (json!({"tweakDomain": other.id}), "/tweakDomain"),
        (json!({"useIv": true}), "/useIv"),
        (json!({"algorithm": "AesSiv"}), "/algorithm"),
        (json!({"format": {"minLength": 15}}), "/format/minLength"),
        (json!({"format": {"maxLength": 18}}), "/format/maxLength"),
        (json!({"format": {"keepLeading": 1}}), "/format/keepLeading"),
        (json!({"format": {"keepTrailing": 3}}), "/format/keepTrailing"),
        (json!({"format": {"passThrough": " "}}), "/format/passThrough"),
        (json!({"format": {"luhn": "Invalid"}}), "/format/luhn"),
        (json!({"format": {"luhn": "Ignore", "versionPrefix": 1}}), "/format/luhn"),
        (json!({"format": {"alphabet": "1234567890", "luhn": "Ignore"}}), "/format/alphabet"),
    ] {
        profile.patch(changes).await.refused(409, "InvalidState", Some(field));
    }
    let harmless = json!({
        "objInfo": {"name": "renamed"},
        "format": {"minLength": 13, "maxLength": 20, "passThrough": "/ -"},
        "controlRules": [{"roleUuid": OTHER_OWN_ROLE, "operation": "Detokenize"}],
    });
    profile.patch(harmless).await.response();
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response()["message"], "4111111111111111");
}

#[tokio::test]
async fn a_profile_outlives_the_one_whose_tokens_it_shares() {
    let bench = Bench::new().await;
    let first = bench.profile(json!({})).await;
    let second = bench.profile(json!({"objInfo": {"name": "second"}, "tweakDomain": first.id})).await;
    let token = second.tokenize("4111111111111111").await;
    assert_eq!(bench.admin.delete(&first.path("")).await.response(), &json!({}));
    second.patch(second.read().await).await.response();
    assert_eq!(second.tokenize("4111111111111111").await, token);
}

#[tokio::test]
async fn a_deleted_profile_is_gone() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    assert_eq!(bench.admin.delete(&profile.path("")).await.response(), &json!({}));
    bench.admin.get(&profile.path("")).await.refused(404, "InvalidSelection", None);
    bench.admin.delete(&profile.path("")).await.refused(404, "InvalidSelection", None);
    profile.patch(json!({})).await.refused(404, "InvalidSelection", None);
    profile.call("tokenize", json!({"message": "4111111111111111"})).await.refused(404, "InvalidSelection", None);
    bench.profile(json!({})).await;
}

#[tokio::test]
async fn changes_of_key_and_rules_are_seen_at_once() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let tokenize = json!({"message": "4111111111111111"});
    profile.call("tokenize", tokenize.clone()).await.response();
    bench.admin.patch(&format!("/api/v2/keys/{}", bench.key), json!({"usages": ["Detokenize"]})).await.response();
    profile.call("tokenize", tokenize.clone()).await.refused(403, "NotAuthorized", None);
    bench.admin.patch(&format!("/api/v2/keys/{}", bench.key), json!({"usages": ["Tokenize"]})).await.response();
    profile.call("tokenize", tokenize).await.response();
    let rule = json!([{"roleUuid": OWN_ROLE, "operation": "Detokenize"}]);
    profile.patch(json!({"controlRules": rule})).await.response();
    profile.call("detokenize", json!({"token": "4111111111111111"})).await.refused(403, "NotAuthorized", None);
}
