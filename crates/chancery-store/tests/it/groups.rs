//! Works that queue up behind a slow one share its transaction on SQLite; each must seem to have its own, as it does on
//! PostgreSQL.

use std::time::Duration;

use chancery_store::{Store, StoreError, sql};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::harness::{Fixture, Outcome, add_thing, things, write};

on_both!(
    the_failures_of_some_leave_the_others,
    a_first_work_that_fails_takes_nobody_along,
    a_work_sees_what_was_written_before_it,
    nobody_is_answered_before_the_commit,
    abandoned_works_are_not_begun,
    what_is_for_later_is_undone_with_its_work_alone,
    a_work_sees_what_it_has_for_later,
);

/// A work that holds the writer until it is told to go on.
struct Slow {
    go: oneshot::Sender<()>,
    ended: JoinHandle<Outcome<()>>,
}

async fn slow(store: &Store, id: i64, then: Outcome<()>) -> Slow {
    let (go, may_go) = oneshot::channel();
    let (begun, has_begun) = oneshot::channel();
    let store = store.clone();
    let ended = tokio::spawn(async move {
        write(&store, move |tx| {
            Box::pin(async move {
                add_thing(tx, id, "slow").await?;
                begun.send(()).unwrap();
                may_go.await.unwrap();
                then
            })
        })
        .await
    });
    has_begun.await.unwrap();
    Slow { go, ended }
}

/// What one work of the group does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Succeed,
    Fail,
    Panic,
    Conflict,
}

async fn act(store: Store, id: i64, act: Act) -> Outcome<()> {
    write(&store, move |tx| {
        Box::pin(async move {
            add_thing(tx, id, &format!("{act:?} {id}")).await?;
            match act {
                Act::Succeed => Ok(()),
                Act::Fail => Err(StoreError::Busy),
                Act::Panic => panic!("of the test"),
                Act::Conflict => add_thing(tx, id, "again").await,
            }
        })
    })
    .await
}

/// Lets each call reach the queue before the next is made.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(20)).await;
}

async fn the_failures_of_some_leave_the_others(f: Fixture) {
    use Act::{Conflict, Fail, Panic, Succeed};
    let slow = slow(&f.store, 0, Ok(())).await;
    let acts = [Succeed, Fail, Succeed, Panic, Conflict, Fail, Succeed, Panic, Succeed];
    let mut calls = Vec::new();
    for (id, what) in (1..).zip(acts) {
        calls.push(tokio::spawn(act(f.store.clone(), id, what)));
        settle().await;
    }
    slow.go.send(()).unwrap();
    slow.ended.await.unwrap().unwrap();
    for (call, what) in calls.into_iter().zip(acts) {
        let outcome = call.await.unwrap();
        let expected = match what {
            Succeed => outcome.is_ok(),
            Fail => outcome == Err(StoreError::Busy),
            Panic => matches!(outcome, Err(StoreError::Internal(_))),
            Conflict => matches!(outcome, Err(StoreError::Conflict(_))),
        };
        assert!(expected, "{what:?}: {outcome:?}");
    }
    assert_eq!(things(&f.store).await, ["slow", "Succeed 1", "Succeed 3", "Succeed 7", "Succeed 9"]);
}

async fn a_first_work_that_fails_takes_nobody_along(f: Fixture) {
    let slow = slow(&f.store, 0, Err(StoreError::Busy)).await;
    let call = tokio::spawn(act(f.store.clone(), 1, Act::Succeed));
    settle().await;
    slow.go.send(()).unwrap();
    assert_eq!(slow.ended.await.unwrap(), Err(StoreError::Busy));
    call.await.unwrap().unwrap();
    assert_eq!(things(&f.store).await, ["Succeed 1"]);
}

async fn a_work_sees_what_was_written_before_it(f: Fixture) {
    let slow = slow(&f.store, 0, Ok(())).await;
    let store = f.store.clone();
    let call = tokio::spawn(async move {
        // PostgreSQL, too, waits here until the slow work has ended.
        const ADD: &str = "INSERT INTO things (id, name) VALUES (0, 'late') ON CONFLICT (id) DO NOTHING";
        write(&store, |tx| Box::pin(sql(ADD).execute(tx))).await
    });
    settle().await;
    slow.go.send(()).unwrap();
    slow.ended.await.unwrap().unwrap();
    assert_eq!(call.await.unwrap(), Ok(0));
    assert_eq!(things(&f.store).await, ["slow"]);
}

