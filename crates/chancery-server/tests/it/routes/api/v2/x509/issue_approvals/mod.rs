//! Certificates that people approve before they are issued: what profiles demand here, what authorities do in
//! `issuers.rs`.

mod issuers;
mod profiles;
mod services;

use chancery_testkit::{Tool, temp_dir};
use chancery_types::Perm;
use futures::future::join_all;
use serde_json::{Value, json};

use super::requests::{P256, csr};
use crate::{
    app::{NOON_MS, Setup},
    client::{Client, Reply},
    signing::{APPROVER, EC_P256, ED25519, PROPOSALS, Signing},
};

const PROFILES: &str = "/api/v2/x509/cert-profiles";
const GENERATE: &str = "/api/v2/x509/generate";

/// An installation, somebody who asks for certificates and two who approve.
pub(super) struct House {
    signing: Signing,
    asker: Client,
    ann: Client,
    bob: Client,
}

impl House {
    async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    async fn with(setup: Setup) -> Self {
        let signing = Signing::with(setup).await;
        let asker = signing.app.with_perms("asker", &[Perm::CertManageGenerate]).await;
        let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
        Self { signing, asker, ann, bob }
    }

    /// A profile of TLS clients that makes these demands.
    async fn profile(&self, name: &str, approval: Value) -> String {
        let body = json!({
            "objInfo": {"name": name}, "validityPeriod": {"unit": "Month", "amount": "1"},
            "extendedKeyUsages": ["clientAuth"], "approval": approval,
        });
        text(self.signing.admin.post(PROFILES, body).await.response(), &["objInfo", "uuid"])
    }

    fn wanted(&self, profile: &str) -> Value {
        json!({
            "certProfileUuid": profile, "subjectOneline": "CN=client 1,O=Test,C=DE", "issuerUuid": self.signing.root,
            "newKey": {"keyTypeUuid": EC_P256, "save": true},
            "certParams": {"subjectAltNames": ["DNS:client.example"]},
        })
    }

    /// Asks for a certificate; answers the proposal's uuid.
    async fn ask(&self, profile: &str) -> String {
        waits(&self.asker.post(GENERATE, self.wanted(profile)).await)
    }

    async fn detail(&self, proposal: &str) -> Value {
        self.ann.get(&format!("{PROPOSALS}/{proposal}")).await.response().clone()
    }

    /// How many certificates there are besides the root.
    async fn issued(&self) -> usize {
        let all = self.signing.admin.get("/api/v2/x509").await;
        all.response()["results"].as_array().unwrap().len() - 1
    }

    async fn certificate(&self, proposal: &Value) -> Value {
        let uuid = proposal["certificateUuid"].as_str().unwrap();
        self.signing.admin.get(&format!("/api/v2/x509/{uuid}")).await.response().clone()
    }
}

fn text(value: &Value, path: &[&str]) -> String {
    path.iter().fold(value, |value, member| &value[member]).as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
}

/// The proposal that an answer names, which waits for its approvals.
#[track_caller]
fn waits(reply: &Reply) -> String {
    let response = reply.response();
    assert_eq!([&response["state"], &response["approvalState"]], ["Approval", "Pending"], "{response}");
    assert!(response.get("certificate").is_none(), "{response}");
    text(response, &["uuid"])
}

async fn approve(client: &Client, proposal: &str) -> Reply {
    client.post(&format!("{PROPOSALS}/{proposal}/approve"), json!({"note": "seen"})).await
}

#[track_caller]
fn openssl_accepts(root_pem: &str, certificate: &str) {
    let folder = temp_dir();
    for (name, pem) in [("root.pem", root_pem), ("leaf.pem", certificate)] {
        std::fs::write(folder.path().join(name), pem).unwrap();
    }
    let at = (NOON_MS / 1_000 + 60).to_string();
    let ran = Tool::new("openssl35").args(["verify", "-x509_strict", "-purpose", "sslclient", "-attime", &at]);
    let said = ran.args(["-CAfile", "root.pem", "leaf.pem"]).folder(folder.path()).run().text();
    assert_eq!(said, "leaf.pem: OK\n");
}

