//! POST /api/v2/token-profiles/{uuid}/track-tokenize.

use serde_json::json;

use super::{Bench, OWN_ROLE};

const TRACK_1: &str = "%B4111111111111111^DOE/JANE^29121010000000000000?";
const TRACK_2: &str = ";4111111111111111=29121010000000000000?";

#[tokio::test]
async fn only_the_account_number_changes() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let token = profile.tokenize("4111111111111111").await;
    for track in
        [TRACK_1.to_owned(), TRACK_2.to_owned(), format!("{TRACK_1}{TRACK_2}"), "4111111111111111D2912F".into()]
    {
        let reply = profile.call("track-tokenize", json!({"track": track})).await;
        let expected = track.replace("4111111111111111", &token);
        assert_eq!(reply.response(), &json!({"@type": "api.v2.dp.TrackTokenizationResponse", "track": expected}));
    }
}

#[tokio::test]
async fn refuses_what_is_no_track_or_has_no_card_of_the_format() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    for track in [
        "",
        "4111111111111111",
        "%B4111111111111111^DOE/JANE?",
        ";4111111111111112=2912?",
        ";411111111111=2912?",
        "%B4111111111111111^DOE/JANE^2912?;378282246310005=2912?",
        ";4111111111111111=2912?0",
    ] {
        let reply = profile.call("track-tokenize", json!({"track": track})).await;
        reply.refused(400, "InvalidValue", Some("/track"));
        assert!(track.is_empty() || !reply.text().contains(track), "{}", reply.text());
    }
    let large = "4".repeat(513);
    profile.call("track-tokenize", json!({"track": large})).await.refused(413, "LimitExceeded", Some("/track"));
    let reply = profile.call("track-tokenize", json!({"track": large[1..]})).await;
    reply.refused(400, "InvalidValue", Some("/track"));
    profile.call("track-tokenize", json!({})).await.refused(400, "ArgumentParseError", Some("/track"));
}

#[tokio::test]
async fn the_token_must_be_an_account_number() {
    let bench = Bench::new().await;
    let hex = json!({"alphabet": "LowerHex", "luhn": "Ignore"});
    let hex = bench.profile(json!({"objInfo": {"name": "hex"}, "format": hex})).await;
    hex.call("track-tokenize", json!({"track": TRACK_2})).await.refused(400, "InvalidValue", Some("/track"));
    let ranked = json!({"keepTrailing": 0, "luhn": "Ignore", "passThrough": "", "tokenLength": 20});
    let ranked = bench.profile(json!({"objInfo": {"name": "ranked"}, "format": ranked})).await;
    ranked.call("track-tokenize", json!({"track": TRACK_2})).await.refused(400, "InvalidValue", Some("/track"));
}

#[tokio::test]
async fn needs_a_rule_for_tokenize() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    profile.allow(&["Detokenize", "Batch"]).await;
    profile.call("track-tokenize", json!({"track": TRACK_2})).await.refused(403, "NotAuthorized", None);
    profile.allow(&["Tokenize"]).await;
    profile.call("track-tokenize", json!({"track": TRACK_2})).await.response();
    let rule = json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4});
    profile.patch(json!({"controlRules": [rule]})).await.response();
    profile.call("track-tokenize", json!({"track": TRACK_2})).await.refused(403, "NotAuthorized", None);
}
