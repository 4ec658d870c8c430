//! One work: all of it or nothing.

use std::sync::Arc;
use std::time::Duration;

use chancery_store::tables::turns;
use chancery_store::{StoreError, sql};
use tokio::sync::{Semaphore, oneshot};

use crate::harness::{Fixture, Outcome, add_thing, read, things, write};

on_both!(
    an_error_undoes_the_work,
    a_panic_undoes_the_work_and_the_store_goes_on,
    a_taken_name_is_a_conflict,
    a_missing_reference_is_told_apart,
    a_work_that_goes_on_after_a_failed_statement_is_undone,
    a_failed_statement_that_is_swallowed_undoes_the_work,
    readers_see_committed_rows_only,
    a_reader_sees_one_state_throughout,
    a_reader_cannot_write,
    a_caller_who_goes_away_leaves_all_or_nothing,
    a_thousand_writers_all_get_through,
    works_take_turns_where_they_ask_to,
    bad_sql_is_our_fault,
);

async fn an_error_undoes_the_work(f: Fixture) {
    let outcome: Outcome<()> = write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            Err(StoreError::Internal("of the test".into()))
        })
    })
    .await;
    assert_eq!(outcome, Err(StoreError::Internal("of the test".into())));
    assert!(things(&f.store).await.is_empty());
}

async fn a_panic_undoes_the_work_and_the_store_goes_on(f: Fixture) {
    let outcome: Outcome<()> = write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            panic!("of the {}", "test")
        })
    })
    .await;
    assert_eq!(outcome, Err(StoreError::Internal("a work panicked: of the test".into())));
    write(&f.store, |tx| Box::pin(add_thing(tx, 2, "two"))).await.unwrap();
    assert_eq!(things(&f.store).await, ["two"]);
}

async fn a_taken_name_is_a_conflict(f: Fixture) {
    write(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await.unwrap();
    let outcome = write(&f.store, |tx| Box::pin(add_thing(tx, 2, "one"))).await;
    assert!(matches!(&outcome, Err(StoreError::Conflict(which)) if which.contains("name")), "{outcome:?}");
    let outcome = write(&f.store, |tx| Box::pin(add_thing(tx, 1, "two"))).await;
    assert!(matches!(outcome, Err(StoreError::Conflict(_))), "{outcome:?}");
}

async fn a_missing_reference_is_told_apart(f: Fixture) {
    let outcome = write(&f.store, |tx| Box::pin(sql("INSERT INTO parts (id, thing) VALUES (1, 7)").execute(tx))).await;
    assert!(matches!(outcome, Err(StoreError::Reference(_))), "{outcome:?}");
}

async fn a_work_that_goes_on_after_a_failed_statement_is_undone(f: Fixture) {
    let outcome = write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            let failed = add_thing(tx, 1, "again").await;
            assert!(matches!(failed, Err(StoreError::Conflict(_))), "{failed:?}");
            add_thing(tx, 2, "two").await
        })
    })
    .await;
    let expected = StoreError::Internal("a statement after one that failed in the same work".into());
    assert_eq!(outcome, Err(expected));
    assert!(things(&f.store).await.is_empty());
}

/// PostgreSQL would turn the commit into a rollback without a word.
async fn a_failed_statement_that_is_swallowed_undoes_the_work(f: Fixture) {
    let outcome = write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            let _ = add_thing(tx, 1, "again").await;
            Ok(())
        })
    })
    .await;
    assert_eq!(outcome, Err(StoreError::Internal("a work went on after a statement that failed".into())));
    assert!(things(&f.store).await.is_empty());
}

async fn readers_see_committed_rows_only(f: Fixture) {
    let (written, is_written) = oneshot::channel();
    let (go, may_go) = oneshot::channel();
    let store = f.store.clone();
    let writer = tokio::spawn(async move {
        write(&store, |tx| {
            Box::pin(async move {
                add_thing(tx, 1, "one").await?;
                written.send(()).unwrap();
                may_go.await.unwrap();
                Ok(())
            })
        })
        .await
    });
    is_written.await.unwrap();
    assert!(things(&f.store).await.is_empty());
    go.send(()).unwrap();
    writer.await.unwrap().unwrap();
    assert_eq!(things(&f.store).await, ["one"]);
}

