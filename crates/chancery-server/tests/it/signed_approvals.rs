//! Policies that demand that approvals are signed with passkeys.

use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup},
    authenticator::{Authenticator, ORIGIN, authenticator, confirm, enrol, passkeys_path as path},
    client::{Client, Reply},
    signing::{PROPOSALS, REQUESTS, Service, Signing},
};

/// Somebody with a passkey that was confirmed.
pub(crate) struct Approver {
    pub(crate) client: Client,
    pub(crate) key: Authenticator,
    pub(crate) uuid: String,
    pub(crate) passkey: Value,
}

pub(crate) async fn signing() -> Signing {
    Signing::with(Setup { public_origin: Some(ORIGIN.to_owned()), ..Setup::default() }).await
}

pub(crate) async fn approver(signing: &Signing, name: &str) -> Approver {
    let client = signing.approver(name).await;
    let (uuid, key) = (signing.admin.identity_uuid(name).await, authenticator());
    let made = enrol(&client, &path(&uuid), "key", &key).await.response().clone();
    let passkey = confirm(&signing.admin, &path(&uuid), &made).await.response().clone();
    Approver { client, key, uuid, passkey }
}

pub(crate) async fn demanding(signing: &Signing, num_approvals: u32) -> Service {
    let demands = |body: &mut Value| body["pkisigning"]["rules"] = json!({"signedApprovals": true});
    signing.deploy_with("builds", num_approvals, demands).await
}

fn at(request: &str) -> String {
    format!("{REQUESTS}/{request}")
}

pub(crate) async fn statements(client: &Client, request: &str) -> Vec<Value> {
    let answer = client.get(&format!("{}/approval-statement", at(request))).await.response().clone();
    assert_eq!(answer["demanded"], true);
    answer["statements"].as_array().unwrap().clone()
}

pub(crate) async fn approve_with(client: &Client, request: &str, assertions: Vec<Value>) -> Reply {
    client.post(&format!("{}/approve", at(request)), json!({"assertions": assertions})).await
}

impl Approver {
    pub(crate) async fn approve(&mut self, request: &str) -> Reply {
        let statement = &statements(&self.client, request).await[0];
        let assertion = self.key.sign(statement);
        approve_with(&self.client, request, vec![assertion]).await
    }
}

#[tokio::test]
async fn a_signature_is_used_once_by_one_session_for_what_it_says() {
    let signing = signing().await;
    let service = demanding(&signing, 2).await;
    let mut ann = approver(&signing, "ann").await;
    let mut bob = approver(&signing, "bob").await;
    let (request, other) = (signing.submit(&service, b"payload").await, signing.submit(&service, b"other").await);
    let refused = |reply: &Reply, field: &str| reply.refused(403, "NotAuthorized", Some(field));

    let statement = statements(&ann.client, &request).await.remove(0);
    let assertion = ann.key.sign(&statement);
    // Of another request, in another session of the same person, and by somebody else.
    approve_with(&ann.client, &other, vec![assertion.clone()]).await.refused(
        409,
        "InvalidState",
        Some("/assertions/0"),
    );
    let again = signing.app.logged_in(&[("ann", PASSWORD)]).await;
    refused(&approve_with(&again, &request, vec![assertion.clone()]).await, "/assertions/0/ticket");
    refused(&approve_with(&bob.client, &request, vec![assertion.clone()]).await, "/assertions/0/ticket");
    refused(&approve_with(&ann.client, &request, vec![assertion.clone(), assertion.clone()]).await, "/assertions");
    // By a passkey of somebody else, and with a statement of somebody else.
    let by_bob = bob.key.sign(&statement);
    refused(&approve_with(&ann.client, &request, vec![by_bob]).await, "/assertions/0/credential");
    let mut mixed = assertion.clone();
    mixed["credential"]["id"] = json!(bob.key.id());
    refused(&approve_with(&ann.client, &request, vec![mixed]).await, "/assertions/0/credential");
    // Another key under the name of the right one.
    let mut forger = authenticator().with_id_of(&ann.key);
    refused(&approve_with(&ann.client, &request, vec![forger.sign(&statement)]).await, "/assertions/0/credential");
    assert_eq!(approve_with(&ann.client, &request, vec![assertion.clone()]).await.response()["state"], "Approval");
    approve_with(&ann.client, &request, vec![assertion]).await.refused(409, "InvalidState", None);

    // Too late, and after the policy changed.
    let statement = statements(&bob.client, &request).await.remove(0);
    let late = bob.key.sign(&statement);
    signing.app.clock.advance_ms(300_000);
    refused(&approve_with(&bob.client, &request, vec![late]).await, "/assertions/0/ticket");
    assert_eq!(bob.approve(&request).await.response()["state"], "Signed");
}

