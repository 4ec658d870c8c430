//! A follower misses no change, whoever writes and however long it takes.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use chancery_store::tables::changes::{self, Found, Position};
use chancery_store::tables::{settings, turns};
use chancery_store::{Store, StoreError, sql};
use tokio::sync::oneshot;
use tokio::time::sleep;
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, read, write};

on_both!(
    a_follower_misses_nothing_while_many_write,
    what_is_undone_is_no_change,
    a_change_is_read_back,
    what_is_pruned_is_told_to_who_has_not_seen_it,
    settings_are_replaced,
);

async fn position(store: &Store) -> Position {
    read(store, |tx| Box::pin(changes::position(tx))).await.unwrap()
}

async fn since(store: &Store, position: &Position) -> Found {
    let position = position.clone();
    read(store, move |tx| Box::pin(async move { changes::since(tx, &position).await })).await.unwrap()
}

async fn is_newest(store: &Store, position: &Position) -> bool {
    let position = position.clone();
    write(store, move |tx| Box::pin(async move { changes::is_newest(tx, &position).await })).await.unwrap()
}

async fn append(store: &Store, number: u128) {
    write(store, move |tx| Box::pin(changes::append(tx, "thing", Some(Uuid::from_u128(number))))).await.unwrap();
}

fn numbers(found: &Found) -> Vec<u128> {
    found.changes.as_ref().expect("told one by one").iter().map(|change| change.object.unwrap().as_u128()).collect()
}

async fn a_follower_misses_nothing_while_many_write(f: Fixture) {
    let mut seen = position(&f.store).await;
    let writers = (0..200_u128).map(|number| {
        let store = f.store.clone();
        tokio::spawn(async move {
            write(&store, move |tx| {
                Box::pin(async move {
                    changes::append(tx, "thing", Some(Uuid::from_u128(number))).await?;
                    if number % 7 == 0 {
                        // Some hold their number for a while before they commit.
                        tokio::time::sleep(Duration::from_millis(2)).await;
                    }
                    Ok(())
                })
            })
            .await
        })
    });
    let writers: Vec<_> = writers.collect();
    let mut objects = BTreeSet::new();
    let mut have_ended = false;
    while !have_ended {
        // What is written by then is told by this look.
        have_ended = writers.iter().all(|writer| writer.is_finished());
        let found = since(&f.store, &seen).await;
        for number in numbers(&found) {
            assert!(objects.insert(number), "{number} was told twice");
        }
        seen = found.position;
    }
    for writer in writers {
        writer.await.unwrap().unwrap();
    }
    assert_eq!(objects.len(), 200);
    assert_eq!(numbers(&since(&f.store, &seen).await), []);
    assert!(is_newest(&f.store, &seen).await);
}

async fn what_is_undone_is_no_change(f: Fixture) {
    let start = position(&f.store).await;
    append(&f.store, 1).await;
    let undone: Outcome<()> = write(&f.store, |tx| {
        Box::pin(async move {
            changes::append(tx, "thing", Some(Uuid::from_u128(2))).await?;
            Err(StoreError::Busy)
        })
    })
    .await;
    undone.unwrap_err();
    let seen = since(&f.store, &start).await;
    append(&f.store, 3).await;
    assert_eq!(numbers(&seen), [1]);
    assert_eq!(numbers(&since(&f.store, &seen.position).await), [3]);
    assert_eq!(numbers(&since(&f.store, &start).await), [1, 3]);
}

async fn a_change_is_read_back(f: Fixture) {
    let start = position(&f.store).await;
    assert!(is_newest(&f.store, &start).await);
    let object = Uuid::from_u128(0xABCDEF);
    write(&f.store, move |tx| Box::pin(changes::append(tx, "thing", Some(object)))).await.unwrap();
    let found = since(&f.store, &start).await;
    assert_eq!(found.changes, Some(vec![changes::Row { kind: "thing".into(), object: Some(object) }]));
    assert!(!is_newest(&f.store, &start).await && is_newest(&f.store, &found.position).await);
}