#[tokio::test]
async fn two_approvals_issue_what_was_asked_for() {
    let house = House::new().await;
    let profile = house.profile("by two", json!({"numApprovals": 2})).await;
    let proposal = house.ask(&profile).await;
    let detail = house.detail(&proposal).await;
    let certificate = &detail["certificate"];
    assert_eq!(
        (&certificate["subject"], &certificate["subjectAltNames"], &certificate["certProfile"]),
        (&json!("CN=client 1,O=Test,C=DE"), &json!(["DNS:client.example"]), &json!("by two"))
    );
    assert_eq!(
        (&certificate["issuerUuid"], &certificate["saveKey"], &certificate["trustCert"], &detail["kind"]),
        (&json!(house.signing.root), &json!(true), &json!(false), &json!("Certificate"))
    );
    assert_eq!(certificate["validityPeriod"], json!({"unit": "Month", "amount": "1"}));
    let first = approve(&house.ann, &proposal).await;
    assert_eq!(first.response()["approvals"], json!({"given": 1, "required": 2}));
    approve(&house.ann, &proposal).await.refused(409, "InvalidState", None);
    approve(&house.asker, &proposal).await.refused(403, "NotAuthorized", None);
    assert_eq!(house.issued().await, 0);
    let digest = json!({"digest": detail["digest"]});
    let last = house.bob.post(&format!("{PROPOSALS}/{proposal}/approve"), digest).await;
    assert_eq!([&last.response()["state"], &last.response()["approvalState"]], ["Issued", "Approved"]);
    let made = house.certificate(last.response()).await;
    assert_eq!((&made["subject"], &made["certProfileUuid"]), (&certificate["subject"], &json!(profile)));
    assert!(made["keyUuid"].is_string() && made["notBefore"] == "2026-06-21T12:00:00Z", "{made}");
    openssl_accepts(&house.signing.root_pem, made["certificate"].as_str().unwrap());
    let detail = house.detail(&proposal).await;
    assert_eq!((&detail["state"], &detail["certificateUuid"]), (&json!("Issued"), &made["uuid"]));
    let audit = house.signing.admin.get("/api/v2/audit?action=CertificateGenerate").await;
    let records = audit.response()["items"].as_array().unwrap();
    let record = records.iter().find(|record| record["detail"]["proposalUuid"] == json!(proposal)).unwrap();
    assert_eq!((&record["objectUuid"], &record["identities"][0]["name"]), (&made["uuid"], &json!("bob")));
    approve(&house.signing.admin, &proposal).await.refused(409, "InvalidState", None);
    assert_eq!(house.issued().await, 1);
}

#[tokio::test]
async fn a_request_shows_its_public_key_and_every_way_waits() {
    let house = House::new().await;
    let profile = house.profile("by one", json!({"numApprovals": 1})).await;
    let csr = csr(P256, "/CN=elsewhere", &[]);
    let request = json!({"serviceOrIssuerUuid": house.signing.root, "csr": csr, "certProfileUuid": profile});
    let proposal = waits(&house.asker.post("/api/v2/x509/requests", request.clone()).await);
    assert!(house.detail(&proposal).await["certificate"]["publicKeySha256"].is_string());
    let made = house.certificate(approve(&house.ann, &proposal).await.response()).await;
    let key = |arguments: &[&str], input: &str| {
        Tool::new("openssl35").args(arguments).input(input.as_bytes().to_vec()).run().text()
    };
    let certified = key(&["x509", "-noout", "-pubkey"], made["certificate"].as_str().unwrap());
    assert_eq!(certified, key(&["req", "-noout", "-pubkey"], &csr));
    // The successors of what was approved are approved too.
    let path = |what: &str| format!("/api/v2/x509/{}/{what}", made["uuid"].as_str().unwrap());
    for (what, body) in [("renew", json!({})), ("rekey", json!({"newKey": {"keyTypeUuid": ED25519, "save": false}}))] {
        let before = house.issued().await;
        let proposal = waits(&house.asker.post(&path(what), body).await);
        assert_eq!(house.detail(&proposal).await["certificate"]["insteadOf"], made["uuid"]);
        assert_eq!(house.issued().await, before);
        let made = house.certificate(approve(&house.ann, &proposal).await.response()).await;
        assert_eq!(made["subject"], "CN=elsewhere");
        openssl_accepts(&house.signing.root_pem, made["certificate"].as_str().unwrap());
    }
    // What is not kept would reach nobody.
    let unsaved = json!({"saveCert": false, "newKey": {"keyTypeUuid": EC_P256, "save": false}});
    let unsaved = crate::certificates::with(house.wanted(&profile), unsaved);
    house.asker.post(GENERATE, unsaved).await.refused(400, "InvalidValue", Some("/saveCert"));
}