#[tokio::test]
async fn what_an_authenticator_or_a_page_did_otherwise_is_refused() {
    let signing = signing().await;
    let service = demanding(&signing, 1).await;
    let mut ann = approver(&signing, "ann").await;
    let request = signing.submit(&service, b"payload").await;
    type Change = fn(&mut Authenticator);
    let changes: [(Change, &str); 5] = [
        (|key| key.origin = "https://evil.example".to_owned(), "another origin"),
        (|key| key.rp_id = "evil.example".to_owned(), "another relying party"),
        (|key| key.flags = 1, "not verified"),
        (|key| key.flags = 4, "nobody was present"),
        (|key| key.flags = 0x0d, "can be copied"),
    ];
    for (change, says) in changes {
        let (origin, rp_id, flags) = (ann.key.origin.clone(), ann.key.rp_id.clone(), ann.key.flags);
        change(&mut ann.key);
        let reply = ann.approve(&request).await;
        reply.refused(403, "NotAuthorized", Some("/assertions/0/credential"));
        assert!(reply.text().contains(says), "{}", reply.text());
        (ann.key.origin, ann.key.rp_id, ann.key.flags) = (origin, rp_id, flags);
    }
    for (member, value) in [("signature", "AAAA"), ("authenticatorData", "AAAA"), ("clientDataJSON", "e30")] {
        let statement = statements(&ann.client, &request).await.remove(0);
        let mut assertion = ann.key.sign(&statement);
        assertion["credential"]["response"][member] = json!(value);
        let reply = approve_with(&ann.client, &request, vec![assertion.clone()]).await;
        reply.refused(403, "NotAuthorized", Some("/assertions/0/credential"));
        assertion["credential"]["response"][member] = json!("*");
        let reply = approve_with(&ann.client, &request, vec![assertion]).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("/assertions/0/credential/response/{member}")));
    }
    assert_eq!(ann.approve(&request).await.response()["state"], "Signed");
    // A copy of it that has signed less often.
    let second = signing.submit(&service, b"second").await;
    ann.key.count = 0;
    let reply = ann.approve(&second).await;
    reply.refused(403, "NotAuthorized", Some("/assertions/0/credential"));
    assert!(reply.text().contains("counter"), "{}", reply.text());
}

#[tokio::test]
async fn what_is_not_confirmed_deleted_or_locked_signs_nothing() {
    let signing = signing().await;
    let service = demanding(&signing, 1).await;
    let (client, mut key) = (signing.approver("new").await, authenticator());
    let own = path(&signing.admin.identity_uuid("new").await);
    let made = enrol(&client, &own, "key", &key).await.response().clone();
    let request = signing.submit(&service, b"payload").await;
    let statement = statements(&client, &request).await.remove(0);
    assert_eq!(statement["publicKey"]["allowCredentials"], json!([]));
    let reply = approve_with(&client, &request, vec![key.sign(&statement)]).await;
    reply.refused(403, "NotAuthorized", Some("/assertions/0/credential"));
    confirm(&signing.admin, &own, &made).await.response();
    // The same statement is good now; and is none once the passkey is gone.
    let assertion = key.sign(&statement);
    let uuid = made["objInfo"]["uuid"].as_str().unwrap();
    signing.admin.delete(&format!("{own}/{uuid}")).await.response();
    let reply = approve_with(&client, &request, vec![assertion]).await;
    reply.refused(403, "NotAuthorized", Some("/assertions/0/credential"));
    assert_eq!(signing.words(&request).await[0], "Approval");
}

