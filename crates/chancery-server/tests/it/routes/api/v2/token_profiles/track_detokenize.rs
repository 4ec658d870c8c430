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
