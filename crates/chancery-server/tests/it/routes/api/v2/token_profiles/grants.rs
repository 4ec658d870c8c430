//! Grants: detokenizing in full where a Control Rule demands approvals, and /api/v2/token-profiles/{uuid}/grants.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Bench, PROFILES, changed, rules};
use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::{Client, Reply},
    signing::{APPROVER, PROPOSALS},
};

const MESSAGE: &str = "4111111111111111";
const OTHER: &str = "5500000000000004";

/// A profile whose Control Rules demand approvals of one role, and who has to do with it.
struct World {
    bench: Bench,
    profile: String,
    role: String,
    clerk: Client,
    token: String,
    other: String,
}

fn hours(amount: &str) -> Value {
    json!({"unit": "Hour", "amount": amount})
}

async fn new_role(admin: &Client, name: &str) -> String {
    let body = json!({"name": name, "loginsRequired": 1, "perms": []});
    admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().to_owned()
}

impl World {
    async fn new() -> Self {
        Self::with(Setup::default(), 2).await
    }

    async fn with(setup: Setup, num_approvals: u32) -> Self {
        let bench = Bench::with(setup).await;
        let role = new_role(&bench.admin, "clerks").await;
        let profile = bench.profile(json!({"controlRules": demanding(&role, num_approvals)})).await;
        let (token, other) = (profile.tokenize(MESSAGE).await, profile.tokenize(OTHER).await);
        let id = profile.id.clone();
        let clerk = bench.app.person("clerk", &[role.parse().unwrap()]).await;
        Self { bench, profile: id, role, clerk, token, other }
    }

    fn path(&self, below: &str) -> String {
        format!("{PROFILES}/{}/{below}", self.profile)
    }

    async fn approver(&self, name: &str) -> Client {
        self.bench.app.person(name, &[APPROVER.parse().unwrap()]).await
    }

    async fn ask(&self, changes: Value) -> Reply {
        let body = json!({"reason": "chargeback", "ticket": "PAY-7", "maxValues": 3, "lifetime": hours("8")});
        self.clerk.post(&self.path("grants"), changed(body, &changes)).await
    }

    /// A grant with all its approvals, each of somebody new.
    async fn granted(&self, changes: Value) -> String {
        let asked = self.ask(changes).await;
        let id = uuid(&asked);
        for n in 0..asked.response()["approvals"]["required"].as_u64().unwrap() {
            let approver = self.approver(&format!("{n} of {id}")).await;
            approve(&approver, &id).await.response();
        }
        id
    }

    async fn detokenize(&self, token: &str, grant: Option<&str>) -> Reply {
        self.clerk.post(&self.path("detokenize"), sent(token, grant)).await
    }

    async fn batch(&self, values: usize, grant: &str) -> Reply {
        let body = json!({"tokens": vec![&self.token; values], "grantUuid": grant});
        self.clerk.post(&self.path("batch-detokenize"), body).await
    }

    async fn read(&self, grant: &str) -> Value {
        self.clerk.get(&self.path(&format!("grants/{grant}"))).await.response().clone()
    }

    async fn end(&self, client: &Client, grant: &str) -> Reply {
        client.post(&self.path(&format!("grants/{grant}/revoke")), json!({"note": "enough"})).await
    }

    async fn patch(&self, changes: Value) {
        self.bench.admin.patch(&format!("{PROFILES}/{}", self.profile), changes).await.response();
    }

    async fn uses(&self, grant: &str) -> Vec<Value> {
        let path = format!("/api/v2/audit?action=DetokenizeGrantUse&objectUuid={grant}");
        self.bench.admin.get(&path).await.response()["items"].as_array().unwrap().clone()
    }
}

/// The clerks' rules, and those of the administrators to make tokens.
fn demanding(role: &str, num_approvals: u32) -> Value {
    let mut all = rules(&["Tokenize"]).as_array().unwrap().clone();
    all.push(json!({"roleUuid": role, "operation": "Detokenize", "approval": {"numApprovals": num_approvals}}));
    all.push(json!({"roleUuid": role, "operation": "Batch"}));
    Value::Array(all)
}