async fn nobody_is_answered_before_the_commit(f: Fixture) {
    // Whoever is answered Ok finds the row with another connection at once.
    let calls = (0..100_i64).map(|id| {
        let store = f.store.clone();
        tokio::spawn(async move {
            act(store.clone(), id, Act::Succeed).await.unwrap();
            assert!(things(&store).await.contains(&format!("Succeed {id}")));
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

async fn abandoned_works_are_not_begun(f: Fixture) {
    if f.url.path().is_none() {
        // PostgreSQL begins at once: nobody waits in a queue.
        return;
    }
    let slow = slow(&f.store, 0, Ok(())).await;
    let calls = [1, 2, 3].map(|id| tokio::spawn(act(f.store.clone(), id, Act::Succeed)));
    settle().await;
    let [first, second, third] = calls;
    second.abort();
    assert!(second.await.unwrap_err().is_cancelled());
    slow.go.send(()).unwrap();
    first.await.unwrap().unwrap();
    third.await.unwrap().unwrap();
    assert_eq!(things(&f.store).await, ["slow", "Succeed 1", "Succeed 3"]);
}

const LATER: &str = "INSERT INTO things (id, name) VALUES ($1, $2)";

/// Adds a thing later, and before or after that another one in one of several ways; its conflicts come late.
async fn mixed(store: Store, id: i64, how: usize) -> Outcome<()> {
    write(&store, move |tx| {
        Box::pin(async move {
            let name = |part: &str| format!("{id} {part}");
            sql(LATER).bind(id).bind(name("first")).later(tx).await?;
            match how % 8 {
                // Only later.
                0 => sql(LATER).bind(id + 1).bind(name("second")).later(tx).await,
                // The second one is a conflict, of which the work knows nothing.
                1 => sql(LATER).bind(id).bind(name("again")).later(tx).await,
                2 => add_thing(tx, id + 1, &name("at once")).await,
                3 => {
                    add_thing(tx, id + 1, &name("at once")).await?;
                    sql(LATER).bind(id).bind(name("again")).later(tx).await
                }
                4 => Err(StoreError::Busy),
                5 => panic!("of the test"),
                // Reads, and is refused after that.
                6 => {
                    let found: i64 = sql("SELECT COUNT(*) FROM things WHERE id = $1").bind(id).one(tx).await?;
                    assert_eq!(found, 1);
                    Err(StoreError::Busy)
                }
                // A change that changes nothing, and a row that refers to what is for later.
                _ => {
                    sql("DELETE FROM things WHERE id = -1").execute(tx).await?;
                    sql("INSERT INTO parts (id, thing) VALUES ($1, $1)").bind(id).later(tx).await
                }
            }
        })
    })
    .await
}

async fn what_is_for_later_is_undone_with_its_work_alone(f: Fixture) {
    let slow = slow(&f.store, 0, Ok(())).await;
    // Each way after each other one.
    let ways: Vec<_> = (0..8).flat_map(|first| (0..8).flat_map(move |second| [first, second])).collect();
    let mut calls = Vec::new();
    for (id, how) in (10..).step_by(10).zip(&ways) {
        calls.push(tokio::spawn(mixed(f.store.clone(), id, *how)));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    slow.go.send(()).unwrap();
    slow.ended.await.unwrap().unwrap();
    let mut expected = vec!["slow".to_owned()];
    for ((call, how), id) in calls.into_iter().zip(ways).zip((10..).step_by(10)) {
        let outcome = call.await.unwrap();
        let is_as_expected = match how {
            0 | 2 | 7 => outcome.is_ok(),
            1 | 3 => matches!(outcome, Err(StoreError::Conflict(_))),
            4 | 6 => outcome == Err(StoreError::Busy),
            _ => matches!(outcome, Err(StoreError::Internal(_))),
        };
        assert!(is_as_expected, "{how}: {outcome:?}");
        expected.extend(match how {
            0 => vec![format!("{id} first"), format!("{id} second")],
            2 => vec![format!("{id} first"), format!("{id} at once")],
            7 => vec![format!("{id} first")],
            _ => vec![],
        });
    }
    assert_eq!(things(&f.store).await, expected);
}

async fn a_work_sees_what_it_has_for_later(f: Fixture) {
    write(&f.store, |tx| {
        Box::pin(async move {
            sql(LATER).bind(1_i64).bind("a").later(tx).await?;
            let seen: Vec<String> = sql("SELECT name FROM things").all(tx).await?;
            assert_eq!(seen, ["a"]);
            sql(LATER).bind(2_i64).bind("b").later(tx).await?;
            assert_eq!(sql("UPDATE things SET name = name || 'x'").execute(tx).await?, 2);
            sql(LATER).bind(3_i64).bind("c").later(tx).await
        })
    })
    .await
    .unwrap();
    assert_eq!(things(&f.store).await, ["ax", "bx", "c"]);
}
