//! A database that is out of reach gives errors, soon, and is used again when it is back.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chancery_store::tables::settings;
use chancery_store::{OpenError, Store, StoreError, StoreUrl, sql};
use chancery_testkit::{Postgres, Tool, temp_dir};
use tokio::net::TcpListener;
use tokio::sync::Barrier;
use tokio::time::timeout;

use crate::harness::{Fixture, Outcome, add_thing, read, things, write};
use crate::row_keys::keys;

on_both!(
    a_statement_that_waits_for_a_lock_gives_up,
    what_is_closed_is_unavailable,
    a_work_that_never_ends_is_ended,
    the_data_plane_and_followers_wait_for_no_other_reader,
);

/// How often a work that holds something says so: where it says nothing for long, the database ends it.
const PING_EVERY: Duration = Duration::from_millis(500);

fn is_unavailable<T>(outcome: &Outcome<T>) -> bool {
    matches!(outcome, Err(StoreError::Unavailable(_)))
}

/// What would be written into it is lost with the process.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_moved_or_replaced_is_written_no_more() {
    let f = Fixture::sqlite().await;
    write(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await.unwrap();
    let path = f.url.path().unwrap().to_owned();
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).unwrap();
    assert!(is_unavailable(&write(&f.store, |tx| Box::pin(add_thing(tx, 2, "two"))).await), "it is gone");
    fs::copy(&aside, &path).unwrap();
    assert!(is_unavailable(&write(&f.store, |tx| Box::pin(add_thing(tx, 2, "two"))).await), "it is another one");
    fs::rename(&aside, &path).unwrap();
    write(&f.store, |tx| Box::pin(add_thing(tx, 3, "three"))).await.unwrap();
    assert_eq!(things(&f.store).await.len(), 2);
}

/// What is written into a log that has no name is lost with the process; another process would begin another log.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_removed_is_written_no_more() {
    for suffix in ["-wal", "-shm"] {
        let f = Fixture::sqlite().await;
        write(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await.unwrap();
        fs::remove_file(format!("{}{suffix}", f.url.path().unwrap().display())).unwrap();
        assert!(is_unavailable(&write(&f.store, |tx| Box::pin(add_thing(tx, 2, "two"))).await), "{suffix}");
    }
}

/// Another node, or the command line on the same machine, holds what we need.
async fn a_statement_that_waits_for_a_lock_gives_up(f: Fixture) {
    write(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await.unwrap();
    let other = Store::open(&f.url, keys()).await.unwrap();
    let (held, is_held) = tokio::sync::oneshot::channel();
    let (let_go, mut is_let_go) = tokio::sync::oneshot::channel::<()>();
    const CHANGE: &str = "UPDATE things SET name = 'two' WHERE id = 1";
    let holder = tokio::spawn(async move {
        write(&other, |tx| {
            Box::pin(async move {
                sql(CHANGE).execute(tx).await?;
                held.send(()).unwrap();
                // A node that said nothing meanwhile would be taken for one that stands still.
                while timeout(PING_EVERY, &mut is_let_go).await.is_err() {
                    sql("SELECT 1").one::<i64>(tx).await?;
                }
                Ok(())
            })
        })
        .await
    });
    is_held.await.unwrap();
    let started = Instant::now();
    let outcome = write(&f.store, |tx| Box::pin(sql(CHANGE).execute(tx))).await;
    assert!(is_unavailable(&outcome), "{outcome:?}");
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    drop(let_go);
    holder.await.unwrap().unwrap();
    assert_eq!(write(&f.store, |tx| Box::pin(sql(CHANGE).execute(tx))).await, Ok(1));
}

/// More readers than there are connections for, none of which ends by itself: whoever waited for one would be given up.
async fn the_data_plane_and_followers_wait_for_no_other_reader(f: Fixture) {
    const READERS: usize = 17;
    let store = f.store.clone();
    let (begun, mut beginnings) = tokio::sync::mpsc::unbounded_channel();
    let go_on = Arc::new(tokio::sync::Notify::new());
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let (store, begun, go_on) = (store.clone(), begun.clone(), Arc::clone(&go_on));
            tokio::spawn(async move {
                read(&store, move |tx| {
                    Box::pin(async move {
                        sql("SELECT 1").one::<i64>(tx).await?;
                        begun.send(()).unwrap();
                        while timeout(PING_EVERY, go_on.notified()).await.is_err() {
                            sql("SELECT 1").one::<i64>(tx).await?;
                        }
                        Ok(())
                    })
                })
                .await
            })
        })
        .collect();
    drop(begun);
    // As many as there are places for on either database, or 16.
    let places = if f.url.path().is_some() { 4 } else { 16 };
    for _ in 0..places {
        beginnings.recv().await.unwrap();
    }
    assert!(timeout(Duration::from_millis(300), beginnings.recv()).await.is_err(), "others wait for a connection");
    let of_data: Outcome<i64> = store.read_data(|tx| Box::pin(sql("SELECT 1").one(tx))).await;
    let of_followers: Outcome<i64> = store.follow(|tx| Box::pin(sql("SELECT 1").one(tx))).await;
    assert_eq!((of_data, of_followers), (Ok(1), Ok(1)));
    for reader in readers {
        // Whichever is woken, each is in the end.
        while !reader.is_finished() {
            go_on.notify_one();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Those that waited longest may have been given up.
        let _ended = reader.await.unwrap();
    }
}

