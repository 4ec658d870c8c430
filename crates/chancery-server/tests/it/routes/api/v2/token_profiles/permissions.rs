//! PATCH /api/v2/token-profiles/{uuid}/permissions.

use serde_json::json;

use super::{Bench, FOREIGN_ROLE, NOTHING, OTHER_OWN_ROLE, OWN_ROLE, changed};

#[tokio::test]
async fn replaces_all_rules_and_answers_the_profile() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let rules = json!([
        {"roleUuid": OTHER_OWN_ROLE, "operation": "Tokenize"},
        {"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4, "revealFrom": "Start", "maskChar": "•"},
        {"roleUuid": FOREIGN_ROLE, "operation": "PartialDetokenize", "reveal": 0},
    ]);
    let reply = bench.admin.patch(&profile.path("permissions"), json!({"controlRules": rules})).await;
    assert_eq!(reply.response()["controlRules"], rules);
    assert_eq!(reply.response(), &profile.read().await);
    let token = profile.tokenize("4111-1111-1111-1111").await;
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response()["message"], "4111-••••-••••-••••");
    let batch = profile.call("batch-tokenize", json!({"messages": []})).await;
    batch.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn rules_are_checked() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let path = profile.path("permissions");
    bench.admin.patch(&path, json!({})).await.refused(400, "ArgumentParseError", Some("/controlRules"));
    let rule = json!({"roleUuid": NOTHING, "operation": "Tokenize"});
    let reply = bench.admin.patch(&path, json!({"controlRules": [rule]})).await;
    reply.refused(400, "InvalidSelection", Some("/controlRules/0/roleUuid"));
    let rule = json!({"roleUuid": OWN_ROLE, "operation": "Detokenize", "maskChar": "*"});
    let reply = bench.admin.patch(&path, json!({"controlRules": [rule]})).await;
    reply.refused(400, "InvalidValue", Some("/controlRules/0/maskChar"));
    let reply = bench.admin.patch(&path.replace(&profile.id, NOTHING), json!({"controlRules": []})).await;
    reply.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn a_rule_that_gives_detokenize_is_in_the_audit_record_as_it_was_given() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let before = profile.read().await;
    let kept = before["controlRules"][0].clone();
    let rules = json!([kept, {"roleUuid": FOREIGN_ROLE, "operation": "Detokenize"}]);
    bench.admin.patch(&profile.path("permissions"), json!({"controlRules": rules})).await.response();
    let query = format!("/api/v2/audit?action=ControlRulesChange&objectUuid={}", profile.id);
    let found = bench.admin.get(&query).await;
    let detail = &found.response()["items"][0]["detail"];
    assert_eq!(detail["name"], before["objInfo"]["name"]);
    let changes = detail["changes"].as_array().unwrap();
    let given = json!({"roleUuid": FOREIGN_ROLE, "operation": "Detokenize"});
    assert!(
        changes
            .iter()
            .any(|change| change["after"] == given && change["member"].as_str().unwrap().starts_with("/controlRules/")),
        "{detail}"
    );
    assert!(!changes.iter().any(|change| change["before"] == kept || change["after"] == kept), "{detail}");
    assert!(
        changes.iter().all(|change| change["member"].as_str().unwrap().starts_with("/controlRules/")
            || change["member"].as_str().unwrap().starts_with("/security")),
        "{detail}"
    );
}

