//! POST /api/v2/reports/access/effect, and what records and proposals have of it.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
    guards::token_profile,
    signing::{APPROVER, PROPOSALS, Signing},
};

const EFFECT: &str = "/api/v2/reports/access/effect";

async fn effect(client: &Client, change: Value) -> Value {
    client.post(EFFECT, change).await.response().clone()
}

async fn role(admin: &Client, name: &str, logins: u32, perms: Value) -> RoleId {
    let body = json!({"name": name, "loginsRequired": logins, "perms": perms});
    admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().parse().unwrap()
}

/// The effect in the newest record of an action.
async fn recorded(admin: &Client, action: &str) -> Value {
    let found = admin.get(&format!("/api/v2/audit?action={action}&outcome=Success&pageSize=1")).await;
    found.response()["items"][0]["detail"]["effect"].clone()
}

/// The same without names.
fn counts(effect: &Value) -> Value {
    let mut effect = effect.clone();
    for line in ["gains", "loses"].iter().flat_map(|side| effect[side].as_array().cloned()).flatten() {
        assert!(line["some"].as_array().is_some_and(|some| !some.is_empty()), "{line}");
    }
    for side in ["gains", "loses"] {
        for line in effect[side].as_array_mut().unwrap() {
            line.as_object_mut().unwrap().remove("some");
        }
    }
    effect
}

#[tokio::test]
async fn other_rules_show_who_gains_and_who_loses_before_they_are_there() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let cards = token_profile(&admin).await;
    let (full, part) = (role(&admin, "full", 1, json!([])).await, role(&admin, "part", 1, json!([])).await);
    let partial = json!({"roleUuid": part, "operation": "PartialDetokenize", "reveal": 4});
    let path = format!("/api/v2/token-profiles/{cards}");
    let permissions = format!("{path}/permissions");
    admin.patch(&permissions, json!({"controlRules": [partial]})).await.response();
    let ann = admin.create_person("ann", &[full, part]).await;
    let bob = admin.create_person("bob", &[part]).await;
    admin.post_nothing(&format!("/api/v2/identities/{bob}/lock")).await.response();

    let rules = json!([{"roleUuid": full, "operation": "Detokenize"}, {"roleUuid": part, "operation": "Tokenize"}]);
    let (before, change) = (admin.get(&path).await.json, json!({"tokenProfileUuid": cards, "controlRules": rules}));
    let told = effect(&admin, change.clone()).await;
    let object = json!({"name": "p", "uuid": cards});
    let who = |name: &str, uuid: &str| json!({"name": name, "uuid": uuid});
    assert_eq!(
        told,
        json!({
            "gains": [
                {"right": "Tokenize", "object": object, "loginsRequired": 1, "identities": 2,
                 "some": [who("ann", &ann), who("bob", &bob)]},
                {"right": "Detokenize", "object": object, "loginsRequired": 1, "identities": 1, "some": [who("ann", &ann)]},
            ],
            "loses": [
                {"right": "Detokenize", "object": object, "loginsRequired": 1, "identities": 2,
                 "mask": {"reveal": 4, "revealFrom": "End", "maskChar": "*"}, "some": [who("ann", &ann), who("bob", &bob)]},
            ],
        }),
        "locked ones too"
    );
    assert_eq!(admin.get(&path).await.json, before, "nothing has changed");
    admin.patch(&permissions, json!({"controlRules": rules})).await.response();
    assert_eq!(recorded(&admin, "ControlRulesChange").await, counts(&told));
    assert_eq!(effect(&admin, change).await, json!({"gains": [], "loses": []}), "it is so now");
    admin.patch(&path, json!({"objInfo": {"name": "q"}})).await.response();
    assert_eq!(recorded(&admin, "TokenProfileChange").await, Value::Null, "a name gives nothing");

    let wrong = json!({"tokenProfileUuid": cards, "controlRules": [{"roleUuid": cards, "operation": "Tokenize"}]});
    admin.post(EFFECT, wrong).await.refused(400, "InvalidSelection", Some("/controlRules/0/roleUuid"));
    let wrong =
        json!({"tokenProfileUuid": cards, "controlRules": [{"roleUuid": full, "operation": "PartialDetokenize"}]});
    admin.post(EFFECT, wrong).await.refused(400, "ArgumentParseError", Some("/controlRules/0/reveal"));
}