fn sent(token: &str, grant: Option<&str>) -> Value {
    match grant {
        Some(grant) => json!({"token": token, "grantUuid": grant}),
        None => json!({"token": token}),
    }
}

fn uuid(reply: &Reply) -> String {
    reply.response()["uuid"].as_str().unwrap().to_owned()
}

async fn approve(client: &Client, grant: &str) -> Reply {
    client.post(&format!("{PROPOSALS}/{grant}/approve"), json!({})).await
}

#[track_caller]
fn shows(reply: &Reply, message: &str) {
    assert_eq!(reply.response()["message"], message, "{}", reply.text());
}

#[tokio::test]
async fn a_rule_demands_people_approve_and_a_grant_lets_so_many_values_through() {
    let world = World::new().await;
    let refused = world.detokenize(&world.token, None).await;
    refused.refused(403, "NotAuthorized", Some("/grantUuid"));
    assert!(refused.text().contains("takes 2 approvals"), "{}", refused.text());
    let asked = world.ask(json!({})).await;
    let (id, approvals) = (uuid(&asked), &asked.response()["approvals"]);
    assert_eq!((&asked.response()["state"], approvals), (&json!("Approval"), &json!({"given": 0, "required": 2})));
    let waits = world.detokenize(&world.token, Some(&id)).await;
    waits.refused(409, "InvalidState", Some("/grantUuid"));
    assert!(waits.text().contains("it has 0 of 2"), "{}", waits.text());

    let (ann, bob) = (world.approver("ann").await, world.approver("bob").await);
    approve(&world.clerk, &id).await.refused(403, "NotAuthorized", None);
    approve(&ann, &id).await.response();
    approve(&ann, &id).await.refused(409, "InvalidState", None);
    world.detokenize(&world.token, Some(&id)).await.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(approve(&bob, &id).await.response()["state"], "Active");

    shows(&world.detokenize(&world.token, Some(&id)).await, MESSAGE);
    world.batch(3, &id).await.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(world.batch(2, &id).await.response()["messages"], json!([MESSAGE, MESSAGE]));
    let over = world.detokenize(&world.token, Some(&id)).await;
    over.refused(409, "InvalidState", Some("/grantUuid"));
    let grant = world.read(&id).await;
    assert_eq!((&grant["state"], &grant["used"], &grant["ticket"]), (&json!("UsedUp"), &json!(3), &json!("PAY-7")));
    assert_eq!(grant["endsAt"], "2026-06-21T20:00:00Z");

    let uses = world.uses(&id).await;
    let counts: Vec<_> =
        uses.iter().map(|use_| (use_["detail"]["values"].clone(), use_["detail"]["used"].clone())).collect();
    assert_eq!(counts, [(json!(2), json!(3)), (json!(1), json!(1))]);
    assert_eq!((&uses[0]["detail"]["reason"], &uses[0]["detail"]["maxValues"]), (&json!("chargeback"), &json!(3)));
    let path = format!("/api/v2/audit?action=ProposalSubmit&objectUuid={id}");
    let submitted = world.bench.admin.get(&path).await.response()["items"][0]["detail"]["grant"].clone();
    assert_eq!((&submitted["ticket"], &submitted["maxValues"]), (&json!("PAY-7"), &json!(3)));
    assert!(!submitted.to_string().contains(&world.token), "{submitted}");
}

