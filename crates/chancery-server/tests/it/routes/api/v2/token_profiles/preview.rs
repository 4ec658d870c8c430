//! POST /api/v2/token-profiles/preview.

use serde_json::{Value, json};

use super::{Bench, OWN_ROLE};
use crate::app::Setup;

const PREVIEW: &str = "/api/v2/token-profiles/preview";

#[tokio::test]
async fn samples_become_tokens_of_the_drafts_format_under_another_key_each_time() {
    let bench = Bench::new().await;
    let request = json!({
        "profile": {"algorithm": "Ff1", "format": {"pattern": "{001..665,667..899}-{01..99}-{0001..9999}"}},
        "samples": ["123-45-6789", "666-45-6789", "123-45-6789"],
    });
    let shown = bench.admin.post(PREVIEW, request.clone()).await.response().clone();
    let token = shown["tokens"][0].as_str().unwrap();
    assert_eq!((token.len(), &shown["tokens"][2]), (11, &shown["tokens"][0]));
    assert_eq!(shown["tokens"][1], Value::Null);
    assert_eq!((&shown["errors"][0]["index"], &shown["errors"][0]["errorCode"]), (&json!(1), &json!("InvalidValue")));
    assert_eq!(shown["format"]["maxLength"], 9);
    assert_eq!(shown["security"]["domainSize"], "888931098");
    let again = bench.admin.post(PREVIEW, request).await.response().clone();
    assert_ne!(again["tokens"][0], shown["tokens"][0], "the key was thrown away");
    // Nothing was made.
    assert_eq!(bench.admin.get("/api/v2/token-profiles/stubs").await.response()["total"], 0);
}

#[tokio::test]
async fn every_algorithm_and_every_template_can_be_tried() {
    let bench = Bench::new().await;
    for (algorithm, use_iv) in [("AesSiv", false), ("AesGcm", true), ("Hmac", false)] {
        let request =
            json!({"profile": {"algorithm": algorithm, "useIv": use_iv}, "samples": ["to whom it may concern"]});
        let shown = bench.admin.post(PREVIEW, request).await.response().clone();
        assert!(shown["tokens"][0].as_str().unwrap().len() > 22, "{shown}");
        // The 24 bytes of a nonce.
        assert_eq!(shown["ivs"][0].as_str().map(str::len), use_iv.then_some(32), "{shown}");
    }
    let names = bench.admin.get("/api/v2/token-profiles/template/names").await.response()["names"].clone();
    for name in names.as_array().unwrap() {
        let path = format!("/api/v2/token-profiles/template/{}", name.as_str().unwrap().replace(' ', "%20"));
        let template = bench.admin.get(&path).await.response().clone();
        let shown = bench.admin.post(PREVIEW, json!({"profile": template, "samples": ["?"]})).await;
        assert_eq!(shown.response()["security"], template["security"], "{name}");
        assert_eq!(shown.response()["errors"][0]["index"], 0, "{name}");
    }
    // So can a profile that there is.
    let cards = bench.profile(json!({})).await;
    let shown =
        bench.admin.post(PREVIEW, json!({"profile": cards.read().await, "samples": ["4111111111111111"]})).await;
    assert!(shown.response()["tokens"][0].as_str().unwrap().ends_with("1111"));
}

