//! Grants: detokenizing in full where a Control Rule demands approvals, and /api/v2/token-profiles/{uuid}/grants.

mod counts;
mod ended;
mod grant_uuid;
mod model;
mod revoke;

use serde_json::{Value, json};

use super::{Bench, NOTHING, PROFILES, changed, rotate, rules};
use crate::{
    app::{PASSWORD, Setup},
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
    let own = approve(&dora, &id).await;
    own.refused(403, "NotAuthorized", None);
    let message = "dora asked for this grant and may not approve it, alone or with another.";
    assert!(own.text().contains(message), "{}", own.text());
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
    rotate(&world.bench.admin, &world.bench.key).await;
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
        (json!({"roleUuid": NOTHING}), 400, "InvalidSelection", "/roleUuid"),
    ] {
        world.ask(changes).await.refused(status, code, Some(field));
    }
    world.bench.admin.get(&format!("{PROFILES}/{NOTHING}/grants")).await.refused(404, "InvalidSelection", None);
    let body = json!({"reason": "x", "maxValues": 1, "lifetime": hours("1")});
    let nobody = world.bench.app.person("nobody", &[new_role(&world.bench.admin, "none").await.parse().unwrap()]).await;
    nobody.post(&world.path("grants"), body).await.refused(403, "NotAuthorized", None);
    world.bench.admin.saw_audited("ProposalSubmit").await;
}