#[tokio::test]
async fn what_masks_can_be_seen_and_is_no_symbol() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let rule = |mask: &str| json!({"controlRules": [{"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4, "maskChar": mask}]});
    for mask in ["\u{200b}", "\u{202e}", "\u{feff}", "7"] {
        let reply = bench.admin.patch(&profile.path("permissions"), rule(mask)).await;
        reply.refused(400, "InvalidValue", Some("/controlRules/0/maskChar"));
    }
    for mask in ["*", "X", "•"] {
        bench.admin.patch(&profile.path("permissions"), rule(mask)).await.response();
    }
}

#[tokio::test]
async fn a_mask_by_name_stands_alone_and_in_a_partial_rule() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({})).await;
    let rule = json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize"});
    for (more, code, field) in [
        (json!({}), "ArgumentParseError", "reveal"),
        (json!({"mask": "LastFour", "reveal": 4}), "InvalidValue", "reveal"),
        (json!({"mask": "LastFour", "revealFrom": "End"}), "InvalidValue", "revealFrom"),
        (json!({"mask": "LastFive"}), "InvalidSelection", "mask"),
        (json!({"mask": "LastFour", "operation": "Detokenize"}), "InvalidValue", "mask"),
        (json!({"mask": "LastFour", "maskChar": "7"}), "InvalidValue", "maskChar"),
    ] {
        let rules = json!({"controlRules": [changed(rule.clone(), &more)]});
        let reply = bench.admin.patch(&profile.path("permissions"), rules).await;
        reply.refused(400, code, Some(&format!("/controlRules/0/{field}")));
    }
    // With the four that a token keeps and the check digit, six at the beginning leave two of thirteen digits.
    let changes =
        json!({"format": {"maxLength": 13}, "controlRules": [changed(rule, &json!({"mask": "FirstSixLastFour"}))]});
    profile.patch(changes).await.refused(400, "InvalidValue", Some("/controlRules/0/mask"));
}

fn part(role: &str, reveal: u32, from: &str) -> serde_json::Value {
    json!({"roleUuid": role, "operation": "PartialDetokenize", "reveal": reveal, "revealFrom": from})
}

/// Decimal digits of which nothing is kept or follows from others.
fn bare() -> serde_json::Value {
    json!({"keepTrailing": 0, "luhn": "Ignore"})
}

#[tokio::test]
async fn rules_that_show_too_much_together_are_refused() {
    let bench = Bench::new().await;
    let profile = bench.profile(json!({"format": bare()})).await;
    let path = profile.path("permissions");
    let tokenize = json!({"roleUuid": OWN_ROLE, "operation": "Tokenize"});
    let rules =
        |last| json!({"controlRules": [tokenize, part(OWN_ROLE, 10, "Start"), part(FOREIGN_ROLE, last, "End")]});
    for too_many in [5, 10] {
        let reply = bench.admin.patch(&path, rules(too_many)).await;
        reply.refused(400, "InvalidValue", Some("/controlRules/2/reveal"));
        assert!(reply.text().contains("together"), "{}", reply.text());
        let changes =
            json!({"objInfo": {"name": "another"}, "format": bare(), "controlRules": rules(too_many)["controlRules"]});
        bench.create(changes).await.refused(400, "InvalidValue", Some("/controlRules/2/reveal"));
    }
    bench.admin.patch(&path, rules(4)).await.response();
    // Of a short value everything is masked where both together would leave too few.
    for (message, seen) in [("4539578763621486", "****************"), ("4539578763621486123", "4539578763*********")] {
        let token = profile.tokenize(message).await;
        assert_eq!(profile.call("detokenize", json!({"token": token})).await.response()["message"], seen);
    }
}

#[tokio::test]
async fn rules_of_profiles_that_share_tokens_count_together() {
    let bench = Bench::new().await;
    let rules =
        |from: &str, reveal| json!([{"roleUuid": OWN_ROLE, "operation": "Tokenize"}, part(OWN_ROLE, reveal, from)]);
    let cards = bench.profile(json!({"format": bare(), "controlRules": rules("Start", 10)})).await;
    let shared = |reveal| {
        json!({
            "objInfo": {"name": "shared"}, "tweakDomain": cards.id, "controlRules": rules("End", reveal),
        })
    };
    let field = Some("/controlRules/1/reveal");
    cards.call("copy", shared(10)).await.refused(400, "InvalidValue", field);
    let whole = changed(json!({"format": bare()}), &shared(10));
    bench.create(whole).await.refused(400, "InvalidValue", field);
    let token = cards.tokenize("4539578763621486").await;
    let seen = |profile: String, token: String| {
        let admin = &bench.admin;
        async move {
            let path = format!("/api/v2/token-profiles/{profile}/detokenize");
            admin.post(&path, json!({"token": token})).await.response()["message"].as_str().unwrap().to_owned()
        }
    };
    assert_eq!(seen(cards.id.clone(), token.clone()).await, "4539578763******");
    let copy = cards.call("copy", shared(4)).await.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
    // One shows the beginning and the other the end: too much of 16 digits, not of 19.
    for profile in [&cards.id, &copy] {
        assert_eq!(seen(profile.clone(), token.clone()).await, "****************");
    }
    let long = cards.tokenize("4539578763621486123").await;
    assert_eq!(seen(cards.id.clone(), long.clone()).await, "4539578763*********");
    assert_eq!(seen(copy.clone(), long).await, "***************6123");
    // No later change undoes it.
    let path = format!("/api/v2/token-profiles/{copy}");
    let raised = json!({"controlRules": rules("End", 5)});
    bench.admin.patch(&path, raised.clone()).await.refused(400, "InvalidValue", field);
    bench.admin.patch(&format!("{path}/permissions"), raised).await.refused(400, "InvalidValue", field);
    cards.patch(json!({"controlRules": rules("Start", 11)})).await.refused(400, "InvalidValue", field);
    let own =
        bench.profile(json!({"objInfo": {"name": "own"}, "format": bare(), "controlRules": rules("End", 10)})).await;
    own.patch(json!({"tweakDomain": cards.id})).await.refused(400, "InvalidValue", field);
    // What is gone shows nothing.
    bench.admin.delete(&path).await.response();
    assert_eq!(seen(cards.id.clone(), token).await, "4539578763******");
}