#[tokio::test]
async fn random_tokens_are_drawn_and_kept_nowhere() {
    let bench = Bench::new().await;
    let request = |deterministic: bool, pattern: &str, samples: &[&str]| {
        let format = json!({"pattern": pattern});
        let profile = json!({"algorithm": "Random", "deterministic": deterministic, "format": format});
        json!({"profile": profile, "samples": samples})
    };
    let days = "{date:YYYY-MM-DD,2024-02-01..2024-02-29}";
    let samples = ["2024-02-29", "2024-02-30", "2024-02-29", "2024-02-28"];
    let shown = bench.admin.post(PREVIEW, request(true, days, &samples)).await.response().clone();
    let tokens = &shown["tokens"];
    assert_eq!((&tokens[0], &tokens[1]), (&tokens[2], &Value::Null));
    assert_eq!(shown["errors"][0]["index"], 1);
    assert!(tokens[0].as_str().unwrap().starts_with("2024-02-") && tokens[0] != samples[0] && tokens[0] != tokens[3]);
    let shown = bench.admin.post(PREVIEW, request(false, days, &samples)).await.response().clone();
    assert_ne!(shown["tokens"][0], shown["tokens"][2], "another token for each call");
    // Of two tokens one is the sample itself, so there is one to give.
    let few = request(false, "{0..1}", &["0", "0"]);
    let shown = bench.admin.post(PREVIEW, few).await.response().clone();
    assert_eq!(shown["tokens"], json!(["1", null]));
    assert_eq!(shown["errors"][0]["errorCode"], "InvalidState");
}

#[tokio::test]
async fn refusals_name_the_member_of_the_draft() {
    let bench = Bench::new().await;
    let digits = json!({"alphabet": "Decimal", "minLength": 6, "maxLength": 9});
    for (request, code, field) in [
        (json!({"samples": []}), "ArgumentParseError", "/profile"),
        (json!({"profile": {"format": digits}, "samples": []}), "ArgumentParseError", "/profile/algorithm"),
        (json!({"profile": {"algorithm": "Ff1", "format": digits}}), "ArgumentParseError", "/samples"),
        (
            json!({"profile": {"algorithm": "Ff1", "format": digits}, "samples": [7]}),
            "ArgumentParseError",
            "/samples/0",
        ),
        (json!({"profile": {"algorithm": "Ff1"}, "samples": []}), "ArgumentParseError", "/profile/format"),
        (
            json!({"profile": {"algorithm": "Ff1", "format": {"pattern": "{Decimal:5}"}}, "samples": []}),
            "InvalidValue",
            "/profile/format/pattern",
        ),
        (
            json!({"profile": {"algorithm": "Ff1", "format": digits, "controlRules": [
                {"roleUuid": OWN_ROLE, "operation": "PartialDetokenize"}]}, "samples": []}),
            "ArgumentParseError",
            "/profile/controlRules/0/reveal",
        ),
    ] {
        bench.admin.post(PREVIEW, request).await.refused(400, code, Some(field));
    }
}

#[tokio::test]
async fn a_preview_has_20_samples_and_64_kib() {
    let bench = Bench::new().await;
    let request = |samples: usize, bytes: usize| {
        let mut samples = vec!["1".to_owned(); samples];
        samples[0] = "1".repeat(bytes);
        json!({"profile": {"algorithm": "AesSiv"}, "samples": samples})
    };
    let shown = bench.admin.post(PREVIEW, request(20, 1)).await;
    assert_eq!(shown.response()["tokens"].as_array().unwrap().len(), 20);
    bench.admin.post(PREVIEW, request(21, 1)).await.refused(413, "LimitExceeded", Some("/samples"));
    let around = request(1, 0).to_string().len();
    bench.admin.post(PREVIEW, request(1, 65_536 - around)).await.response();
    bench.admin.post(PREVIEW, request(1, 65_537 - around)).await.refused(413, "LimitExceeded", None);
}

#[tokio::test]
async fn a_caller_has_so_many_previews_a_minute() {
    let mut setup = Setup::default();
    setup.limits.previews_per_minute = 2;
    let bench = Bench::with(setup).await;
    let request = json!({"profile": {"algorithm": "AesSiv"}, "samples": []});
    for _ in 0..2 {
        bench.admin.post(PREVIEW, request.clone()).await.response();
    }
    let refused = bench.admin.post(PREVIEW, request).await;
    refused.refused(429, "RateLimited", None);
    assert!(refused.headers.contains_key("retry-after"));
}