async fn what_is_pruned_is_told_to_who_has_not_seen_it(f: Fixture) {
    let start = position(&f.store).await;
    append(&f.store, 1).await;
    let seen = since(&f.store, &start).await.position;
    let prune = |age| write(&f.store, move |tx| Box::pin(changes::prune(tx, age)));
    assert_eq!(prune(Duration::from_hours(24)).await, Ok(0));
    // Not while a transaction is open that is older, in whatever database of the cluster.
    let began = Instant::now();
    while prune(Duration::from_millis(1)).await != Ok(1) {
        assert!(began.elapsed() < Duration::from_secs(20), "it is never pruned");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(since(&f.store, &start).await.changes, None, "it was gone before this follower saw it");
    // Taken now, since a transaction of another test may have been open before: then one is told more than is needed.
    let seen = if since(&f.store, &seen).await.changes.is_some() { seen } else { position(&f.store).await };
    append(&f.store, 2).await;
    assert_eq!(numbers(&since(&f.store, &seen).await), [2], "this one had seen all that is gone");
    let now = since(&f.store, &start).await.position;
    assert_eq!(numbers(&since(&f.store, &now).await), []);
}

/// A work that has written something and then stands still, as on a node that was paused.
async fn paused(store: &Store, turn: bool) -> (oneshot::Sender<()>, tokio::task::JoinHandle<Outcome<()>>) {
    let (go, may_go) = oneshot::channel();
    let (begun, has_begun) = oneshot::channel();
    let store = store.clone();
    let ended = tokio::spawn(async move {
        write(&store, move |tx| {
            Box::pin(async move {
                if turn {
                    turns::take(tx, "things").await?;
                }
                changes::append(tx, "thing", Some(Uuid::from_u128(1))).await?;
                begun.send(()).unwrap();
                may_go.await.unwrap();
                // Asked once more, since a commit would not tell why.
                sql("SELECT 1").one::<i64>(tx).await?;
                Ok(())
            })
        })
        .await
    });
    has_begun.await.unwrap();
    (go, ended)
}

/// SQLite has one writer; this is about PostgreSQL alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_stands_still_holds_nobody_up_and_its_change_is_seen_when_it_commits() {
    let f = Fixture::postgres().await;
    let start = position(&f.store).await;
    let (go, ended) = paused(&f.store, false).await;
    append(&f.store, 2).await;
    append(&f.store, 3).await;
    let seen = since(&f.store, &start).await;
    assert_eq!(numbers(&seen), [2, 3], "at once, although a transaction with a lower number is open");
    go.send(()).unwrap();
    ended.await.unwrap().unwrap();
    assert!(!is_newest(&f.store, &seen.position).await);
    assert_eq!(numbers(&since(&f.store, &seen.position).await), [1], "the gap is filled, and nothing is told twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_a_node_that_stands_still_ends_after_a_second() {
    let f = Fixture::postgres().await;
    let (go, ended) = paused(&f.store, true).await;
    let other = Store::open(&f.url, crate::row_keys::keys()).await.unwrap();
    let taken: Outcome<()> = write(&other, |tx| Box::pin(turns::take(tx, "things"))).await;
    // Whoever waits for a turn gives up after three seconds.
    taken.unwrap();
    go.send(()).unwrap();
    let outcome = ended.await.unwrap();
    assert!(matches!(outcome, Err(StoreError::Unavailable(_))), "nothing of its work took place: {outcome:?}");
}

/// Else each of its works would have its turn for a second, and the one of another node that waits behind them all
/// would give up.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stands_still_has_one_turn_however_much_it_has_to_do() {
    let f = Fixture::postgres().await;
    let other = Store::open(&f.url, crate::row_keys::keys()).await.unwrap();
    let (go, first) = paused(&f.store, true).await;
    let more: Vec<_> = (0..4)
        .map(|_| {
            tokio::spawn({
                let store = f.store.clone();
                async move {
                    let still = write(&store, |tx| {
                        Box::pin(async move {
                            turns::take(tx, "things").await?;
                            sleep(Duration::from_secs(30)).await;
                            Ok::<_, StoreError>(())
                        })
                    });
                    drop(still.await);
                }
            })
        })
        .collect();
    sleep(Duration::from_millis(200)).await;
    let taken: Outcome<()> = write(&other, |tx| Box::pin(turns::take(tx, "things"))).await;
    taken.unwrap();
    go.send(()).unwrap();
    assert!(first.await.unwrap().is_err());
    more.into_iter().for_each(|work| work.abort());
}

/// Restored into another cluster, whose transactions have lower numbers, the old changes would look new for ever.
#[tokio::test(flavor = "multi_thread")]
async fn changes_of_another_cluster_are_forgotten_when_the_store_is_opened() {
    let f = Fixture::postgres().await;
    append(&f.store, 1).await;
    let far = "UPDATE changes SET xid = CAST('99999999999' AS xid8)";
    write(&f.store, move |tx| Box::pin(sql(far).execute(tx))).await.unwrap();
    let floor = "INSERT INTO counters (name, value) VALUES ('changes pruned', 99999999999)";
    write(&f.store, move |tx| Box::pin(sql(floor).execute(tx))).await.unwrap();
    let again = Store::open(&f.url, crate::row_keys::keys()).await.unwrap();
    let start = position(&again).await;
    append(&again, 2).await;
    assert_eq!(numbers(&since(&again, &start).await), [2]);
}

async fn settings_are_replaced(f: Fixture) {
    for value in ["false", "true"] {
        write(&f.store, move |tx| Box::pin(settings::set(tx, "apiAccess", value))).await.unwrap();
    }
    let all = read(&f.store, |tx| Box::pin(settings::all(tx))).await.unwrap();
    assert_eq!(all, [settings::Row { name: "apiAccess".into(), value: "true".into() }]);
    assert_eq!(read(&f.store, |tx| Box::pin(settings::value(tx, "apiaccess"))).await, Ok(None));
}