#[tokio::test]
async fn the_one_who_asks_approves_neither_alone_nor_with_another() {
    let world = World::with(Setup::default(), 1).await;
    let (app, admin) = (&world.bench.app, &world.bench.admin);
    let both = [world.role.parse().unwrap(), APPROVER.parse().unwrap()];
    let dora = app.person("dora", &both).await;
    let late = world.approver("late").await;
    app.clock.advance_ms(1_000);
    let body = json!({"reason": "mine", "maxValues": 1, "lifetime": hours("1")});
    let id = uuid(&dora.post(&world.path("grants"), body.clone()).await);
    approve(&dora, &id).await.refused(403, "NotAuthorized", None);
    // Whoever became an approver after something was asked for does not decide on it.
    app.clock.advance_ms(1_000);
    let later = world.approver("later").await;
    approve(&later, &id).await.refused(403, "NotAuthorized", None);
    assert_eq!(approve(&late, &id).await.response()["state"], "Active");
    let other = world.detokenize(&world.token, Some(&id)).await;
    other.refused(400, "InvalidSelection", Some("/grantUuid"));
    shows(&dora.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await, MESSAGE);

    let pairs = json!({"name": "pairs", "loginsRequired": 2, "perms": ["Signing:Approve"]});
    let pairs = admin.post("/api/v2/roles", pairs).await.response()["uuid"].as_str().unwrap().to_owned();
    world.patch(json!({"controlRules": demanding(&pairs, 1)})).await;
    for name in ["one", "two", "three", "four"] {
        admin.create_person(name, &[pairs.parse().unwrap()]).await;
    }
    let session = async |first, second| app.logged_in(&[(first, PASSWORD), (second, PASSWORD)]).await;
    let asking = session("one", "two").await;
    let id = uuid(&asking.post(&world.path("grants"), body).await);
    let overlapping = session("two", "three").await;
    approve(&asking, &id).await.refused(403, "NotAuthorized", None);
    approve(&overlapping, &id).await.refused(403, "NotAuthorized", None);
    assert_eq!(approve(&session("three", "four").await, &id).await.response()["state"], "Active");
    // In another's company it is not the session that asked.
    let reply = overlapping.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(400, "InvalidSelection", Some("/grantUuid"));
    shows(&asking.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await, MESSAGE);
}

#[tokio::test]
async fn a_grant_of_listed_tokens_refuses_every_other_one() {
    let world = World::with(Setup::default(), 1).await;
    let spaced = format!("{} {}", &world.token[..4], &world.token[4..]);
    let id = world.granted(json!({"tokens": [spaced], "maxValues": 5})).await;
    shows(&world.detokenize(&world.token, Some(&id)).await, MESSAGE);
    let other = world.detokenize(&world.other, Some(&id)).await;
    other.refused(403, "NotAuthorized", Some("/token"));
    let body = json!({"tokens": [world.token, world.other], "grantUuid": id});
    let batch = world.clerk.post(&world.path("batch-detokenize"), body).await;
    batch.refused(403, "NotAuthorized", Some("/tokens/1"));
    let track = |token: &str| json!({"track": format!(";{token}=29121010000000000?"), "grantUuid": id});
    let path = world.path("track-detokenize");
    world.clerk.post(&path, track(&world.other)).await.refused(403, "NotAuthorized", Some("/track"));
    let shown = world.clerk.post(&path, track(&world.token)).await;
    assert_eq!(shown.response()["track"], format!(";{MESSAGE}=29121010000000000?"));
    assert_eq!(world.read(&id).await["used"], 2, "what was refused before is not counted");
    assert_eq!(world.read(&id).await["tokens"], 1);
    let told = world.bench.admin.get(&format!("{PROPOSALS}/{id}")).await.text().to_owned();
    assert!(!told.contains(&world.token), "{told}");
}

#[tokio::test]
async fn it_ends_by_time_by_revocation_and_with_its_identity() {
    let world = World::with(Setup::default(), 1).await;
    let by_time = world.granted(json!({"lifetime": hours("1")})).await;
    world.bench.app.clock.advance_ms(3_599_999);
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let world = World { clerk, ..world };
    shows(&world.detokenize(&world.token, Some(&by_time)).await, MESSAGE);
    world.bench.app.clock.advance_ms(1);
    world.detokenize(&world.token, Some(&by_time)).await.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(world.read(&by_time).await["state"], "Ended");

    let admin = world.bench.app.admin().await;
    let approver = world.approver("stops").await;
    for stops in [&approver, &admin, &world.clerk] {
        let id = world.granted(json!({})).await;
        assert_eq!(world.end(stops, &id).await.response()["state"], "Revoked");
        let refused = world.detokenize(&world.token, Some(&id)).await;
        refused.refused(409, "InvalidState", Some("/grantUuid"));
        world.end(stops, &id).await.refused(409, "InvalidState", None);
    }
    let waiting = uuid(&world.ask(json!({})).await);
    assert_eq!(world.end(&world.clerk, &waiting).await.response()["state"], "Denied");
    let waiting = uuid(&world.ask(json!({})).await);
    assert_eq!(world.end(&admin, &waiting).await.response()["state"], "Denied");

    let (locked, asked) = (world.granted(json!({})).await, uuid(&world.ask(json!({})).await));
    let identity = admin.identity_uuid("clerk").await;
    for step in ["lock", "unlock"] {
        admin.post_nothing(&format!("/api/v2/identities/{identity}/{step}")).await.response();
    }
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let reply = clerk.post(&world.path("detokenize"), sent(&world.token, Some(&locked))).await;
    reply.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(approve(&approver, &asked).await.status.as_u16(), 409, "it ended with the lock");
}