#[tokio::test]
async fn what_is_made_gives_and_what_is_deleted_takes() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let cards = token_profile(&admin).await;
    let full = role(&admin, "full", 1, json!([])).await;
    let ann = admin.create_person("ann", &[full]).await;
    let mut body = admin.get(&format!("/api/v2/token-profiles/{cards}")).await.response().clone();
    for member in ["uuid", "used"] {
        body["objInfo"].as_object_mut().unwrap().remove(member);
    }
    body["objInfo"]["name"] = "made".into();
    body["controlRules"] = json!([{"roleUuid": full, "operation": "Detokenize"}]);
    let made = admin.post("/api/v2/token-profiles", body).await.response()["objInfo"]["uuid"].clone();
    let line = json!({
        "right": "Detokenize", "object": {"name": "made", "uuid": made}, "loginsRequired": 1, "identities": 1,
    });
    assert_eq!(recorded(&admin, "TokenProfileCreate").await, json!({"gains": [line], "loses": []}));
    admin.delete(&format!("/api/v2/identities/{ann}")).await.response();
    assert_eq!(recorded(&admin, "IdentityDelete").await, json!({"gains": [], "loses": [line]}));
    admin.create_person("bob", &[full]).await;
    admin.delete(&format!("/api/v2/token-profiles/{}", made.as_str().unwrap())).await.response();
    assert_eq!(recorded(&admin, "TokenProfileDelete").await, json!({"gains": [], "loses": [line]}));
}

#[tokio::test]
async fn a_service_and_a_further_policy_record_who_may_submit_and_approve() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let body = json!({"name": "nightly", "numApprovals": 0, "hashAlgorithm": "Sha2_256"});
    let path = format!("/api/v2/x509/services/{}/signing-policies", service.uuid);
    let further = signing.admin.post(&path, body).await.response()["objInfo"]["uuid"].clone();
    for (action, policy) in [("ServiceDeploy", Value::from(service.policy.as_str())), ("SigningPolicyCreate", further)]
    {
        let told = recorded(&signing.admin, action).await;
        let gains = told["gains"].as_array().unwrap();
        assert!(gains.iter().any(|line| line["right"] == "Sign"), "{told}");
        assert!(gains.iter().all(|line| line["object"]["uuid"] == policy), "{told}");
        assert_eq!(told["loses"], json!([]));
    }
}

#[tokio::test]
async fn roles_and_grants_of_them_record_what_they_gave() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let builders = role(&admin, "builders", 1, json!(["Signing:Submit"])).await;
    admin.create_person("ann", &[builders]).await;
    let ann = admin.identity_uuid("ann").await;
    let line = |right: &str, perm: &str| json!({"right": right, "perm": perm, "loginsRequired": 1, "identities": 1});
    let given = json!({"gains": [line("Sign", "Signing:Submit")], "loses": []});
    assert_eq!(recorded(&admin, "IdentityCreate").await, given);

    let told = effect(&admin, json!({"roleUuid": builders, "perms": ["Signing:Approve", "Audit:Read"]})).await;
    let changed = json!({
        "gains": [line("Approve", "Signing:Approve"), line("Administer", "Audit:Read")],
        "loses": [line("Sign", "Signing:Submit")],
    });
    assert_eq!(counts(&told), changed);
    let body = json!({"perms": ["Signing:Approve", "Audit:Read"]});
    admin.patch(&format!("/api/v2/roles/{builders}"), body).await.response();
    assert_eq!(recorded(&admin, "RoleChange").await, changed);

    let roles = json!([RoleId::APPROVER]);
    let told = effect(&admin, json!({"identityUuid": ann, "roleUuids": roles})).await;
    let changed = json!({"gains": [], "loses": [line("Administer", "Audit:Read")]});
    assert_eq!(counts(&told), changed, "by another role is by a role");
    admin.patch(&format!("/api/v2/identities/{ann}"), json!({"roleUuids": roles})).await.response();
    assert_eq!(recorded(&admin, "IdentityChange").await, changed);
}

