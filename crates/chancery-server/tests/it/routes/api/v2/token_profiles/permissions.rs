//! PATCH /api/v2/token-profiles/{uuid}/permissions.

use serde_json::json;

use super::{Bench, FOREIGN_ROLE, NOTHING, OTHER_OWN_ROLE, OWN_ROLE};

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