#[tokio::test]
async fn it_ends_with_the_role_for_good() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({})).await;
    world.bench.app.clock.advance_ms(1_000);
    let spare = new_role(&world.bench.admin, "spare").await;
    let identity = world.bench.admin.identity_uuid("clerk").await;
    let path = format!("/api/v2/identities/{identity}");
    world.bench.admin.patch(&path, json!({"roleUuids": [spare]})).await.response();
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let reply = clerk.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(403, "NotAuthorized", Some("/grantUuid"));
    world.bench.admin.patch(&path, json!({"roleUuids": [spare, world.role]})).await.response();
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let reply = clerk.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(403, "NotAuthorized", Some("/grantUuid"));
}

#[tokio::test]
async fn a_rule_that_becomes_stricter_or_goes_away_counts_at_once() {
    let world = World::with(Setup::default(), 1).await;
    let (id, asked) = (world.granted(json!({})).await, uuid(&world.ask(json!({})).await));
    world.patch(json!({"controlRules": demanding(&world.role, 2)})).await;
    let waits = world.detokenize(&world.token, Some(&id)).await;
    waits.refused(409, "InvalidState", Some("/grantUuid"));
    assert!(waits.text().contains("it has 1 of 2"), "{}", waits.text());
    let (ann, bob) = (world.approver("ann").await, world.approver("bob").await);
    assert_eq!(approve(&ann, &asked).await.status.as_u16(), 200);
    assert_eq!(world.read(&asked).await["state"], "Approval", "the stricter rule counts");
    approve(&bob, &asked).await.response();
    shows(&world.detokenize(&world.token, Some(&asked)).await, MESSAGE);
    assert_eq!(approve(&ann, &id).await.response()["state"], "Active");
    shows(&world.detokenize(&world.token, Some(&id)).await, MESSAGE);
    // A laxer rule asks no more for what was asked for under a stricter one, and takes nothing from it.
    world.patch(json!({"controlRules": demanding(&world.role, 1)})).await;
    shows(&world.detokenize(&world.token, Some(&id)).await, MESSAGE);
    let waiting = uuid(&world.ask(json!({})).await);
    world.patch(json!({"controlRules": rules(&["Tokenize"])})).await;
    world.detokenize(&world.token, Some(&asked)).await.refused(403, "NotAuthorized", None);
    let failed = approve(&ann, &waiting).await;
    assert_eq!(failed.response()["state"], "Failed", "{}", failed.text());
}

#[tokio::test]
async fn a_new_key_version_leaves_a_grant_as_it_is() {
    let world = World::with(Setup::default(), 1).await;
    let any = world.granted(json!({})).await;
    let listed = world.granted(json!({"tokens": [world.token]})).await;
    super::rotate(&world.bench.admin, &world.bench.key).await;
    world.patch(json!({"keyVersion": 2, "minDecryptVersion": 1})).await;
    let fresh = world.bench.admin.post(&world.path("tokenize"), json!({"message": MESSAGE})).await;
    let fresh = fresh.response()["token"].as_str().unwrap().to_owned();
    for (token, version, grant, message) in [
        (&world.token, 1, &any, true),
        (&fresh, 2, &any, true),
        (&world.token, 1, &listed, true),
        (&fresh, 2, &listed, false),
    ] {
        let body = json!({"token": token, "keyVersion": version, "grantUuid": grant});
        let reply = world.clerk.post(&world.path("detokenize"), body).await;
        if message {
            shows(&reply, MESSAGE);
        } else {
            reply.refused(403, "NotAuthorized", Some("/token"));
        }
    }
}

