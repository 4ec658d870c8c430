//! Budgets of Control Rules, and GET /api/v2/token-profiles/{uuid}/budgets.

use std::sync::Arc;

use chancery_types::RoleId;
use serde_json::{Value, json};

use super::{Bench, FOREIGN_ROLE, OWN_ROLE, Profile, changed};
use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::{Client, Reply},
};

const MESSAGE: &str = "4111111111111111";
/// What the clock of the tests stands at is half a second after a full minute, and noon.
const NOON: &str = "2026-06-21T12:00:00.000Z";

#[expect(clippy::needless_pass_by_value, reason = "each caller writes them out")]
fn rule(role: &str, operation: &str, budgets: Value) -> Value {
    json!({"roleUuid": role, "operation": operation, "budgets": budgets})
}

/// A profile that tokenizes and detokenizes within these.
async fn profile<'b>(bench: &'b Bench, tokenize: Value, detokenize: Value) -> Profile<'b> {
    let rules = json!([
        rule(OWN_ROLE, "Tokenize", tokenize),
        rule(OWN_ROLE, "Detokenize", detokenize),
        rule(OWN_ROLE, "Batch", json!([])),
    ]);
    bench.profile(json!({"controlRules": rules})).await
}

async fn tokenize(profile: &Profile<'_>) -> Reply {
    profile.call("tokenize", json!({"message": MESSAGE})).await
}

async fn batch(profile: &Profile<'_>, values: usize) -> Reply {
    profile.call("batch-tokenize", json!({"messages": vec![MESSAGE; values]})).await
}

/// A refusal that says when there is room again.
#[track_caller]
fn used_up(reply: &Reply, retry_after: &str, window: &str) {
    reply.refused(429, "RateLimited", None);
    assert_eq!(reply.headers["retry-after"], retry_after, "{}", reply.text());
    assert!(reply.text().contains(window), "{}", reply.text());
}

