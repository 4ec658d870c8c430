//! Every call of the data plane on a node that is cut off from its store: what single calls refuse, the others refuse too.

use std::time::Duration;

use chancery_core::OutageLimits;
use serde_json::{Value, json};

use super::{Bench, OWN_ROLE, Profile};
use crate::{app::Setup, client::Reply};

/// Long enough for a busy machine to follow within it.
const SHORT: Duration = Duration::from_secs(3);
const MARGIN: Duration = Duration::from_millis(500);

const TRACK: &str = ";4111111111111111=29121010000000000000?";

/// A node that goes on for so short without its store.
async fn bench(outage: OutageLimits) -> Bench {
    let mut setup = Setup::default();
    setup.limits.outage = outage;
    Bench::with(setup).await
}

impl Bench {
    /// Takes away what a node reads whenever it looks for changes, or puts it back.
    fn rename(&self, from: &str, to: &str) {
        let statement = format!("ALTER TABLE {from} RENAME TO {to}");
        if self.app.is_on_postgres() {
            self.app.database().psql(&statement);
        } else {
            self.app.harm(&statement);
        }
    }
}

/// Each call that makes tokens, and each that reads some: with what it is asked.
struct Calls {
    making: Vec<(&'static str, Value)>,
    reading: Vec<(&'static str, Value)>,
}

async fn calls(profile: &Profile<'_>) -> Calls {
    let message = "4111111111111111";
    let token = profile.tokenize(message).await;
    let track = profile.call("track-tokenize", json!({"track": TRACK})).await.response()["track"].clone();
    Calls {
        making: vec![
            ("tokenize", json!({"message": message})),
            ("batch-tokenize", json!({"messages": [message, message]})),
            ("track-tokenize", json!({"track": TRACK})),
        ],
        reading: vec![
            ("detokenize", json!({"token": token})),
            ("batch-detokenize", json!({"tokens": [token, token]})),
            ("batch-detokenize", json!({"tokens": [token], "partial": true})),
            ("track-detokenize", json!({"track": track})),
            ("rewrap", json!({"tokens": [token]})),
        ],
    }
}

async fn answered(profile: &Profile<'_>, calls: &[(&'static str, Value)]) {
    for (name, body) in calls {
        let reply = profile.call(name, body.clone()).await;
        assert_eq!(reply.status.as_u16(), 200, "{name} {body}: {}", reply.text());
    }
}

fn is_cut_off(reply: &Reply) -> bool {
    reply.status.as_u16() == 503 && reply.text().contains("has not followed the storage")
}

async fn refused(profile: &Profile<'_>, calls: &[(&'static str, Value)]) {
    for (name, body) in calls {
        let reply = profile.call(name, body.clone()).await;
        assert!(is_cut_off(&reply), "{name} {body}: {} {}", reply.status, reply.text());
        reply.refused(503, "Unavailable", None);
        assert!(reply.headers.contains_key("retry-after"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_cut_off_reads_no_token_in_any_way() {
    let bench = bench(OutageLimits { detokenize_staleness_max: SHORT, ..OutageLimits::default() }).await;
    let profile = bench.profile(json!({})).await;
    let partial = [
        json!({"roleUuid": OWN_ROLE, "operation": "Tokenize"}),
        json!({"roleUuid": OWN_ROLE, "operation": "Batch"}),
        json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4}),
    ];
    let masked = bench.profile(json!({"objInfo": {"name": "masked"}, "controlRules": partial})).await;
    let calls = calls(&profile).await;
    let token = masked.tokenize("4111111111111111").await;
    let seen_in_part = [
        ("detokenize", json!({"token": token})),
        ("batch-detokenize", json!({"tokens": [token]})),
        ("batch-detokenize", json!({"tokens": [token], "partial": true})),
    ];
    answered(&profile, &calls.reading).await;
    answered(&masked, &seen_in_part).await;
    bench.rename("counters", "counters_aside");
    tokio::time::sleep(SHORT + MARGIN).await;
    refused(&profile, &calls.reading).await;
    refused(&masked, &seen_in_part).await;
    // What is made can be read by nobody who could not read it before, so that goes on for longer.
    answered(&profile, &calls.making).await;
    bench.rename("counters_aside", "counters");
    followed_again(&profile, &calls.reading[0]).await;
    answered(&profile, &calls.reading).await;
    answered(&masked, &seen_in_part).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_cut_off_for_long_makes_none_either() {
    let bench = bench(OutageLimits { tokenize_staleness_max: SHORT, ..OutageLimits::default() }).await;
    let profile = bench.profile(json!({})).await;
    let calls = calls(&profile).await;
    answered(&profile, &calls.making).await;
    bench.rename("counters", "counters_aside");
    tokio::time::sleep(SHORT + MARGIN).await;
    refused(&profile, &calls.making).await;
    bench.rename("counters_aside", "counters");
    followed_again(&profile, &calls.making[0]).await;
    answered(&profile, &calls.making).await;
}

/// Waits until the node follows its store.
async fn followed_again(profile: &Profile<'_>, (name, body): &(&'static str, Value)) {
    let begun = std::time::Instant::now();
    while is_cut_off(&profile.call(name, body.clone()).await) {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not follow again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
