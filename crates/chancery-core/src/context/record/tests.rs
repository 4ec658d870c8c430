//! Counts of calls while they cannot be written.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chancery_store::sql;
use chancery_testkit::{Postgres, Tool};

use crate::{
    Chancery, Error, Limits, Meaning, OutageLimits, Result,
    testing::{Installation, detokenize, profile, tokenize, visitor},
};

/// How many calls of an action that succeeded the audit records tell of.
async fn recorded(chancery: &Chancery, action: &'static str) -> i64 {
    const SUM: &str = "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM audit \
        WHERE action = $1 AND outcome = 'Success'";
    let read = chancery.storage.store().read(move |tx| Box::pin(sql(SUM).bind(action).one::<i64>(tx)));
    read.await.map_err(Error::from).unwrap()
}

fn is_refused<T>(outcome: Result<T>) -> bool {
    outcome.is_err_and(|refusal| {
        refusal.meaning() == Meaning::Unavailable && refusal.message().contains("could not be written to the audit")
    })
}

#[tokio::test]
async fn calls_while_the_store_is_away_are_all_in_the_audit_afterwards() {
    let mut cluster = Postgres::start();
    let installation = Installation::in_cluster(&cluster).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    let token = tokenize(node, &caller, id).await.unwrap();
    cluster.stop();
    for round in 0..2 {
        for _ in 0..50 {
            tokenize(node, &caller, id).await.unwrap();
            detokenize(node, &caller, id, &token).await.unwrap();
        }
        node.flush_counters(false).await.expect_err(if round == 0 { "it is away" } else { "it is still away" });
    }
    cluster.resume();
    tokenize(node, &caller, id).await.unwrap();
    let began = Instant::now();
    while node.flush_counters(false).await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(30), "it is back");
    }
    assert_eq!((recorded(node, "Tokenize").await, recorded(node, "Detokenize").await), (102, 100));
    detokenize(node, &caller, id, &token).await.unwrap();
    let other = installation.other_node().await;
    node.shut_down().await;
    assert_eq!((recorded(&other, "Tokenize").await, recorded(&other, "Detokenize").await), (102, 101));
}

#[tokio::test]
async fn counts_of_which_nobody_knows_whether_they_are_written_are_written_once() {
    let installation = Installation::new().await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    for _ in 0..3 {
        tokenize(node, &caller, id).await.unwrap();
    }
    let mut waiting = node.counters.waiting().await;
    node.counters.pack(&mut waiting, node.clock.now_ms(), false);
    let parcel = waiting.first().expect("of three calls");
    // The commit took place, and its answer was lost.
    node.write_parcel(Arc::clone(&parcel)).await.unwrap();
    drop(waiting);
    node.flush_counters(false).await.unwrap();
    assert_eq!(recorded(node, "Tokenize").await, 3);
}

#[tokio::test]
async fn calls_are_refused_while_too_many_counts_wait() {
    let limits =
        Limits { outage: OutageLimits { unwritten_counts_max: 2, ..OutageLimits::default() }, ..Limits::default() };
    let installation = Installation::with_limits(limits).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let (one, two) = (profile(node, &caller, "one").await, profile(node, &caller, "two").await);
    node.flush_counters(false).await.unwrap();
    // Whoever has this writes; nobody else does.
    let waiting = node.counters.waiting().await;
    let token = tokenize(node, &caller, one).await.unwrap();
    tokenize(node, &caller, two).await.unwrap();
    detokenize(node, &caller, one, &token).await.unwrap();
    assert!(is_refused(tokenize(node, &caller, one).await));
    assert!(is_refused(detokenize(node, &caller, one, &token).await));
    assert!(is_refused(node.identities.bearer_token(&caller).await));
    assert!(node.readiness(&visitor()).await.unwrap_err().message().contains("audit records"));
    drop(waiting);
    node.flush_counters(false).await.unwrap();
    tokenize(node, &caller, one).await.unwrap();
}

#[tokio::test]
async fn calls_are_refused_while_counts_wait_for_long() {
    let age = Duration::from_millis(300);
    let limits = Limits {
        outage: OutageLimits { unwritten_counts_age_max: age, ..OutageLimits::default() },
        ..Limits::default()
    };
    let installation = Installation::with_limits(limits).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    let mut waiting = node.counters.waiting().await;
    tokenize(node, &caller, id).await.unwrap();
    node.counters.pack(&mut waiting, node.clock.now_ms(), false);
    tokio::time::sleep(2 * age).await;
    assert!(is_refused(tokenize(node, &caller, id).await));
    drop(waiting);
    node.flush_counters(false).await.unwrap();
    tokenize(node, &caller, id).await.unwrap();
}

/// As when the network swallows everything: the connections stand, but nothing comes back.
#[tokio::test(flavor = "multi_thread")]
async fn shutting_down_does_not_wait_for_a_database_that_says_nothing() {
    let cluster = Postgres::start();
    let installation = Installation::in_cluster(&cluster).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    tokenize(node, &caller, id).await.unwrap();
    let signal = |signal: &str| {
        let processes =
            cluster.psql("postgres", "SELECT pid FROM pg_stat_activity WHERE application_name = 'chancery'");
        // One of them may have ended meanwhile.
        let _ = Tool::new("kill").arg(signal).args(processes.lines()).try_run();
    };
    signal("-STOP");
    let began = Instant::now();
    node.shut_down().await;
    let took = began.elapsed();
    signal("-CONT");
    assert!(took < Duration::from_secs(30), "{took:?}");
}