#[tokio::test]
async fn denied_withdrawn_expired() {
    let house = House::new().await;
    let lifetime = json!({"unit": "Second", "amount": "60"});
    let profile = house.profile("by one", json!({"numApprovals": 1, "requestLifetime": lifetime})).await;
    let [denied, withdrawn, expired] =
        [house.ask(&profile).await, house.ask(&profile).await, house.ask(&profile).await];
    let end = async |client: &Client, proposal: &str, how: &str| {
        client.post(&format!("{PROPOSALS}/{proposal}/{how}"), json!({"note": "no"})).await
    };
    end(&house.ann, &withdrawn, "withdraw").await.refused(403, "NotAuthorized", None);
    for (client, proposal, how) in [(&house.ann, &denied, "deny"), (&house.asker, &withdrawn, "withdraw")] {
        assert_eq!(end(client, proposal, how).await.response()["state"], "Denied");
        approve(&house.bob, proposal).await.refused(409, "InvalidState", None);
    }
    let waiting = async || house.ann.get(&format!("{PROPOSALS}?kind=Certificate&waiting=true")).await;
    assert_eq!(waiting().await.response()["total"], 1);
    house.signing.app.clock.advance_ms(60_000);
    approve(&house.bob, &expired).await.refused(409, "InvalidState", None);
    assert_eq!(house.detail(&expired).await["state"], "Failed");
    assert_eq!((waiting().await.response()["total"].clone(), house.issued().await), (json!(0), 0));
}

#[tokio::test]
async fn whoever_asks_approves_only_as_the_rules_say() {
    let house = House::new().await;
    let admin = &house.signing.admin;
    let ask = async |profile: &str| waits(&admin.post(GENERATE, house.wanted(profile)).await);
    let never = house.profile("never", json!({"numApprovals": 1, "selfApproval": "Never"})).await;
    approve(admin, &ask(&never).await).await.refused(403, "NotAuthorized", None);
    let dual = ask(&house.profile("dual", json!({"numApprovals": 1})).await).await;
    assert_eq!(approve(admin, &dual).await.response()["state"], "Issued");
    let alone = house.signing.app.with_perms("alone", &[Perm::CertManageGenerate, Perm::SigningApprove]).await;
    let profile = house.profile("again dual", json!({"numApprovals": 1})).await;
    let own = waits(&alone.post(GENERATE, house.wanted(&profile)).await);
    approve(&alone, &own).await.refused(403, "NotAuthorized", None);
    // Nor does somebody who came after the request.
    house.signing.app.clock.advance_ms(1);
    let late = house.signing.approver("late").await;
    approve(&late, &own).await.refused(403, "NotAuthorized", None);
    // Others see neither the request nor the list.
    let other = house.signing.app.with_perms("other", &[Perm::CertManageGenerate]).await;
    other.get(&format!("{PROPOSALS}/{own}")).await.refused(403, "NotAuthorized", None);
    assert_eq!(other.get(PROPOSALS).await.response()["total"], 0);
    assert_eq!(alone.get(PROPOSALS).await.response()["total"], 3, "an approver");
    assert_eq!(house.asker.get(PROPOSALS).await.response()["total"], 0);
}