#[tokio::test]
async fn masks_and_other_calls_go_on_as_without_a_demand() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({})).await;
    let mut all = demanding(&world.role, 1).as_array().unwrap().clone();
    all.push(json!({"roleUuid": world.role, "operation": "PartialDetokenize", "reveal": 4}));
    all.push(json!({"roleUuid": world.role, "operation": "Tokenize"}));
    world.patch(json!({"controlRules": all})).await;
    shows(&world.detokenize(&world.token, None).await, "************1111");
    shows(&world.detokenize(&world.token, Some(&id)).await, MESSAGE);
    let track = json!({"track": format!(";{}=29121010000000000?", world.token)});
    world.clerk.post(&world.path("track-detokenize"), track).await.refused(403, "NotAuthorized", Some("/grantUuid"));
    world.clerk.post(&world.path("rewrap"), json!({"tokens": [world.token]})).await.refused(403, "NotAuthorized", None);
    assert_eq!(world.read(&id).await["used"], 1);
}

#[tokio::test]
async fn approvers_see_who_why_how_much_and_what_was_granted_this_month() {
    let world = World::with(Setup::default(), 1).await;
    let first = world.granted(json!({"reason": "first", "tokens": [world.token]})).await;
    world.detokenize(&world.token, Some(&first)).await.response();
    let second = uuid(&world.ask(json!({"note": "please"})).await);
    let approver = world.approver("ann").await;
    let seen = approver.get(&format!("{PROPOSALS}/{second}")).await.response().clone();
    let (kind, name) = (&seen["kind"], &seen["objInfo"]["name"]);
    assert_eq!((kind, name), (&json!("DetokenizeGrant"), &json!("chargeback")));
    assert_eq!(seen["approvals"][0]["note"], "please");
    let shown = &seen["detokenizeGrant"];
    assert_eq!(shown["grant"]["requestedBy"][0]["name"], "clerk");
    assert_eq!(shown["grant"]["tokenProfile"], json!({"name": "cards", "uuid": world.profile}));
    assert_eq!((&shown["grant"]["maxValues"], &shown["grant"]["lifetimeS"]), (&json!(3), &json!(28_800)));
    let before = shown["thisMonth"].as_array().unwrap();
    assert_eq!(before.len(), 1, "{shown}");
    let counts = ["reason", "used", "tokens", "state"].map(|member| before[0][member].clone());
    assert_eq!(counts, [json!("first"), json!(1), json!(1), json!("Active")]);
    let digest = seen["digest"].clone();
    world.patch(json!({"objInfo": {"name": "other cards"}})).await;
    let approved = approver.post(&format!("{PROPOSALS}/{second}/approve"), json!({"digest": digest})).await;
    assert_eq!(approved.response()["state"], "Active");

    let listed = approver.get(&world.path("grants")).await.response()["items"].as_array().unwrap().len();
    assert_eq!(listed, 2);
    let stranger = world.bench.app.person("stranger", &[world.role.parse().unwrap()]).await;
    assert_eq!(stranger.get(&world.path("grants")).await.response()["items"], json!([]));
    let path = world.path(&format!("grants/{first}"));
    stranger.get(&path).await.refused(403, "NotAuthorized", None);
    world.end(&stranger, &first).await.refused(403, "NotAuthorized", None);
    approver.get(&format!("{PROFILES}/{}/grants/{first}", super::NOTHING)).await.refused(404, "InvalidSelection", None);
    world.bench.app.clock.advance_ms(31 * 24 * 3_600_000);
    let approver = world.bench.app.logged_in(&[("ann", PASSWORD)]).await;
    let seen = approver.get(&format!("{PROPOSALS}/{second}")).await.response().clone();
    assert_eq!(seen["detokenizeGrant"]["thisMonth"], json!([]), "a month later");
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_refused_with_its_place() {
    let world = World::new().await;
    for (changes, status, code, field) in [
        (json!({"reason": ""}), 400, "InvalidValue", "/reason"),
        (json!({"ticket": "a\u{202e}b"}), 400, "InvalidValue", "/ticket"),
        (json!({"maxValues": 0}), 400, "InvalidValue", "/maxValues"),
        (json!({"maxValues": 1_000_001}), 400, "InvalidValue", "/maxValues"),
        (json!({"lifetime": hours("169")}), 400, "InvalidValue", "/lifetime/amount"),
        (json!({"lifetime": hours("0")}), 400, "InvalidValue", "/lifetime/amount"),
        (json!({"tokens": []}), 400, "InvalidValue", "/tokens"),
        (json!({"tokens": ["4111 1", "41111"]}), 400, "InvalidValue", "/tokens/1"),
        (json!({"tokens": vec!["1"; 10_001]}), 413, "LimitExceeded", "/tokens"),
        (json!({"roleUuid": super::NOTHING}), 400, "InvalidSelection", "/roleUuid"),
    ] {
        world.ask(changes).await.refused(status, code, Some(field));
    }
    let body = json!({"reason": "x", "maxValues": 1, "lifetime": hours("1")});
    let nobody = world.bench.app.person("nobody", &[new_role(&world.bench.admin, "none").await.parse().unwrap()]).await;
    nobody.post(&world.path("grants"), body).await.refused(403, "NotAuthorized", None);
    world.bench.admin.saw_audited("ProposalSubmit").await;
}

/// Eight clients that go on until there is nothing left, single and batches mixed; how many values they got.
async fn eight(clients: Vec<Client>, path: &str, token: &str, grant: &str) -> u64 {
    let (path, token, grant) = (Arc::new(path.to_owned()), Arc::new(token.to_owned()), Arc::new(grant.to_owned()));
    let tasks = clients.into_iter().enumerate().map(|(index, client)| {
        let (path, token, grant) = (Arc::clone(&path), Arc::clone(&token), Arc::clone(&grant));
        tokio::spawn(async move {
            let mut got = 0;
            for size in [5 + index, 3] {
                let body = json!({"tokens": vec![&*token; size], "grantUuid": *grant});
                while client.post(&format!("{path}/batch-detokenize"), body.clone()).await.status.as_u16() == 200 {
                    got += size as u64;
                }
            }
            while client.post(&format!("{path}/detokenize"), sent(&token, Some(&grant))).await.status.as_u16() == 200 {
                got += 1;
            }
            got
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut got = 0;
    for task in tasks {
        got += task.await.unwrap();
    }
    got
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_clients_get_exactly_as_many_values_as_were_granted() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({"maxValues": 211})).await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(world.bench.app.logged_in(&[("clerk", PASSWORD)]).await);
    }
    let path = format!("{PROFILES}/{}", world.profile);
    assert_eq!(eight(clients, &path, &world.token, &id).await, 211);
    let uses =
        world.bench.admin.get(&format!("/api/v2/audit?action=DetokenizeGrantUse&objectUuid={id}&pageSize=1000")).await;
    let told =
        uses.response()["items"].as_array().unwrap().iter().map(|use_| use_["detail"]["values"].as_u64().unwrap());
    assert_eq!(told.sum::<u64>(), 211);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_together_give_out_exactly_as_many() {
    let world = World::with(Setup { postgres: true, ..Setup::default() }, 1).await;
    let id = world.granted(json!({"maxValues": 150})).await;
    let nodes = [world.bench.app.routes.clone(), world.bench.app.other_node().await];
    let mut clients = Vec::new();
    for index in 0..8 {
        let mut client = Client::new(nodes[index % 2].clone());
        client.bearer = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await.bearer;
        clients.push(client);
    }
    let path = format!("{PROFILES}/{}", world.profile);
    assert_eq!(eight(clients, &path, &world.token, &id).await, 150);
    // Revoked on one, it is of no use on the other at once.
    let id = world.granted(json!({})).await;
    world.end(&world.bench.admin, &id).await.response();
    let mut client = Client::new(nodes[1].clone());
    client.bearer = world.clerk.bearer.clone();
    let reply = client.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(409, "InvalidState", Some("/grantUuid"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_kill_in_the_midst_gives_nobody_more() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({"maxValues": 60})).await;
    let path = format!("{PROFILES}/{}", world.profile);
    let World { bench: Bench { app, admin, key: _ }, clerk, token, .. } = world;
    let mut got = 0;
    for _ in 0..7 {
        let body = json!({"tokens": vec![&token; 3], "grantUuid": id});
        clerk.post(&format!("{path}/batch-detokenize"), body).await.response();
        got += 3;
    }
    drop((admin, clerk));
    let app: TestApp = app.killed().await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(app.logged_in(&[("clerk", PASSWORD)]).await);
    }
    got += eight(clients, &path, &token, &id).await;
    assert_eq!(got, 60);
}

/// What a grant is, as simply as it can be said.
#[derive(Default)]
struct Model {
    id: String,
    max: u64,
    used: u64,
    approved_by: Vec<usize>,
    /// When it ends, in minutes.
    ends: Option<u64>,
    is_over: bool,
}

/// Numbers that look drawn and are the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[tokio::test]
async fn whatever_is_asked_approved_used_and_ended_nobody_gets_more_than_a_small_model_says() {
    let World { bench, profile, clerk, token, .. } = World::new().await;
    let (app, path) = (&bench.app, format!("{PROFILES}/{profile}"));
    let names = ["ann", "bob", "cid"];
    for name in names {
        app.person(name, &[APPROVER.parse().unwrap()]).await;
    }
    let (mut draw, mut all, mut minutes) = (Draw(11), Vec::<Model>::new(), 0);
    let (mut clerk, mut approvers) = (clerk, Vec::new());
    let mut seen = [0; 6];
    for step in 0..400 {
        if step % 25 == 0 {
            minutes += 20;
            app.clock.advance_ms(20 * 60_000);
            clerk = app.logged_in(&[("clerk", PASSWORD)]).await;
            approvers.clear();
            for name in names {
                approvers.push(app.logged_in(&[(name, PASSWORD)]).await);
            }
        }
        if all.is_empty() || draw.below(12) == 0 {
            let max = draw.below(9) + 1;
            let body = json!({"reason": "any", "maxValues": max, "lifetime": hours("1")});
            let id = uuid(&clerk.post(&format!("{path}/grants"), body).await);
            all.push(Model { id, max, ..Model::default() });
            continue;
        }
        let at = usize::try_from(draw.below(all.len() as u64)).unwrap();
        let grant = &mut all[at];
        let is_active = !grant.is_over && grant.ends.is_some_and(|end| end > minutes) && grant.used < grant.max;
        match draw.below(10) {
            0..4 => {
                let who = usize::try_from(draw.below(3)).unwrap();
                let counts = !grant.is_over && grant.ends.is_none() && !grant.approved_by.contains(&who);
                let reply = approve(&approvers[who], &grant.id).await;
                assert_eq!(reply.status.as_u16() == 200, counts, "step {step}: {}", reply.text());
                if counts {
                    grant.approved_by.push(who);
                    seen[0] += 1;
                }
                if grant.approved_by.len() == 2 && grant.ends.is_none() {
                    grant.ends = Some(minutes + 60);
                }
            }
            4..9 => {
                let count = if draw.below(2) == 0 { 1 } else { draw.below(4) + 1 };
                let fits = is_active && grant.used + count <= grant.max;
                let reply = if count == 1 {
                    clerk.post(&format!("{path}/detokenize"), sent(&token, Some(&grant.id))).await
                } else {
                    let tokens = vec![token.clone(); usize::try_from(count).unwrap()];
                    let body = json!({"tokens": tokens, "grantUuid": grant.id});
                    clerk.post(&format!("{path}/batch-detokenize"), body).await
                };
                assert_eq!(reply.status.as_u16() == 200, fits, "step {step}: {}", reply.text());
                seen[if fits { 1 } else { 2 }] += 1;
                grant.used += if fits { count } else { 0 };
            }
            _ => {
                let ends = !grant.is_over && (grant.ends.is_none() || is_active);
                let reply = clerk.post(&format!("{path}/grants/{}/revoke", grant.id), json!({})).await;
                assert_eq!(reply.status.as_u16() == 200, ends, "step {step}: {}", reply.text());
                grant.is_over |= ends;
                seen[3] += u32::from(ends);
            }
        }
    }
    for grant in &all {
        let told = clerk.get(&format!("{path}/grants/{}", grant.id)).await;
        assert_eq!((told.response()["used"].as_u64(), grant.used <= grant.max), (Some(grant.used), true));
    }
    assert!(seen[..4].iter().all(|count| *count > 5), "each of them happened: {seen:?}");
}