async fn what_is_closed_is_unavailable(f: Fixture) {
    f.store.close().await;
    assert!(is_unavailable(&write(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await));
    assert!(is_unavailable(&read(&f.store, |tx| Box::pin(sql("SELECT 1").one::<i64>(tx))).await));
}

async fn a_work_that_never_ends_is_ended(f: Fixture) {
    let outcome: Outcome<()> = write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            std::future::pending().await
        })
    })
    .await;
    assert!(is_unavailable(&outcome), "{outcome:?}");
    write(&f.store, |tx| Box::pin(add_thing(tx, 2, "two"))).await.unwrap();
    assert_eq!(things(&f.store).await, ["two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgres_that_stops_and_comes_back_is_used_again() {
    let mut cluster = Postgres::start();
    let database = cluster.new_database();
    let store = Store::open(&database.address().parse().unwrap(), keys()).await.unwrap();
    let count = |store: &Store| {
        let store = store.clone();
        async move { read(&store, |tx| Box::pin(sql("SELECT COUNT(*) FROM settings").one::<i64>(tx))).await }
    };
    let counts = futures::future::join_all((0..16).map(|_| count(&store))).await;
    assert!(counts.iter().all(Result::is_ok), "{counts:?}");
    cluster.stop();
    let started = Instant::now();
    let outcome = count(&store).await;
    assert!(is_unavailable(&outcome), "{outcome:?}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    cluster.resume();
    // Connections that broke while nobody used them are found out before a work gets them.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    for _ in 0..40 {
        assert_eq!(count(&store).await, Ok(0));
    }
}

/// PostgreSQL ends one of two works that wait for each other. A work cannot be run again, so its caller has to try again.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_works_that_wait_for_each_other_one_is_unavailable() {
    let f = Fixture::postgres().await;
    write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            add_thing(tx, 2, "two").await
        })
    })
    .await
    .unwrap();
    let both = Arc::new(Barrier::new(2));
    let work = |first: i64, second: i64| {
        let (store, both) = (f.store.clone(), Arc::clone(&both));
        async move {
            write(&store, move |tx| {
                Box::pin(async move {
                    const CHANGE: &str = "UPDATE things SET name = name || '!' WHERE id = $1";
                    sql(CHANGE).bind(first).execute(tx).await?;
                    both.wait().await;
                    sql(CHANGE).bind(second).execute(tx).await
                })
            })
            .await
        }
    };
    let (one, other) = tokio::join!(work(1, 2), work(2, 1));
    assert!(is_unavailable(&one) != is_unavailable(&other), "{one:?} {other:?}");
    assert_eq!(things(&f.store).await, ["one!", "two!"]);
}

