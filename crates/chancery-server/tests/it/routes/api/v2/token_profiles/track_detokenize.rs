//! POST /api/v2/token-profiles/{uuid}/track-detokenize.

use serde_json::json;

use super::{Bench, OWN_ROLE, changed};

const TRACKS: &str = "%B4111111111111111^DOE/JANE^29121010000000000000?;4111111111111111=29121010000000000000?";

#[tokio::test]
async fn the_account_number_comes_back() {
    let bench = Bench::new().await;
    for use_iv in [false, true] {
        let profile = bench.profile(json!({"objInfo": {"name": use_iv.to_string()}, "useIv": use_iv})).await;
        let reply = profile.call("track-tokenize", json!({"track": TRACKS})).await;
        let mut body = reply.response().clone();
        assert_eq!(body["iv"].is_string(), use_iv);
        body.as_object_mut().unwrap().remove("@type");
        let reply = profile.call("track-detokenize", body.clone()).await;
        let expected = json!({"@type": "api.v2.dp.TrackDetokenizationResponse", "track": TRACKS});
        assert_eq!(reply.response(), &expected);
        if use_iv {
            let reply = profile.call("track-detokenize", changed(body, &json!({"iv": null}))).await;
            reply.refused(400, "ArgumentParseError", Some("/iv"));
        }
    }
}

#[tokio::test]
async fn refuses_what_is_no_tokenized_track() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for track in ["", "%B4111111111111112^DOE/JANE^2912?", ";4111=2912?"] {
        let reply = profile.call("track-detokenize", json!({"track": track})).await;
        reply.refused(400, "InvalidValue", Some("/track"));
    }
    profile.call("track-detokenize", json!({"track": 1})).await.refused(400, "ArgumentParseError", Some("/track"));
}

#[tokio::test]
async fn a_partial_rule_is_not_enough() {
    let bench = Bench::new().await;
    let rules = json!([
        {"roleUuid": OWN_ROLE, "operation": "Tokenize"},
        {"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4},
    ]);
    let profile = bench.profile(json!({"controlRules": rules})).await;
    let reply = profile.call("track-tokenize", json!({"track": TRACKS})).await;
    let body = json!({"track": reply.response()["track"]});
    profile.call("track-detokenize", body.clone()).await.refused(403, "NotAuthorized", None);
    profile.allow(&["Detokenize"]).await;
    profile.call("track-detokenize", body).await.response();
}

/// Public samples; see chancery-core/testdata/README.md.
const CARDS: &str = include_str!("../../../../../../../chancery-core/testdata/cards.json");

#[tokio::test]
async fn published_samples_become_tracks_again_and_come_back() {
    let bench = Bench::new().await;
    let format = json!({"alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 0, "luhn": "Ignore"});
    let profile = bench.profile(json!({"format": format})).await;
    let cards: serde_json::Value = serde_json::from_str(CARDS).unwrap();
    for sample in cards["tracks"].as_array().unwrap() {
        let (track, account) = (sample["data"].as_str().unwrap(), sample["pan"].as_str().unwrap());
        let token = profile.tokenize(account).await;
        let reply = profile.call("track-tokenize", json!({"track": track})).await;
        assert_eq!(reply.response()["track"], track.replace(account, &token), "only the account number changes");
        let back = profile.call("track-detokenize", json!({"track": reply.response()["track"]})).await;
        assert_eq!(back.response()["track"], track);
    }
}
