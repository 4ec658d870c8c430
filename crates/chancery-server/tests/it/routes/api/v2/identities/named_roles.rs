//! Roles that Control Rules and policies name give more than their permissions: whoever gives them could write such a rule.

use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::PASSWORD,
    client::Client,
    signing::{Service, Signing},
};

/// The role of whom a Control Rule and a policy name, by turns.
struct Bench {
    signing: Signing,
    officers: Client,
    service: Service,
    role: String,
}

impl Bench {
    async fn new() -> Self {
        let signing = Signing::new().await;
        for name in ["officer1", "officer2"] {
            signing.admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
        }
        let officers = signing.app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
        let service = signing.deploy("releases", 0).await;
        let role = signing.role("tills", &[]).await;
        Self { signing, officers, service, role }
    }

    /// A token profile with a rule for this role.
    async fn profile(&self) {
        let key_types = self.signing.admin.post("/api/v2/key-types/stubs", json!({"search": "AES-256"})).await;
        let key_type = &key_types.response()["results"][0]["objInfo"]["uuid"];
        let key = json!({"name": "cards", "keyTypeUuid": key_type});
        let key = self.signing.admin.post("/api/v2/keys", key).await.response()["uuid"].clone();
        let rule = json!({"roleUuid": self.role, "operation": "Detokenize"});
        let profile = json!({
            "objInfo": {"name": "cards"}, "algorithm": "Ff1", "keyUuid": key, "controlRules": [rule],
            "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19},
        });
        self.signing.admin.post("/api/v2/token-profiles", profile).await.response();
    }

    async fn submitters(&self, roles: Value) {
        let path = format!("/api/v2/x509/signing-policies/{}", self.service.policy);
        self.signing.admin.patch(&path, json!({"rules": {"submitterRoleUuids": roles}})).await.response();
    }

    /// Two approvals, the first of which somebody with this role gives.
    fn approvals(&self) -> Value {
        json!({"numApprovals": 2, "approvalSteps": [{"roleUuids": [self.role], "numApprovals": 1}]})
    }

    /// One who has the role already, before anything names it, and another who has not.
    async fn holder_and_other(&self) -> String {
        let (admin, path) = (&self.signing.admin, "/api/v2/identities");
        let other = json!({"name": "other", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
        admin.post(path, other).await.response();
        self.officers.post(path, self.application("till")).await.response()["uuid"].as_str().unwrap().to_owned()
    }

    fn application(&self, name: &str) -> Value {
        json!({"name": name, "kind": "Application", "roleUuids": [self.role]})
    }

    async fn is_refused(&self, holder: &str) {
        let (officers, path) = (&self.officers, "/api/v2/identities");
        officers.post(path, self.application("of my own")).await.refused(403, "NotAuthorized", Some("/roleUuids/0"));
        let other = self.signing.admin.identity_uuid("other").await;
        let roles = json!({"roleUuids": [RoleId::APPLICATION, self.role]});
        let reply = officers.patch(&format!("{path}/{other}"), roles).await;
        reply.refused(403, "NotAuthorized", Some("/roleUuids/1"));
        let password = json!({"password": Base64::encode(PASSWORD.as_bytes())});
        officers.post(&format!("{path}/{holder}/password"), password).await.refused(403, "NotAuthorized", None);
        self.signing.admin.saw_audited("PasswordChange").await;
        // What it has already is not given, and what it loses is not either.
        officers.patch(&format!("{path}/{holder}"), json!({"roleUuids": [self.role]})).await.response();
    }
}

#[tokio::test]
async fn who_manages_identities_does_not_reach_what_rules_give_to_a_role() {
    let bench = Bench::new().await;
    let (admin, officers, path) = (&bench.signing.admin, &bench.officers, "/api/v2/identities");
    officers.post(path, bench.application("before any rule")).await.response();
    let holder = admin.post(path, bench.application("till")).await.response()["uuid"].as_str().unwrap().to_owned();
    let other = json!({"name": "other", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    admin.post(path, other).await.response();

    bench.submitters(json!([bench.role])).await;
    bench.is_refused(&holder).await;
    bench.submitters(json!([])).await;
    officers.post(path, bench.application("without a rule")).await.response();
    bench.profile().await;
    bench.is_refused(&holder).await;
    admin.post(path, bench.application("an administrators' own")).await.response();
}

#[tokio::test]
async fn who_manages_identities_makes_no_approver_whom_a_policy_names() {
    let bench = Bench::new().await;
    let holder = bench.holder_and_other().await;
    let path = format!("/api/v2/x509/signing-policies/{}", bench.service.policy);
    let mut rules = bench.approvals();
    let steps = rules["approvalSteps"].take();
    let change = json!({"numApprovals": 2, "rules": {"approvalSteps": steps}});
    let changed = bench.signing.admin.patch(&path, change).await;
    assert_eq!(changed.response()["pendingChange"], Value::Null, "{}", changed.text());
    bench.is_refused(&holder).await;
}

#[tokio::test]
async fn who_manages_identities_makes_no_approver_whom_certificates_need() {
    let bench = Bench::new().await;
    let holder = bench.holder_and_other().await;
    let profile = json!({
        "objInfo": {"name": "clients"}, "validityPeriod": {"unit": "Month", "amount": "1"},
        "extendedKeyUsages": ["clientAuth"], "approval": bench.approvals(),
    });
    bench.signing.admin.post("/api/v2/x509/cert-profiles", profile).await.response();
    bench.is_refused(&holder).await;

    let bench = Bench::new().await;
    let holder = bench.holder_and_other().await;
    let path = format!("/api/v2/x509/{}/approval", bench.signing.root);
    bench.signing.admin.json("PUT", &path, &bench.approvals()).await.response();
    bench.is_refused(&holder).await;
}

#[tokio::test]
async fn a_role_that_rules_name_is_not_made_one_of_single_persons() {
    let bench = Bench::new().await;
    let dual = json!({"name": "both", "loginsRequired": 2, "perms": []});
    let dual = bench.officers.post("/api/v2/roles", dual).await.response()["uuid"].as_str().unwrap().to_owned();
    let fewer = json!({"loginsRequired": 1});
    bench.submitters(json!([dual])).await;
    let path = format!("/api/v2/roles/{dual}");
    bench.officers.patch(&path, fewer.clone()).await.refused(403, "NotAuthorized", None);
    bench.submitters(json!([])).await;
    bench.officers.patch(&path, fewer).await.response();
}