/// As when the network swallows everything: the connection stands, but nothing comes back.
#[tokio::test(flavor = "multi_thread")]
async fn a_postgres_that_stands_still_is_given_up_and_used_again() {
    let cluster = Postgres::start();
    let database = cluster.new_database();
    let store = Store::open(&database.address().parse().unwrap(), keys()).await.unwrap();
    write(&store, |tx| Box::pin(settings::set(tx, "x", "1"))).await.unwrap();
    let signal = |signal: &str| {
        let processes =
            cluster.psql("postgres", "SELECT pid FROM pg_stat_activity WHERE application_name = 'chancery'");
        // One of them may have ended meanwhile.
        let _ = Tool::new("kill").arg(signal).args(processes.lines()).try_run();
    };
    signal("-STOP");
    let started = Instant::now();
    let outcome = write(&store, |tx| Box::pin(settings::set(tx, "x", "2"))).await;
    signal("-CONT");
    assert!(is_unavailable(&outcome), "{outcome:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    write(&store, |tx| Box::pin(settings::set(tx, "x", "3"))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn works_beyond_the_queue_are_refused_at_once() {
    let f = Fixture::sqlite().await;
    let (go, may_go) = tokio::sync::oneshot::channel();
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let store = f.store.clone();
    let slow = tokio::spawn(async move {
        write(&store, |tx| {
            Box::pin(async move {
                add_thing(tx, -1, "slow").await?;
                begun.send(()).unwrap();
                may_go.await.unwrap();
                Ok(())
            })
        })
        .await
    });
    has_begun.await.unwrap();
    let mut calls: Vec<_> = (0..4097_i64)
        .map(|id| {
            Box::pin(write(&f.store, move |tx| Box::pin(async move { add_thing(tx, id, &id.to_string()).await })))
        })
        .collect();
    // Polled once, each has its place in the queue; the last one finds none.
    let last = futures::future::poll_fn(|context| {
        let mut outcomes = calls.iter_mut().map(|call| call.as_mut().poll(context));
        std::task::Poll::Ready(outcomes.find_map(|outcome| match outcome {
            std::task::Poll::Ready(outcome) => Some(outcome),
            std::task::Poll::Pending => None,
        }))
    });
    assert_eq!(last.await, Some(Err(StoreError::Busy)));
    calls.pop();
    go.send(()).unwrap();
    slow.await.unwrap().unwrap();
    for outcome in futures::future::join_all(calls).await {
        outcome.unwrap();
    }
    assert_eq!(things(&f.store).await.len(), 4097);
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("postgres://clerk:s3cret@{}/x", listener.local_addr().unwrap());
    let started = Instant::now();
    let refusal = Store::open(&address.parse().unwrap(), keys()).await.err().unwrap();
    assert!(matches!(refusal, OpenError::Store(StoreError::Unavailable(_))), "{refusal}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    assert!(!format!("{refusal} {refusal:?}").contains("s3cret"));
}

#[tokio::test]
async fn nobody_listens() {
    let address = format!("postgres://clerk:s3cret@127.0.0.1:{}/x", chancery_testkit::free_port());
    let refusal = Store::open(&address.parse().unwrap(), keys()).await.err().unwrap();
    assert!(matches!(refusal, OpenError::Store(StoreError::Unavailable(_))), "{refusal}");
    assert!(!format!("{refusal} {refusal:?}").contains("s3cret"));
}

/// A process of its own with a small limit on the size of files stands for a full disk.
#[tokio::test]
async fn a_full_disk_is_unavailable_and_leaves_a_sound_database() {
    let folder = temp_dir();
    let path = folder.path().join("full.db");
    let store = Store::open(&StoreUrl::file(&path), keys()).await.unwrap();
    store.close().await;
    let me = std::env::current_exe().unwrap();
    let line = format!(
        "ulimit -f 400; trap '' XFSZ; exec '{}' --exact outage::fill_the_disk --ignored --nocapture",
        me.display()
    );
    let _ = Tool::new("env").arg(format!("STORE={}", path.display())).args(["bash", "-c", &line]).run();
    let store = Store::open(&StoreUrl::file(&path), keys()).await.unwrap();
    assert!(store.integrity_check().await.unwrap().is_empty());
}

#[tokio::test]
#[ignore = "run by a_full_disk_is_unavailable_and_leaves_a_sound_database, under its limit"]
async fn fill_the_disk() {
    let store = Store::open(&StoreUrl::file(std::env::var("STORE").unwrap()), keys()).await.unwrap();
    for round in 0..100 {
        let outcome = write(&store, move |tx| {
            let value = "x".repeat(20_000);
            Box::pin(async move { settings::set(tx, &round.to_string(), &value).await })
        })
        .await;
        if outcome.is_err() {
            assert!(is_unavailable(&outcome), "{outcome:?}");
            return;
        }
    }
    panic!("the limit was not reached");
}

/// A standby, or the former primary, beside the one that can be written; and that one goes.
#[tokio::test(flavor = "multi_thread")]
async fn of_several_hosts_the_one_that_can_be_written_is_found_again_and_again() {
    let (one, mut two) = (Postgres::start(), Postgres::start());
    let (first, second) = (one.new_database(), two.new_database());
    // Both have the tables, as a standby has.
    drop(Store::open(&first.address().parse().unwrap(), keys()).await.unwrap());
    let reads_only = |how: &str| {
        let database = first.name();
        one.psql("postgres", &format!("ALTER DATABASE {database} SET default_transaction_read_only = {how}"));
    };
    reads_only("on");
    let refusal =
        Store::open(&first.address().parse().unwrap(), keys()).await.err().expect("it only reads").to_string();
    assert!(refusal.contains("read-only"), "{refusal}");
    let host = |address: &str| address.split("host=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    assert_eq!(first.name(), second.name(), "each is the first of its cluster");
    let both = format!(
        "postgres:///{}?host={},{}&user=postgres&target_session_attrs=read-write",
        first.name(),
        host(&first.address()),
        host(&second.address())
    );
    let store = Store::open(&both.parse().unwrap(), keys()).await.unwrap();
    let written = |database: &chancery_testkit::Database| database.psql("SELECT value FROM settings WHERE name = 'x'");
    write(&store, |tx| Box::pin(settings::set(tx, "x", "1"))).await.unwrap();
    assert_eq!((written(&first), written(&second)), (String::new(), "1".to_owned()));
    reads_only("off");
    two.stop();
    let started = Instant::now();
    while write(&store, |tx| Box::pin(settings::set(tx, "x", "2"))).await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    }
    assert_eq!(written(&first), "2");
    assert_eq!(read(&store, |tx| Box::pin(settings::value(tx, "x"))).await, Ok(Some("2".to_owned())));
}