#[tokio::test]
async fn steps_are_taken_in_their_order() {
    let house = House::new().await;
    let leads = house.signing.role("leads", &["Signing:Approve"]).await;
    let lead = house.signing.person("lead", &leads).await;
    let steps = json!([
        {"roleUuids": [leads], "numApprovals": 1}, {"roleUuids": [APPROVER], "numApprovals": 1}
    ]);
    let proposal = house.ask(&house.profile("led", json!({"numApprovals": 2, "approvalSteps": steps})).await).await;
    approve(&house.ann, &proposal).await.refused(403, "NotAuthorized", None);
    assert_eq!(approve(&lead, &proposal).await.response()["state"], "Approval");
    assert_eq!(approve(&house.ann, &proposal).await.response()["state"], "Issued");
}

#[tokio::test]
async fn many_are_decided_at_once() {
    let house = House::new().await;
    let profile = house.profile("by one", json!({"numApprovals": 1})).await;
    let [one, two, three] = [house.ask(&profile).await, house.ask(&profile).await, house.ask(&profile).await];
    let batch = async |client: &Client, uuids: &[&String], decision: &str| {
        let body = json!({"uuids": uuids, "decision": decision});
        client.post(&format!("{PROPOSALS}/batch-approve-deny"), body).await.response()["results"].clone()
    };
    assert_eq!(batch(&house.asker, &[&three], "Deny").await[0]["decided"]["state"], "Denied");
    let results = batch(&house.ann, &[&one, &three, &two], "Approve").await;
    let states: Vec<_> = results.as_array().unwrap().iter().map(|one| &one["decided"]["state"]).collect();
    assert_eq!(states, [&json!("Issued"), &Value::Null, &json!("Issued")], "{results}");
    assert_eq!(results[1]["errorCode"], "InvalidState");
    assert_eq!(house.issued().await, 2);
}

/// Approvals of two nodes at the same time, of which one is the last that is needed.
async fn parallel_approvers_give_one_certificate(setup: Setup) {
    let house = House::with(setup).await;
    let profile = house.profile("by two", json!({"numApprovals": 2})).await;
    let router = house.signing.app.other_node().await;
    for n in 0..5 {
        let proposal = house.ask(&profile).await;
        approve(&house.signing.admin, &proposal).await.response();
        let elsewhere = |client: &Client| Client::new(router.clone()).with_bearer(client.bearer.as_deref().unwrap());
        let clients = [&house.ann, &house.bob].map(elsewhere);
        let here = [&house.ann, &house.bob].map(|client| approve(client, &proposal));
        let there = clients.each_ref().map(|client| approve(client, &proposal));
        let replies = join_all(here.into_iter().chain(there)).await;
        let issued: Vec<_> = replies.iter().filter(|reply| reply.status.as_u16() == 200).collect();
        assert_eq!(issued.len(), 1);
        openssl_accepts(
            &house.signing.root_pem,
            house.certificate(issued[0].response()).await["certificate"].as_str().unwrap(),
        );
        assert_eq!(house.issued().await, n + 1, "whatever else was signed counts for nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_approvers_give_exactly_one_certificate() {
    Box::pin(parallel_approvers_give_one_certificate(Setup::default())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_approvers_give_exactly_one_certificate_on_postgresql() {
    Box::pin(parallel_approvers_give_one_certificate(Setup { postgres: true, ..Setup::default() })).await;
}

#[tokio::test]
async fn what_waits_outlives_a_restart() {
    let house = House::new().await;
    let profile = house.profile("by two", json!({"numApprovals": 2})).await;
    let proposal = house.ask(&profile).await;
    approve(&house.ann, &proposal).await.response();
    // A server that knows nothing but what is stored.
    let router = house.signing.app.other_node().await;
    let bob = Client::new(router).with_bearer(house.bob.bearer.as_deref().unwrap());
    let last = approve(&bob, &proposal).await;
    assert_eq!(last.response()["state"], "Issued");
    let made = house.certificate(last.response()).await;
    openssl_accepts(&house.signing.root_pem, made["certificate"].as_str().unwrap());
}
