//! Budgets where counts change under several servers, and where the clock goes back.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Bench, OWN_ROLE};
use crate::{
    app::{Setup, TestApp},
    client::Client,
};

const MESSAGE: &str = "4111111111111111";

fn rules(count: u64, per: &str) -> Value {
    json!([
        {"roleUuid": OWN_ROLE, "operation": "Tokenize", "budgets": [{"count": count, "per": per}]},
        {"roleUuid": OWN_ROLE, "operation": "Batch"},
    ])
}

/// Takes one after the other until there is none; how many there were.
async fn rest(client: &Client, path: &str) -> u64 {
    let mut got = 0;
    while client.post(&format!("{path}/tokenize"), json!({"message": MESSAGE})).await.status.as_u16() == 200 {
        got += 1;
    }
    got
}

#[tokio::test]
async fn a_lowered_count_holds_for_all_servers_together() {
    let bench = Bench::with(Setup { postgres: true, ..Setup::default() }).await;
    let path = bench.profile(json!({"controlRules": rules(640, "Day")})).await.path("");
    let mut other = Client::new(bench.app.other_node().await);
    other.bearer = bench.app.admin().await.bearer;
    let take = async |client: &Client, values: usize| {
        let body = json!({"messages": vec![MESSAGE; values]});
        client.post(&format!("{path}/batch-tokenize"), body).await.status.as_u16()
    };
    // Each has a slice of ten, and nine of it are left with the first.
    assert_eq!((take(&bench.admin, 1).await, take(&other, 300).await), (200, 200));
    bench.admin.patch(&path, json!({"controlRules": rules(100, "Day")})).await.response();
    assert_eq!(rest(&bench.admin, &path).await, 0, "301 were given out");
    bench.admin.patch(&path, json!({"controlRules": rules(640, "Day")})).await.response();
    let mut got = 301;
    for _ in 0..40 {
        got += rest(&bench.admin, &path).await + rest(&other, &path).await;
        if got >= 630 {
            break;
        }
        // On a busy machine a server may not know of the higher count yet.
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    assert!((630..=640).contains(&got), "{got}");
}

#[tokio::test]
async fn a_clock_that_goes_back_finds_no_forgotten_window_anew() {
    let bench = Bench::new().await;
    let path = bench.profile(json!({"controlRules": rules(640, "Minute")})).await.path("");
    assert_eq!(taken(&bench.admin, &path, 5).await, 5);
    bench.app.clock.advance_ms(60_000);
    let Bench { app, admin, key: _ } = bench;
    drop(admin);
    let app: TestApp = app.killed().await;
    // It forgets the minute that is over, and goes on with the next.
    assert_eq!(taken(&app.admin().await, &path, 1).await, 1);
    app.clock.advance_ms(-60_000);
    let admin = app.admin().await;
    let used = admin.get(&format!("{path}/budgets")).await.response()["budgets"][0]["used"].as_u64().unwrap();
    assert_eq!(used, 10, "the slice of which nobody knows how much is left");
    let got = 5 + rest(&admin, &path).await;
    assert_eq!(got, 635);
}

async fn taken(client: &Client, path: &str, values: u64) -> u64 {
    for _ in 0..values {
        client.post(&format!("{path}/tokenize"), json!({"message": MESSAGE})).await.response();
    }
    values
}
