//! Changes come in the order of commits, without gaps.

use std::collections::BTreeSet;
use std::time::Duration;

use chancery_store::tables::{changes, settings};
use chancery_store::{Store, StoreError};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, read, write};

on_both!(
    a_poller_misses_nothing_while_many_write,
    what_is_undone_leaves_no_gap,
    a_change_is_read_back,
    settings_are_replaced,
);

async fn poll(store: &Store, seen: i64) -> Vec<changes::Row> {
    read(store, move |tx| Box::pin(async move { changes::since(tx, seen).await })).await.unwrap()
}

async fn a_poller_misses_nothing_while_many_write(f: Fixture) {
    let writers = (0..200_u128).map(|number| {
        let store = f.store.clone();
        tokio::spawn(async move {
            write(&store, move |tx| {
                Box::pin(async move {
                    let seq = changes::append(tx, "thing", Some(Uuid::from_u128(number))).await?;
                    if seq % 7 == 0 {
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
    let mut seen = 0;
    while objects.len() < 200 {
        for change in poll(&f.store, seen).await {
            assert_eq!(change.seq, seen + 1, "a change was skipped or seen out of order");
            seen = change.seq;
            objects.insert(change.object.unwrap());
        }
    }
    for writer in writers {
        writer.await.unwrap().unwrap();
    }
    assert!(poll(&f.store, seen).await.is_empty());
    assert_eq!(read(&f.store, |tx| Box::pin(changes::latest(tx))).await, Ok(200));
}

async fn what_is_undone_leaves_no_gap(f: Fixture) {
    write(&f.store, |tx| Box::pin(changes::append(tx, "a", None))).await.unwrap();
    let undone: Outcome<()> = write(&f.store, |tx| {
        Box::pin(async move {
            changes::append(tx, "b", None).await?;
            Err(StoreError::Busy)
        })
    })
    .await;
    undone.unwrap_err();
    assert_eq!(write(&f.store, |tx| Box::pin(changes::append(tx, "c", None))).await, Ok(2));
    let kinds: Vec<_> = poll(&f.store, 0).await.into_iter().map(|change| change.kind).collect();
    assert_eq!(kinds, ["a", "c"]);
}

async fn a_change_is_read_back(f: Fixture) {
    let object = Uuid::from_u128(0xABCDEF);
    write(&f.store, move |tx| Box::pin(changes::append(tx, "thing", Some(object)))).await.unwrap();
    assert_eq!(poll(&f.store, 0).await, [changes::Row { seq: 1, kind: "thing".into(), object: Some(object) }]);
}

async fn settings_are_replaced(f: Fixture) {
    for value in ["false", "true"] {
        write(&f.store, move |tx| Box::pin(settings::set(tx, "apiAccess", value))).await.unwrap();
    }
    let all = read(&f.store, |tx| Box::pin(settings::all(tx))).await.unwrap();
    assert_eq!(all, [settings::Row { name: "apiAccess".into(), value: "true".into() }]);
    assert_eq!(read(&f.store, |tx| Box::pin(settings::value(tx, "apiaccess"))).await, Ok(None));
}