async fn a_reader_sees_one_state_throughout(f: Fixture) {
    let (counted, is_counted) = oneshot::channel();
    let (go, may_go) = oneshot::channel();
    let store = f.store.clone();
    const COUNT: &str = "SELECT COUNT(*) FROM things";
    let reader = tokio::spawn(async move {
        read(&store, |tx| {
            Box::pin(async move {
                let before: i64 = sql(COUNT).one(tx).await?;
                counted.send(()).unwrap();
                may_go.await.unwrap();
                Ok((before, sql(COUNT).one::<i64>(tx).await?))
            })
        })
        .await
    });
    is_counted.await.unwrap();
    write(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await.unwrap();
    go.send(()).unwrap();
    assert_eq!(reader.await.unwrap(), Ok((0, 0)));
}

async fn a_reader_cannot_write(f: Fixture) {
    let outcome = read(&f.store, |tx| Box::pin(add_thing(tx, 1, "one"))).await;
    assert!(outcome.is_err());
    assert!(things(&f.store).await.is_empty());
}

async fn a_caller_who_goes_away_leaves_all_or_nothing(f: Fixture) {
    // Each work writes two rows; its caller leaves after a little more time than the one before.
    for round in 0..200_i64 {
        let work = write(&f.store, move |tx| {
            Box::pin(async move {
                add_thing(tx, 2 * round, &format!("first {round}")).await?;
                add_thing(tx, 2 * round + 1, &format!("second {round}")).await
            })
        });
        let _ = tokio::time::timeout(Duration::from_micros(u64::try_from(round).unwrap() * 20), work).await;
    }
    // One more, so that all before it have ended on SQLite; on PostgreSQL they are given time.
    write(&f.store, |tx| Box::pin(add_thing(tx, 1000, "last"))).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let names = things(&f.store).await;
    let (pairs, last) = names.split_at(names.len() - 1);
    assert_eq!(last, ["last"]);
    for pair in pairs.chunks(2) {
        assert_eq!(pair[0].replace("first", "second"), pair[1]);
    }
}

async fn a_thousand_writers_all_get_through(f: Fixture) {
    // PostgreSQL has connections for few of them at a time, and the others do not wait for ever.
    let places = Arc::new(Semaphore::new(if f.url.path().is_some() { 1000 } else { 64 }));
    let writers = (0..1000_i64).map(|id| {
        let (store, places) = (f.store.clone(), Arc::clone(&places));
        tokio::spawn(async move {
            let _place = places.acquire().await.unwrap();
            write(&store, move |tx| Box::pin(async move { add_thing(tx, id, &id.to_string()).await })).await
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap().unwrap();
    }
    assert_eq!(things(&f.store).await.len(), 1000);
}

/// Each of fifty adds a thing if there are fewer than three.
async fn works_take_turns_where_they_ask_to(f: Fixture) {
    let works = (0..50_i64).map(|id| {
        let store = f.store.clone();
        tokio::spawn(async move {
            write(&store, move |tx| {
                Box::pin(async move {
                    turns::take(tx, "things").await?;
                    let count: i64 = sql("SELECT COUNT(*) FROM things").one(tx).await?;
                    if count < 3 {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        add_thing(tx, id, &id.to_string()).await?;
                    }
                    Ok(())
                })
            })
            .await
        })
    });
    for work in works.collect::<Vec<_>>() {
        work.await.unwrap().unwrap();
    }
    assert_eq!(things(&f.store).await.len(), 3);
}

async fn bad_sql_is_our_fault(f: Fixture) {
    let outcome = write(&f.store, |tx| Box::pin(sql("SELECT nothing FROM nowhere").execute(tx))).await;
    assert!(matches!(outcome, Err(StoreError::Internal(_))), "{outcome:?}");
}