#[tokio::test]
async fn a_policy_shows_it_before_it_is_proposed_and_its_proposal_while_it_waits() {
    let signing = Signing::new().await;
    let leads = signing.role("leads", &["Signing:Approve", "Signing:Submit"]).await;
    let service = signing.deploy("builds", 1).await;
    let (ann, _lead) = (signing.person("ann", APPROVER).await, signing.person("lead", &leads).await);
    let rules = json!({"approvalSteps": [{"roleUuids": [leads], "numApprovals": 1}], "submitterRoleUuids": [RoleId::ADMINISTRATOR]});
    let change = json!({"policyUuid": service.policy, "policy": {"rules": rules}});
    let told = effect(&signing.admin, change.clone()).await;
    assert_eq!(told["gains"], json!([]));
    let lost: Vec<_> = told["loses"].as_array().unwrap().iter().collect();
    let names = |right: &str| {
        let of = lost.iter().filter(|line| line["right"] == right).flat_map(|line| line["some"].as_array().unwrap());
        of.map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert!(names("Sign").contains(&"lead") && !names("Sign").contains(&"Admin1"), "{told}");
    assert!(names("Approve").contains(&"ann") && names("Approve").contains(&"Admin1"), "{told}");
    assert!(!names("Approve").contains(&"lead"), "{told}");
    assert!(lost.iter().all(|line| line["object"]["uuid"] == service.policy.as_str()), "{told}");

    let path = format!("/api/v2/x509/signing-policies/{}", service.policy);
    let proposed = signing.admin.patch(&path, json!({"rules": rules})).await;
    let proposal = format!("{PROPOSALS}/{}", proposed.response()["pendingChange"]["uuid"].as_str().unwrap());
    assert_eq!(ann.get(&proposal).await.response()["effect"], told);
    assert_eq!(ann.post(&format!("{proposal}/approve"), json!({})).await.response()["state"], "Applied");
    assert_eq!(ann.get(&proposal).await.response().get("effect"), None, "it has taken effect");
    assert_eq!(recorded(&signing.admin, "ProposalApprove").await, counts(&told));

    let wrong = json!({"policyUuid": service.policy, "policy": {"rules": {"submitterRoleUuids": [service.policy]}}});
    let place = Some("/policy/rules/submitterRoleUuids/0");
    signing.admin.post(EFFECT, wrong).await.refused(400, "InvalidSelection", place);
    let wrong = json!({"policyUuid": leads, "policy": {}});
    signing.admin.post(EFFECT, wrong).await.refused(400, "InvalidSelection", Some("/policyUuid"));
}

#[tokio::test]
async fn whoever_may_make_the_change_may_ask_and_so_may_auditors() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let builders = role(&admin, "builders", 1, json!([])).await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let officers = role(&admin, "officers", 2, json!(["Identity:Manage"])).await;
    for name in ["cid", "dan"] {
        admin.create_person(name, &[officers]).await;
    }
    let officer = app.logged_in(&[("cid", PASSWORD), ("dan", PASSWORD)]).await;
    let change = json!({"roleUuid": builders, "perms": ["Signing:Approve"]});
    auditor.post(EFFECT, change.clone()).await.response();
    // Who asks what they would do themselves is told that they may not.
    officer.post(EFFECT, change.clone()).await.refused(403, "NotAuthorized", Some("/perms/0"));
    officer.post(EFFECT, json!({"roleUuid": builders, "perms": ["Identity:Manage"]})).await.refused(
        400,
        "InvalidValue",
        Some("/loginsRequired"),
    );
    let cards = token_profile(&admin).await;
    let rules = json!({"tokenProfileUuid": cards, "controlRules": []});
    officer.post(EFFECT, rules).await.refused(403, "NotAuthorized", None);
    app.person("clerk", &[RoleId::APPROVER]).await;
    let clerk = app.logged_in(&[("clerk", PASSWORD)]).await;
    clerk.post(EFFECT, change.clone()).await.refused(403, "NotAuthorized", None);
    app.nobody().post(EFFECT, change).await.refused(401, "InvalidAuthToken", None);
    admin.saw_audited("AccessRead").await;
    for (body, code, field) in [
        (json!({}), "ArgumentParseError", "/tokenProfileUuid"),
        (json!({"perms": []}), "ArgumentParseError", "/roleUuid"),
        (json!({"roleUuid": builders, "perms": [], "name": "x"}), "ArgumentParseError", "/name"),
        (json!({"roleUuid": cards, "perms": []}), "InvalidSelection", "/roleUuid"),
        (
            json!({"roleUuid": builders, "perms": [], "identityUuid": cards, "roleUuids": []}),
            "InvalidValue",
            "/identityUuid",
        ),
    ] {
        admin.post(EFFECT, body).await.refused(400, code, Some(field));
    }
}

#[tokio::test]
async fn the_copy_of_a_profile_is_recorded_with_who_gains_by_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (cards, full) = (token_profile(&admin).await, role(&admin, "full", 1, json!([])).await);
    admin.create_person("ann", &[full]).await;
    let rules = json!([{"roleUuid": full, "operation": "Detokenize"}]);
    let copy = json!({"objInfo": {"name": "copy"}, "tweakDomain": cards, "controlRules": rules});
    admin.post(&format!("/api/v2/token-profiles/{cards}/copy"), copy).await.response();
    let told = recorded(&admin, "TokenProfileCreate").await;
    let gains = &told["gains"][0];
    assert_eq!((&gains["right"], &gains["identities"]), (&json!("Detokenize"), &json!(1)), "{told}");
    let found = admin.get("/api/v2/audit?action=TokenProfileCreate&outcome=Success&pageSize=1").await;
    let changes = found.response()["items"][0]["detail"]["changes"].as_array().unwrap().clone();
    for (member, after) in [("/tweakDomain", json!(cards)), ("/controlRules/0", rules[0].clone())] {
        let change = changes.iter().find(|change| change["member"] == member);
        assert_eq!(change.map(|change| &change["after"]), Some(&after), "{member}: {changes:?}");
    }
}
