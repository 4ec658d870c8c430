//! GET /api/v2/reports/access.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
    guards::{token_profile, token_profile_named},
};

const ACCESS: &str = "/api/v2/reports/access";

async fn report(client: &Client, query: &str) -> Vec<Value> {
    client.get(&format!("{ACCESS}?{query}")).await.response()["results"].as_array().unwrap().clone()
}

/// Who, what, with what, by which role.
fn told(report: &[Value]) -> Vec<[String; 4]> {
    let lines = report.iter().flat_map(|one| {
        one["rights"].as_array().unwrap().iter().map(|right| {
            let with = if right["perm"].is_null() { &right["tokenProfile"]["name"] } else { &right["perm"] };
            [&one["objInfo"]["name"], &right["right"], with, &right["role"]["name"]]
                .map(|text| text.as_str().unwrap().to_owned())
        })
    });
    lines.collect()
}

async fn role(admin: &Client, name: &str, logins: u32, perms: Value) -> RoleId {
    let body = json!({"name": name, "loginsRequired": logins, "perms": perms});
    admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn it_says_by_which_role_somebody_detokenizes_which_profile_and_how_much_they_see() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (cards, other) = (token_profile(&admin).await, token_profile_named(&admin, "q").await);
    let (full, part) = (role(&admin, "full", 1, json!([])).await, role(&admin, "part", 1, json!([])).await);
    let rules = json!({"controlRules": [
        {"roleUuid": full, "operation": "Detokenize"},
        {"roleUuid": full, "operation": "Batch"},
        {"roleUuid": part, "operation": "PartialDetokenize", "reveal": 4, "revealFrom": "Start"},
        {"roleUuid": part, "operation": "Tokenize"},
    ]});
    admin.patch(&format!("/api/v2/token-profiles/{cards}/permissions"), rules).await.response();
    let rules = json!({"controlRules": [{"roleUuid": full, "operation": "Tokenize"}]});
    admin.patch(&format!("/api/v2/token-profiles/{other}/permissions"), rules).await.response();
    let ann = admin.create_person("ann", &[full]).await;
    let bob = admin.create_person("bob", &[part]).await;
    admin.post_nothing(&format!("/api/v2/identities/{bob}/lock")).await.response();

    let found = report(&admin, "right=Detokenize").await;
    let line = |who: &str, right: &str, with: &str, role: &str| [who, right, with, role].map(str::to_owned);
    assert_eq!(told(&found), [line("ann", "Detokenize", "p", "full"), line("bob", "Detokenize", "p", "part")]);
    assert_eq!((&found[0]["locked"], &found[1]["locked"]), (&json!(false), &json!(true)));
    assert_eq!(found[0]["rights"][0].get("mask"), None, "all of it");
    assert_eq!(found[1]["rights"][0]["mask"], json!({"reveal": 4, "revealFrom": "Start", "maskChar": "*"}));
    let found = report(&admin, &format!("identityUuid={ann}")).await;
    assert_eq!(told(&found), [line("ann", "Detokenize", "p", "full"), line("ann", "Tokenize", "q", "full")]);
    let found = report(&admin, &format!("objectUuid={other}")).await;
    assert_eq!(told(&found), [line("ann", "Tokenize", "q", "full")]);
    // What is withdrawn is gone at once.
    admin.patch(&format!("/api/v2/identities/{ann}"), json!({"roleUuids": [RoleId::AUDITOR]})).await.response();
    assert_eq!(report(&admin, &format!("identityUuid={ann}&right=Tokenize")).await, [] as [Value; 0]);
    // And the audit says what changed.
    let changes = admin.get("/api/v2/audit?concerns=Access&pageSize=2").await.response()["items"].clone();
    assert_eq!((&changes[0]["action"], &changes[1]["action"]), (&json!("IdentityChange"), &json!("IdentityLock")));
}

#[tokio::test]
async fn permissions_are_sorted_by_what_they_let_somebody_do() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let signer = role(&admin, "signer", 1, json!(["Signing:Submit", "Signing:Approve"])).await;
    let pair = role(&admin, "pair", 2, json!(["Keys:Add"])).await;
    admin.create_person("ann", &[signer]).await;
    admin.create_person("bob", &[pair]).await;
    let program = json!({"name": "ci", "kind": "Application", "roleUuids": [signer]});
    admin.post("/api/v2/identities", program).await.response();
    let line = |who: &str, right: &str, with: &str, role: &str| [who, right, with, role].map(str::to_owned);
    let found = told(&report(&admin, "right=Sign").await);
    assert!(found.contains(&line("ann", "Sign", "Signing:Submit", "signer")), "{found:?}");
    assert!(found.contains(&line("ci", "Sign", "Signing:Submit", "signer")), "{found:?}");
    let found = report(&admin, "search=bob&right=Administer").await;
    assert_eq!(told(&found), [line("bob", "Administer", "Keys:Add", "pair")]);
    assert_eq!(found[0]["rights"][0]["loginsRequired"], 2);
    let approvers = told(&report(&admin, "right=Approve").await);
    assert!(approvers.iter().any(|line| line[0] == "Admin1"), "{approvers:?}");
}