#[tokio::test]
async fn each_of_two_in_a_session_signs() {
    let signing = signing().await;
    let service = demanding(&signing, 1).await;
    let role = json!({"name": "pair", "loginsRequired": 2, "perms": ["Signing:Approve"]});
    let role = signing.admin.post("/api/v2/roles", role).await.response()["uuid"].as_str().unwrap().parse().unwrap();
    let (ann, bob) =
        (signing.admin.create_person("ann", &[role]).await, signing.admin.create_person("bob", &[role]).await);
    let both = signing.app.logged_in(&[("ann", PASSWORD), ("bob", PASSWORD)]).await;
    let (mut of_ann, mut of_bob) = (authenticator(), authenticator());
    for (uuid, key) in [(&ann, &of_ann), (&bob, &of_bob)] {
        let made = enrol(&both, &path(uuid), "key", key).await.response().clone();
        confirm(&signing.admin, &path(uuid), &made).await.response();
    }
    let request = signing.submit(&service, b"payload").await;
    let shown = statements(&both, &request).await;
    let mut sorted = [ann, bob];
    sorted.sort();
    for statement in &shown {
        let text = statement["statement"].as_str().unwrap();
        assert!(text.contains(&format!("\nsession {} {}\n", sorted[0], sorted[1])), "{text}");
    }
    let (of_ann, of_bob) = (of_ann.sign(&shown[0]), of_bob.sign(&shown[1]));
    for too_few in [vec![of_ann.clone()], vec![of_bob.clone()]] {
        approve_with(&both, &request, too_few).await.refused(403, "NotAuthorized", Some("/assertions"));
    }
    let twice = vec![of_ann.clone(), of_ann.clone()];
    approve_with(&both, &request, twice).await.refused(403, "NotAuthorized", Some("/assertions/1"));
    assert_eq!(approve_with(&both, &request, vec![of_bob, of_ann]).await.response()["state"], "Signed");
    assert_eq!(signing.read(&request).await["approvals"][0]["signatures"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_policy_that_changed_meanwhile_and_approvals_of_before_do_not_count() {
    let signing = signing().await;
    let service = signing.deploy("builds", 2).await;
    let (mut ann, mut bob, mut eve) =
        (approver(&signing, "ann").await, approver(&signing, "bob").await, approver(&signing, "eve").await);
    let request = signing.submit(&service, b"payload").await;
    let none = ann.client.get(&format!("{}/approval-statement", at(&request))).await.response().clone();
    assert_eq!(none, json!({"demanded": false, "statements": []}));
    approve_with(&ann.client, &request, Vec::new()).await.response();
    let policy = format!("/api/v2/x509/signing-policies/{}", service.policy);
    let stricter = json!({"rules": {"signedApprovals": true}});
    signing.agreed(&signing.admin.patch(&policy, stricter).await).await;
    // One approval was given before, and is no longer enough to be the first of two.
    assert_eq!(bob.approve(&request).await.response()["approvals"], json!({"given": 1, "required": 2}));
    ann.client.post(&format!("{}/approve", at(&request)), json!({})).await.refused(409, "InvalidState", None);

    let statement = statements(&eve.client, &request).await.remove(0);
    let assertion = eve.key.sign(&statement);
    let change = signing.admin.patch(&policy, json!({"objInfo": {"name": "renamed"}})).await;
    let proposal = change.response()["pendingChange"]["uuid"].as_str().unwrap().to_owned();
    for by in [&mut ann, &mut bob] {
        let shown = by.client.get(&format!("{PROPOSALS}/{proposal}/approval-statement")).await.response().clone();
        let signed = by.key.sign(&shown["statements"][0]);
        let body = json!({"assertions": [signed]});
        by.client.post(&format!("{PROPOSALS}/{proposal}/approve"), body).await.response();
    }
    // Nor do approvals under two states of the policy count together.
    approve_with(&eve.client, &request, vec![assertion]).await.refused(409, "InvalidState", None);
    let shown = eve.client.get(&format!("{}/approval-statement", at(&request))).await;
    shown.refused(409, "InvalidState", None);
    assert!(shown.text().contains("the policy was changed"), "{}", shown.text());
    let again = signing.submit(&service, b"payload").await;
    bob.approve(&again).await.response();
    assert_eq!(eve.approve(&again).await.response()["state"], "Signed");
}

#[tokio::test]
async fn the_demand_takes_approvals_and_a_server_with_a_name() {
    let signing = signing().await;
    let mut body = signing.deployment("builds", 0);
    body["pkisigning"]["rules"] = json!({"signedApprovals": true});
    let reply = signing.admin.post("/cuserv/v1/services/deploy", body).await;
    reply.refused(400, "InvalidValue", Some("/pkisigning/rules/signedApprovals"));
    let nameless = Signing::new().await;
    let mut body = nameless.deployment("builds", 1);
    body["pkisigning"]["rules"] = json!({"signedApprovals": true});
    let reply = nameless.admin.post("/cuserv/v1/services/deploy", body).await;
    reply.refused(409, "InvalidState", Some("/pkisigning/rules/signedApprovals"));
}

#[tokio::test]
async fn what_one_node_began_another_ends_and_both_know_of_it() {
    let signing = signing().await;
    let service = demanding(&signing, 2).await;
    let mut ann = approver(&signing, "ann").await;
    let bearer = ann.client.bearer.clone().unwrap();
    let there = Client::new(signing.app.other_node().await).with_bearer(&bearer);
    let (first, second) = (signing.submit(&service, b"first").await, signing.submit(&service, b"second").await);
    let statement = statements(&ann.client, &first).await.remove(0);
    let assertion = ann.key.sign(&statement);
    assert_eq!(approve_with(&there, &first, vec![assertion]).await.response()["state"], "Approval");
    let statement = statements(&there, &second).await.remove(0);
    let assertion = ann.key.sign(&statement);
    let uuid = ann.passkey["objInfo"]["uuid"].as_str().unwrap();
    signing.admin.delete(&format!("{}/{uuid}", path(&ann.uuid))).await.response();
    let reply = approve_with(&there, &second, vec![assertion]).await;
    reply.refused(403, "NotAuthorized", Some("/assertions/0/credential"));
}
