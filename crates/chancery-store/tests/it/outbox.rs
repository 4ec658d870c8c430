//! What waits to be delivered: one node at a time, nothing lost, nothing for ever.

use chancery_store::tables::{
    deliveries::{self, Failed, Settled, Waiting},
    fan_outs, identities, mailboxes, nodes,
    notices::{self, Notice},
    proposals, signing_requests,
    tiles::Tree,
    witnesses,
};
use chancery_store::{Page, Start, Tx};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, write};

on_both!(
    one_node_at_a_time_delivers,
    what_was_not_settled_is_due_again_when_the_lease_has_ended,
    what_a_node_was_about_is_due_at_once_when_it_says_that_it_ends,
    the_oldest_are_given_up,
    notices_are_found_and_pruned,
    nothing_is_overdue_where_nothing_waits,
    of_many_targets_those_are_found_that_have_something,
    mailboxes_are_told_one_after_the_other,
    a_notice_that_is_gone_is_told_to_nobody,
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
    write(&f.store, move |tx| Box::pin(async move { deliveries::ready(tx, QUEUE, now_ms, 10).await })).await.unwrap()
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
    let settled = Settled { delivered: vec![seq(1)], failed: vec![failed], ..Settled::default() };
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

async fn what_a_node_was_about_is_due_at_once_when_it_says_that_it_ends(f: Fixture) {
    begin(&f, 2).await;
    assert_eq!(take(&f, NODE, 10).await, Some(vec![1, 2]));
    let store = &f.store;
    let asked = async |node: Uuid| {
        let taken = write(store, move |tx| {
            Box::pin(async move {
                witnesses::begin(tx, Tree::Log, "w").await?;
                witnesses::take(tx, (Tree::Log, "w"), node, (11, 111)).await
            })
        });
        taken.await.unwrap().is_some()
    };
    assert!(asked(NODE).await && !asked(OTHER).await);
    assert_eq!(take(&f, OTHER, 11).await, None);
    write(&f.store, |tx| Box::pin(async move { nodes::remove(tx, NODE).await })).await.unwrap();
    assert_eq!(take(&f, OTHER, 11).await, Some(vec![1, 2]));
    assert!(asked(OTHER).await);
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

async fn of_many_targets_those_are_found_that_have_something(f: Fixture) {
    let target = |number: u128| Uuid::from_u128(100 + number);
    let found = write(&f.store, move |tx| {
        Box::pin(async move {
            for number in 0..50 {
                deliveries::begin(tx, QUEUE, target(number)).await?;
            }
            deliveries::begin(tx, "other", target(50)).await?;
            assert!(deliveries::ready(tx, QUEUE, 10, 100).await?.is_empty());
            let some = [target(3), target(7), target(49)];
            deliveries::add_all(tx, QUEUE, &some, 1, 5).await?;
            deliveries::add_all(tx, QUEUE, &some[..2], 2, 6).await?;
            deliveries::add_all(tx, "other", &[target(50)], 1, 5).await?;
            deliveries::add_all(tx, QUEUE, &[], 3, 5).await?;
            assert!(deliveries::ready(tx, QUEUE, 4, 100).await?.is_empty(), "nothing is due yet");
            let (all, first) =
                (deliveries::ready(tx, QUEUE, 10, 100).await?, deliveries::ready(tx, QUEUE, 10, 2).await?);
            let mut waiting = deliveries::waiting_for(tx, &[target(3), target(4), target(49)]).await?;
            waiting.sort_by_key(|one| one.target);
            let gone = deliveries::give_up_old_of_queue(tx, QUEUE, 6, 2).await?;
            let given_up = deliveries::state(tx, target(3)).await?.unwrap().given_up;
            Ok((all, first, waiting, gone, given_up, deliveries::waiting_in(tx, QUEUE).await?))
        })
    });
    let (all, first, waiting, gone, given_up, left) = found.await.unwrap();
    assert_eq!((all, first), (vec![target(3), target(7), target(49)], vec![target(3), target(7)]));
    let one = |number, waiting| Waiting { target: target(number), waiting };
    assert_eq!(waiting, [one(3, 2), one(49, 1)]);
    assert_eq!((gone.into_iter().collect::<Vec<_>>(), given_up, left), (vec![(target(3), 1), (target(7), 1)], 1, 3));
}

async fn mailboxes_are_told_one_after_the_other(f: Fixture) {
    let identity =
        |number: u128| identities::Row::new(Uuid::from_u128(number), format!("person {number}"), "Person", 1);
    let mailbox = |number: u128, address: Option<&str>, is_enabled| mailboxes::Row {
        identity_id: Uuid::from_u128(number),
        address: address.map(str::to_owned),
        confirmed_at_ms: address.map(|_| 1),
        is_enabled,
        content: "{}".to_owned(),
        sent: "[]".to_owned(),
    };
    let found = write(&f.store, move |tx| {
        Box::pin(async move {
            for number in 1..=5 {
                identities::insert(tx, &identity(number)).await?;
            }
            for row in [mailbox(1, Some("a@b"), true), mailbox(2, Some("a@b"), false), mailbox(3, None, true)] {
                mailboxes::put(tx, &row).await?;
            }
            mailboxes::put(tx, &mailbox(4, None, false)).await?;
            mailboxes::put(tx, &mailbox(4, Some("c@d"), true)).await?;
            let some = mailboxes::told_after(tx, Uuid::nil(), 1).await?;
            let others = mailboxes::told_after(tx, some.reached.unwrap(), 10).await?;
            let count = mailboxes::count(tx).await?;
            identities::delete(tx, Uuid::from_u128(4)).await?;
            let gone = mailboxes::by_identity(tx, Uuid::from_u128(4)).await?;
            Ok((some.rows, others.rows, others.reached, count, gone))
        })
    });
    let (some, others, reached, count, gone) = found.await.unwrap();
    assert_eq!(
        (some, others, reached),
        (vec![mailbox(1, Some("a@b"), true)], vec![mailbox(4, Some("c@d"), true)], None)
    );
    assert_eq!((count, gone), (3, None), "a mailbox goes with its identity");
}

async fn a_notice_that_is_gone_is_told_to_nobody(f: Fixture) {
    let notice = |number: u32| Notice {
        id: Uuid::from_u128(number.into()),
        at_ms: number.into(),
        kind: "RowRefused".to_owned(),
        object_kind: None,
        object: None,
        service_id: None,
        detail: "{}".to_owned(),
    };
    let found = write(&f.store, move |tx| {
        Box::pin(async move {
            for number in 1..=4 {
                let seq = notices::insert(tx, notice(number)).await?;
                fan_outs::add(tx, seq).await?;
            }
            let first = fan_outs::first(tx).await?.unwrap();
            fan_outs::reach(tx, first.notice, TARGET).await?;
            let reached = fan_outs::first(tx).await?.unwrap();
            fan_outs::done(tx, first.notice).await?;
            let second = fan_outs::first(tx).await?.unwrap();
            notices::prune(tx, 3, 100).await?;
            let third = fan_outs::first(tx).await?.unwrap();
            let gone = fan_outs::done_first(tx, 100).await?;
            Ok((first, reached, second, third, gone, fan_outs::first(tx).await?))
        })
    });
    let (first, reached, second, third, gone, left) = found.await.unwrap();
    assert_eq!((first.reached, reached.reached), (None, Some(TARGET)));
    assert!(first.notice == reached.notice && reached.notice < second.notice && second.notice < third.notice);
    assert_eq!((gone, left), (2, None));
}