async fn uses(profile: &Profile<'_>, client: &Client) -> Vec<Value> {
    client.get(&profile.path("budgets")).await.response()["budgets"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_window_lets_so_many_values_through_and_then_says_when_the_next_begins() {
    let bench = Bench::new().await;
    let budgets = json!([{"count": 5, "per": "Minute"}, {"count": 8, "per": "Day"}]);
    let profile = profile(&bench, budgets, json!([{"count": 2, "per": "Hour"}])).await;
    let token = tokenize(&profile).await.response()["token"].as_str().unwrap().to_owned();
    batch(&profile, 3).await.response();
    used_up(&batch(&profile, 2).await, "60", "for Tokenize: 5 values per Minute, until 2026-06-21T12:01:00.000Z");
    tokenize(&profile).await.response();
    used_up(&tokenize(&profile).await, "60", "5 values per Minute");
    for _ in 0..2 {
        profile.call("detokenize", json!({"token": token})).await.response();
    }
    used_up(&profile.call("detokenize", json!({"token": token})).await, "3600", "for Detokenize: 2 values per Hour");
    bench.app.clock.advance_ms(59_500);
    batch(&profile, 3).await.response();
    used_up(&tokenize(&profile).await, "43140", "8 values per Day");
    let found = uses(&profile, &bench.admin).await;
    let told: Vec<_> = found
        .iter()
        .map(|one| (one["per"].as_str().unwrap(), one["used"].as_u64().unwrap(), one["left"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("Minute", 3, 2), ("Day", 8, 0), ("Hour", 2, 0)]);
    assert_eq!((&found[2]["operation"], &found[2]["startsAt"]), (&json!("Detokenize"), &json!(NOON)));
    bench.app.clock.advance_ms(12 * 3_600_000);
    let tomorrow = bench.app.admin().await;
    tomorrow.post(&profile.path("tokenize"), json!({"message": MESSAGE})).await.response();
}

#[tokio::test]
async fn identities_share_a_budget_or_have_one_each() {
    let bench = Bench::new().await;
    let rules = json!([rule(
        FOREIGN_ROLE,
        "Tokenize",
        json!([{"count": 3, "per": "Hour", "each": true}, {"count": 5, "per": "Hour"}])
    ),]);
    let profile = bench.profile(json!({"controlRules": rules})).await;
    let role: RoleId = FOREIGN_ROLE.parse().unwrap();
    let ann = bench.admin.create_person("ann", &[role]).await;
    bench.admin.create_person("bob", &[role]).await;
    let (of_ann, of_bob) =
        (bench.app.logged_in(&[("ann", PASSWORD)]).await, bench.app.logged_in(&[("bob", PASSWORD)]).await);
    for _ in 0..3 {
        of_ann.post(&profile.path("tokenize"), json!({"message": MESSAGE})).await.response();
    }
    let refused = of_ann.post(&profile.path("tokenize"), json!({"message": MESSAGE})).await;
    used_up(&refused, "3600", "3 values of one identity per Hour");
    for _ in 0..2 {
        of_bob.post(&profile.path("tokenize"), json!({"message": MESSAGE})).await.response();
    }
    let refused = of_bob.post(&profile.path("tokenize"), json!({"message": MESSAGE})).await;
    used_up(&refused, "3600", "5 values per Hour");
    let found = uses(&profile, &bench.admin).await;
    let told: Vec<_> =
        found.iter().map(|one| (one["each"].as_bool().unwrap(), one["used"].as_u64().unwrap())).collect();
    assert_eq!(told, [(true, 3), (true, 2), (false, 5)]);
    assert_eq!(found[0]["identityUuid"], json!(ann));
}

#[tokio::test]
async fn of_several_rules_the_one_with_room_lets_through_and_one_without_budgets_always() {
    let bench = Bench::new().await;
    let small = json!([{"count": 2, "per": "Day"}]);
    let rules = json!([rule(OWN_ROLE, "Tokenize", small.clone()), rule(super::OTHER_OWN_ROLE, "Tokenize", small)]);
    let profile = bench.profile(json!({"controlRules": rules})).await;
    for _ in 0..4 {
        tokenize(&profile).await.response();
    }
    used_up(&tokenize(&profile).await, "43200", "2 values per Day");
    let free = json!([rules[0], rule(super::OTHER_OWN_ROLE, "Tokenize", json!([]))]);
    profile.patch(json!({"controlRules": free})).await.response();
    tokenize(&profile).await.response();
}

#[tokio::test]
async fn a_mask_is_paid_by_the_rule_that_shows_most() {
    let bench = Bench::new().await;
    let partial = |role: &str, reveal: u32, budgets: Value| {
        changed(rule(role, "PartialDetokenize", budgets), &json!({"reveal": reveal}))
    };
    let rules = json!([
        rule(OWN_ROLE, "Tokenize", json!([])),
        partial(OWN_ROLE, 6, json!([{"count": 1, "per": "Day"}])),
        partial(super::OTHER_OWN_ROLE, 4, json!([])),
    ]);
    let profile = bench.profile(json!({"controlRules": rules})).await;
    let token = profile.tokenize(MESSAGE).await;
    let shown = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(shown.response()["message"], "**********111111");
    used_up(
        &profile.call("detokenize", json!({"token": token})).await,
        "43200",
        "for PartialDetokenize: 1 values per Day",
    );
}

#[tokio::test]
async fn what_no_budget_can_be_is_refused_with_its_place() {
    let bench = Bench::new().await;
    let one = json!({"count": 1, "per": "Day"});
    for (rules, code, field) in [
        (json!([rule(OWN_ROLE, "Batch", json!([one]))]), "InvalidValue", "/controlRules/0/budgets"),
        (
            json!([rule(OWN_ROLE, "Tokenize", json!([{"count": 0, "per": "Day"}]))]),
            "InvalidValue",
            "/controlRules/0/budgets/0/count",
        ),
        (
            json!([rule(OWN_ROLE, "Tokenize", json!([{"count": 1_000_000_000_001_u64, "per": "Day"}]))]),
            "InvalidValue",
            "/controlRules/0/budgets/0/count",
        ),
        (
            json!([rule(OWN_ROLE, "Tokenize", json!([one, {"count": 2, "per": "Day"}]))]),
            "InvalidValue",
            "/controlRules/0/budgets/1/per",
        ),
        (
            json!([rule(OWN_ROLE, "Tokenize", json!([])), rule(OWN_ROLE, "Tokenize", json!([one]))]),
            "InvalidValue",
            "/controlRules/1/budgets",
        ),
        (
            json!([rule(OWN_ROLE, "Tokenize", json!([{"count": 1, "per": "Year"}]))]),
            "InvalidSelection",
            "/controlRules/0/budgets/0/per",
        ),
        (
            json!([rule(OWN_ROLE, "Tokenize", json!([{"per": "Day"}]))]),
            "ArgumentParseError",
            "/controlRules/0/budgets/0/count",
        ),
    ] {
        bench.create(json!({"controlRules": rules})).await.refused(400, code, Some(field));
    }
    let profile = profile(&bench, json!([one]), json!([])).await;
    batch(&profile, 2).await.refused(413, "LimitExceeded", Some("/messages"));
}

#[tokio::test]
async fn every_call_with_values_is_counted() {
    let bench = Bench::new().await;
    let budgets = json!([{"count": 100, "per": "Day"}]);
    let profile = profile(&bench, budgets.clone(), budgets).await;
    let token = profile.tokenize(MESSAGE).await;
    batch(&profile, 3).await.response();
    let track = profile.call("track-tokenize", json!({"track": ";4111111111111111=29121010000000000?"})).await;
    let track = track.response()["track"].clone();
    profile.call("track-detokenize", json!({"track": track})).await.response();
    profile.call("batch-detokenize", json!({"tokens": [token, token]})).await.response();
    profile.call("rewrap", json!({"tokens": [token, token, token]})).await.response();
    // What was sent counts, whatever becomes of it.
    profile.call("detokenize", json!({"token": "1"})).await.refused(400, "InvalidValue", Some("/token"));
    let used: Vec<_> = uses(&profile, &bench.admin).await.iter().map(|one| one["used"].as_u64().unwrap()).collect();
    assert_eq!(used, [1 + 3 + 1 + 3, 1 + 2 + 3 + 1]);
}

#[tokio::test]
async fn four_fifths_are_told_once_in_a_window() {
    let bench = Bench::new().await;
    let profile = profile(&bench, json!([{"count": 10, "per": "Hour"}]), json!([])).await;
    let warned = async || bench.admin.get("/api/v2/audit?action=BudgetWarn").await.response()["items"].clone();
    batch(&profile, 7).await.response();
    assert_eq!(warned().await, json!([]));
    for _ in 0..3 {
        tokenize(&profile).await.response();
    }
    let found = warned().await;
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let detail = json!({
        "name": "cards", "roleUuid": OWN_ROLE, "operation": "Tokenize", "count": 10, "per": "Hour", "each": false,
        "endsAt": "2026-06-21T13:00:00.000Z",
    });
    assert_eq!((&found[0]["detail"], &found[0]["objectUuid"]), (&detail, &json!(profile.id)));
}

#[tokio::test]
async fn a_changed_count_holds_at_once_and_a_window_goes_on() {
    let bench = Bench::new().await;
    let profile = profile(&bench, json!([{"count": 10, "per": "Day"}]), json!([])).await;
    batch(&profile, 6).await.response();
    let less = json!([rule(OWN_ROLE, "Tokenize", json!([{"count": 6, "per": "Day"}]))]);
    profile.patch(json!({"controlRules": less})).await.response();
    used_up(&tokenize(&profile).await, "43200", "6 values per Day");
    let more = json!([rule(OWN_ROLE, "Tokenize", json!([{"count": 8, "per": "Day"}]))]);
    profile.patch(json!({"controlRules": more})).await.response();
    for _ in 0..2 {
        tokenize(&profile).await.response();
    }
    used_up(&tokenize(&profile).await, "43200", "8 values per Day");
}

/// Sixteen clients that go on until there is nothing left; how many values they got.
async fn sixteen(clients: Vec<Client>, path: String) -> u64 {
    let path = Arc::new(path);
    let tasks = clients.into_iter().enumerate().map(|(index, client)| {
        let path = Arc::clone(&path);
        tokio::spawn(async move {
            let mut got = 0;
            // Large ones, then what is left of them, then one by one.
            for size in [97 + index, 11, 1] {
                let body = json!({"messages": vec![MESSAGE; size]});
                while client.post(&path, body.clone()).await.status.as_u16() == 200 {
                    got += size as u64;
                }
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
async fn sixteen_clients_get_exactly_as_many_values_as_there_are() {
    let bench = Bench::new().await;
    let profile = profile(&bench, json!([{"count": 10_000, "per": "Day"}]), json!([])).await;
    let mut clients = Vec::new();
    for _ in 0..16 {
        clients.push(bench.app.admin().await);
    }
    assert_eq!(sixteen(clients, profile.path("batch-tokenize")).await, 10_000);
    assert_eq!(uses(&profile, &bench.admin).await[0]["left"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_nodes_never_give_out_more_and_one_that_ends_gives_back() {
    let bench = Bench::with(Setup { postgres: true, ..Setup::default() }).await;
    let profile = profile(&bench, json!([{"count": 10_000, "per": "Day"}]), json!([])).await;
    let path = profile.path("batch-tokenize");
    let nodes = [bench.app.routes.clone(), bench.app.other_node().await, bench.app.other_node().await];
    let mut clients = Vec::new();
    for index in 0..16 {
        let mut client = Client::new(nodes[index % 3].clone());
        client.bearer = bench.app.admin().await.bearer;
        clients.push(client);
    }
    let got = sixteen(clients, path).await;
    // A slice of 156 at most is left with each of the two that did not take the last.
    assert!((10_000 - 2 * 156..=10_000).contains(&got), "{got}");
    let left = uses(&profile, &bench.admin).await[0]["left"].as_u64().unwrap();
    assert!(left <= 10_000 - got, "{left} of {got}");
}

#[tokio::test]
async fn a_kill_loses_no_count_on_sqlite_and_a_stop_gives_back() {
    let bench = Bench::new().await;
    if bench.app.is_on_postgres() {
        return;
    }
    let profile = profile(&bench, json!([{"count": 1_000, "per": "Day"}]), json!([])).await;
    let (path, budgets) = (profile.path("batch-tokenize"), profile.path("budgets"));
    batch(&profile, 100).await.response();
    tokenize(&profile).await.response();
    let Bench { app, admin, key: _ } = bench;
    drop(admin);
    let app: TestApp = app.killed().await;
    let admin = app.admin().await;
    let used = |reply: &Reply| reply.response()["budgets"][0]["used"].clone();
    assert_eq!(used(&admin.get(&budgets).await), 101);
    let mut got = 101;
    while admin.post(&path, json!({"messages": vec![MESSAGE; 31]})).await.status.as_u16() == 200 {
        got += 31;
    }
    assert!(1_000 - got < 31, "{got}");
    let app = app.restarted().await;
    let admin = app.admin().await;
    assert_eq!(used(&admin.get(&budgets).await), got);
    while admin.post(&path, json!({"messages": [MESSAGE]})).await.status.as_u16() == 200 {
        got += 1;
    }
    assert_eq!(got, 1_000);
}

#[tokio::test]
async fn it_needs_tokenization_manage() {
    let bench = Bench::new().await;
    let profile = profile(&bench, json!([]), json!([])).await;
    assert_eq!(uses(&profile, &bench.admin).await, [] as [Value; 0]);
    let clerk = bench.app.person("clerk", &[RoleId::APPLICATION]).await;
    clerk.get(&profile.path("budgets")).await.refused(403, "NotAuthorized", None);
    bench.app.nobody().get(&profile.path("budgets")).await.refused(401, "InvalidAuthToken", None);
    let missing = format!("/api/v2/token-profiles/{}/budgets", super::NOTHING);
    bench.admin.get(&missing).await.refused(404, "InvalidSelection", None);
}
