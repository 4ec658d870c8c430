//! What waits to be delivered: one node at a time, nothing lost, nothing for ever.

use chancery_store::tables::{
    deliveries::{self, Failed, Settled},
    notices::{self, Notice},
    proposals, signing_requests,
};
use chancery_store::{Page, Start, Tx};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, write};

on_both!(
    one_node_at_a_time_delivers,
    what_was_not_settled_is_due_again_when_the_lease_has_ended,
    the_oldest_are_given_up,
    notices_are_found_and_pruned,
    nothing_is_overdue_where_nothing_waits,
);

const QUEUE: &str = "notice";
const TARGET: Uuid = Uuid::from_u128(1);
const NODE: Uuid = Uuid::from_u128(2);
const OTHER: Uuid = Uuid::from_u128(3);

async fn begin(f: &Fixture, items: i64) {
    write(&f.store, move |tx| {
        Box::pin(async move {
            deliveries::begin(tx, QUEUE, TARGET).await?;
            for item in 1..=items {
                deliveries::add(tx, QUEUE, TARGET, item, item).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
}

/// What a node gets at this moment, with a lease of 100 ms; none where it gets no lease.
async fn take(f: &Fixture, node: Uuid, now_ms: i64) -> Option<Vec<i64>> {
    let taken = write(&f.store, move |tx| {
        Box::pin(async move { deliveries::take(tx, TARGET, node, (now_ms, now_ms + 100), |_| 2).await })
    });
    taken.await.unwrap().map(|(_, due)| due.into_iter().map(|row| row.item).collect())
}

async fn due(f: &Fixture, now_ms: i64) -> Vec<Uuid> {
    write(&f.store, move |tx| Box::pin(async move { deliveries::ready(tx, QUEUE, now_ms).await })).await.unwrap()
}

async fn listed(tx: &mut Tx) -> Outcome<Vec<deliveries::Row>> {
    let page = Page { limit: 100, start: Start::Offset(0), count_max: 100, scan_max: 100 };
    let all = deliveries::list(tx, None, &page).await?.rows;
    assert_eq!(deliveries::list(tx, Some(TARGET), &page).await?.rows, all);
    Ok(all)
}

async fn one_node_at_a_time_delivers(f: Fixture) {
    begin(&f, 3).await;
    assert!(due(&f, 0).await.is_empty(), "nothing is due yet");
    assert_eq!(due(&f, 10).await, [TARGET]);
    assert_eq!(take(&f, NODE, 10).await, Some(vec![1, 2]));
    assert_eq!((take(&f, OTHER, 20).await, due(&f, 20).await), (None, vec![]));
    let rows = write(&f.store, |tx| Box::pin(listed(tx))).await.unwrap();
    let seq = |item: i64| rows.iter().find(|row| row.item == item).unwrap().seq;
    let failed = Failed { seq: seq(2), due_at_ms: 500, error: "no".to_owned() };
    let settled = Settled { delivered: vec![seq(1)], failed: vec![failed], failures: 0, due_at_ms: 0 };
    let state = write(&f.store, move |tx| {
        Box::pin(async move {
            deliveries::settle(tx, TARGET, NODE, settled, 30).await?;
            deliveries::state(tx, TARGET).await
        })
    });
    let state = state.await.unwrap().unwrap();
    assert_eq!((state.delivered, state.failures, state.error.as_deref()), (1, 0, Some("no")));
    assert_eq!((state.delivered_at_ms, state.failed_at_ms), (Some(30), Some(30)));
    assert_eq!(take(&f, OTHER, 40).await, Some(vec![3]), "what failed is not due yet");
    let left = write(&f.store, |tx| Box::pin(listed(tx))).await.unwrap();
    let left: Vec<_> = left.into_iter().map(|row| (row.item, row.attempts)).collect();
    assert_eq!(left, [(3, 0), (2, 1)]);
}

async fn what_was_not_settled_is_due_again_when_the_lease_has_ended(f: Fixture) {
    begin(&f, 1).await;
    assert_eq!(take(&f, NODE, 10).await, Some(vec![1]));
    assert_eq!(take(&f, OTHER, 109).await, None);
    assert_eq!(take(&f, OTHER, 110).await, Some(vec![1]), "its node died");
    // Who has lost the lease does not give back that of another.
    let late = Settled::default();
    write(&f.store, move |tx| Box::pin(async move { deliveries::settle(tx, TARGET, NODE, late, 120).await }))
        .await
        .unwrap();
    assert_eq!(take(&f, NODE, 130).await, None);
}

async fn the_oldest_are_given_up(f: Fixture) {
    begin(&f, 5).await;
    let gone = write(&f.store, |tx| {
        Box::pin(async move {
            let old = deliveries::give_up_old(tx, TARGET, 3, 100).await?;
            let many = deliveries::give_up_oldest(tx, TARGET, 1).await?;
            let left: Vec<_> = listed(tx).await?.into_iter().map(|row| row.item).collect();
            let state = deliveries::state(tx, TARGET).await?.unwrap();
            let waiting = deliveries::waiting(tx, TARGET).await?;
            deliveries::try_at_once(tx, TARGET).await?;
            deliveries::end(tx, TARGET).await?;
            Ok((old, many, left, state.given_up, waiting, deliveries::state(tx, TARGET).await?))
        })
    });
    assert_eq!(gone.await.unwrap(), (2, 1, vec![5, 4], 3, 2, None));
}

async fn notices_are_found_and_pruned(f: Fixture) {
    let notice = |number: u32| Notice {
        id: Uuid::from_u128(number.into()),
        at_ms: number.into(),
        kind: "Waiting".to_owned(),
        object_kind: Some("Proposal".to_owned()),
        object: Some(Uuid::from_u128(9)),
        service_id: None,
        detail: "{}".to_owned(),
    };
    let all: Vec<_> = (1..=4).map(notice).collect();
    let stored = all.clone();
    let found = write(&f.store, move |tx| {
        Box::pin(async move {
            for notice in stored {
                let (id, seq) = (notice.id, notices::insert(tx, notice).await?);
                assert_eq!(notices::by_seq(tx, seq).await?, notices::by_id(tx, id).await?);
            }
            let of_moment = notices::since(tx, 0, (i64::MAX, 2), 2).await?;
            let numbers = notices::numbers(tx, 0, 10).await?;
            let of_number = notices::since(tx, numbers[0], (numbers[2], i64::MAX), 10).await?;
            let pruned = (notices::prune(tx, 4, 2).await?, notices::prune(tx, 4, 2).await?);
            Ok((of_moment, of_number, pruned, notices::since(tx, 0, (0, 0), 10).await?))
        })
    });
    let (of_moment, of_number, pruned, left) = found.await.unwrap();
    assert_eq!(of_moment.into_iter().map(|row| row.notice).collect::<Vec<_>>(), all[1..3]);
    assert_eq!(of_number.into_iter().map(|row| row.notice).collect::<Vec<_>>(), all[3..]);
    assert_eq!(pruned, (2, 1));
    assert_eq!(left.into_iter().map(|row| row.notice).collect::<Vec<_>>(), all[3..]);
}

async fn nothing_is_overdue_where_nothing_waits(f: Fixture) {
    let found = write(&f.store, |tx| {
        Box::pin(async move {
            let after = (0, Uuid::nil());
            let requests = signing_requests::overdue(tx, after, 10, 5).await?;
            Ok((requests, proposals::overdue(tx, after, 10, 5).await?))
        })
    });
    assert_eq!(found.await.unwrap(), (vec![], vec![]));
}