#[tokio::test]
async fn it_is_paged_and_needs_audit_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for name in ["a", "b", "c"] {
        admin.create_person(name, &[RoleId::AUDITOR]).await;
    }
    let whole = report(&admin, "").await;
    let (mut paged, mut after) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("{ACCESS}?pageSize=1{after}")).await.response().clone();
        paged.extend(page["results"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(paged, whole);
    assert_eq!(whole.len(), 5, "{whole:?}");
    for (query, code, field) in [
        ("pageSize=0", "InvalidValue", "/pageSize"),
        ("after=x", "InvalidValue", "/after"),
        ("right=Fly", "InvalidSelection", "/right"),
        ("identityUuid=x", "InvalidSelection", "/identityUuid"),
    ] {
        admin.get(&format!("{ACCESS}?{query}")).await.refused(400, code, Some(field));
    }
    app.nobody().get(ACCESS).await.refused(401, "InvalidAuthToken", None);
    admin.create_person("clerk", &[RoleId::APPROVER]).await;
    app.logged_in(&[("clerk", PASSWORD)]).await.get(ACCESS).await.refused(403, "NotAuthorized", None);
    admin.saw_audited("AccessRead").await;
}

/// The time of the newest record of an action.
async fn time_of(admin: &Client, action: &str) -> String {
    let found = admin.get(&format!("/api/v2/audit?action={action}&outcome=Success&pageSize=1")).await;
    found.response()["items"][0]["time"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn it_is_asked_for_as_of_a_moment_and_what_has_changed_since_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let cards = token_profile(&admin).await;
    let full = role(&admin, "full", 1, json!([])).await;
    let rules = json!({"controlRules": [{"roleUuid": full, "operation": "Detokenize"}]});
    admin.patch(&format!("/api/v2/token-profiles/{cards}/permissions"), rules).await.response();
    let ann = admin.create_person("ann", &[full]).await;
    let then = time_of(&admin, "IdentityCreate").await;
    app.clock.advance_ms(1_000);
    admin.patch(&format!("/api/v2/identities/{ann}"), json!({"name": "anna"})).await.response();
    admin.post_nothing(&format!("/api/v2/identities/{ann}/lock")).await.response();
    let signer = role(&admin, "signer", 1, json!(["Signing:Submit"])).await;
    let bob = admin.create_person("bob", &[signer]).await;
    admin.delete(&format!("/api/v2/token-profiles/{cards}")).await.response();

    let asked = admin.get(&format!("{ACCESS}?right=Detokenize&asOf={then}")).await;
    let line = |who: &str, right: &str, with: &str, role: &str| [who, right, with, role].map(str::to_owned);
    let found = asked.response()["results"].as_array().unwrap();
    assert_eq!(told(found), [line("ann", "Detokenize", "p", "full")]);
    assert_eq!((&found[0]["locked"], &asked.response()["asOf"]), (&json!(false), &json!(then)));
    assert_eq!(asked.response().get("uncertain"), None);
    assert_eq!(report(&admin, "right=Detokenize").await, Vec::<Value>::new());
    let other = admin.get(&format!("{ACCESS}?identityUuid={bob}&asOf={then}")).await;
    assert_eq!(other.response()["total"], 0);

    let effect = admin.post(&format!("{ACCESS}/effect"), json!({"since": then})).await;
    assert_eq!(
        *effect.response(),
        json!({
            "gains": [{"right": "Sign", "perm": "Signing:Submit", "loginsRequired": 1, "identities": 1,
                       "some": [{"name": "bob", "uuid": bob}]}],
            "loses": [{"right": "Detokenize", "object": {"name": "p", "uuid": cards}, "loginsRequired": 1, "identities": 1,
                       "some": [{"name": "anna", "uuid": ann}]}],
        })
    );
}

#[tokio::test]
async fn a_moment_is_between_the_first_record_and_now_and_only_auditors_ask() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for moment in ["2001-01-01T00:00:00Z", "2201-01-01T00:00:00Z", "yesterday"] {
        admin.get(&format!("{ACCESS}?asOf={moment}")).await.refused(400, "InvalidValue", Some("/asOf"));
        let effect = admin.post(&format!("{ACCESS}/effect"), json!({"since": moment})).await;
        effect.refused(400, "InvalidValue", Some("/since"));
    }
    let both = json!({"since": "2026-01-01T00:00:00Z", "roleUuid": RoleId::APPROVER, "perms": []});
    admin.post(&format!("{ACCESS}/effect"), both).await.refused(400, "InvalidValue", Some("/since"));
    let managers = role(&admin, "managers", 2, json!(["Services:Deploy"])).await;
    for name in ["cid", "dan"] {
        admin.create_person(name, &[managers]).await;
    }
    let clerk = app.logged_in(&[("cid", PASSWORD), ("dan", PASSWORD)]).await;
    let moment = time_of(&admin, "IdentityCreate").await;
    clerk.get(&format!("{ACCESS}?asOf={moment}")).await.refused(403, "NotAuthorized", None);
    let effect = clerk.post(&format!("{ACCESS}/effect"), json!({"since": moment})).await;
    effect.refused(403, "NotAuthorized", None);
    admin.saw_audited("AccessRead").await;
}
