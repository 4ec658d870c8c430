//! Lists, pages, filters, search: the same on both databases.

use chancery_store::tables::audit::{self, Filter, Record};
use chancery_store::{List, Listed, Order, Page, Start, Store, StoreError, generated_sql, name_key, sql};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, add_thing, read, write};
use crate::row_keys::keys;

on_both!(
    a_cursor_goes_on_after_the_last_row_whatever_came_in_between,
    what_no_index_answers_is_looked_for_in_so_many_rows,
    rows_are_counted_up_to_a_bound,
    rows_that_come_and_go_are_counted_and_nobody_waits_for_it,
    rows_that_were_there_are_counted,
    search_finds_a_part_in_any_letter_case,
    pages_cover_the_list_once,
    a_list_of_values_is_one_condition,
    audit_records_are_filtered_and_newest_first,
    audit_records_of_an_identity_are_found_in_every_form,
    audit_numbers_are_never_given_twice,
);

fn from(limit: u32, offset: i64) -> Page {
    Page { limit, start: Start::Offset(offset), count_max: 1_000, scan_max: 1_000 }
}

async fn add_things(f: &Fixture, count: i64) {
    write(&f.store, move |tx| {
        Box::pin(async move {
            for id in 0..count {
                add_thing(tx, id, &format!("{id:03} {}", ["even", "odd"][usize::from(id % 2 == 1)])).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
}

/// A list by name of those whose name contains the term.
async fn named(f: &Fixture, term: Option<&str>, page: Page) -> Listed<i64> {
    let term = term.map(str::to_owned);
    read(&f.store, move |tx| {
        Box::pin(async move {
            List::new("id", "things", Order::Number("id")).search("name", term.as_deref()).page(tx, &page).await
        })
    })
    .await
    .unwrap()
}

async fn a_cursor_goes_on_after_the_last_row_whatever_came_in_between(f: Fixture) {
    add_things(&f, 6).await;
    let first = named(&f, None, from(3, 0)).await;
    assert_eq!((first.rows, first.total), (vec![0, 1, 2], 6));
    write(&f.store, |tx| Box::pin(async move { add_thing(tx, -1, "before").await })).await.unwrap();
    let page = Page { start: Start::After(first.next.unwrap()), ..from(3, 0) };
    let second = named(&f, None, page).await;
    assert_eq!((second.rows, second.total, second.next), (vec![3, 4, 5], 7, None));
}

async fn what_no_index_answers_is_looked_for_in_so_many_rows(f: Fixture) {
    add_things(&f, 20).await;
    let mut page = Page { scan_max: 7, ..from(3, 0) };
    let mut found = Vec::new();
    loop {
        let listed = named(&f, Some("odd"), page.clone()).await;
        assert!(listed.rows.len() <= 3);
        assert_eq!((listed.total, listed.total_is_at_least), (3, true), "three of the first seven");
        found.extend(listed.rows);
        let Some(next) = listed.next else { break };
        page.start = Start::After(next);
    }
    assert_eq!(found, [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    let beyond = named(&f, Some("odd"), Page { scan_max: 7, ..from(3, 3) }).await;
    assert!(beyond.rows.is_empty() && beyond.next.is_some(), "it says where to go on");
}

async fn rows_are_counted_up_to_a_bound(f: Fixture) {
    add_things(&f, 20).await;
    let cases =
        [(Some("odd"), 10, (10, false)), (Some("odd"), 9, (9, true)), (None, 20, (20, false)), (None, 1, (20, false))];
    // Of all rows it costs nothing to tell how many there are.
    for (term, max, expected) in cases {
        let listed = named(&f, term, Page { count_max: max, ..from(1, 0) }).await;
        assert_eq!((listed.total, listed.total_is_at_least), expected);
    }
}

const ADD: &str = "INSERT INTO audit (at_ms, request_id, source, identities, action, outcome, detail, count) \
    SELECT id, '', '', '[]', 'Login', 'Success', 'null', 1 FROM things";

/// The total of all audit records, by a list that counts none of them.
async fn records(f: &Fixture) -> i64 {
    let page = Page { count_max: 0, ..from(1, 0) };
    let listed = read(&f.store, move |tx| Box::pin(async move { audit::list(tx, Filter::default(), &page).await }));
    let listed = listed.await.unwrap();
    assert!(!listed.total_is_at_least);
    listed.total
}

async fn rows_that_come_and_go_are_counted_and_nobody_waits_for_it(f: Fixture) {
    add_things(&f, 5).await;
    assert_eq!(records(&f).await, 0);
    let add = |f: &Fixture| {
        let store = f.store.clone();
        async move { write(&store, |tx| Box::pin(sql(ADD).execute(tx))).await }
    };
    assert_eq!((add(&f).await, add(&f).await), (Ok(5), Ok(5)));
    assert_eq!(records(&f).await, 10);
    let undone: Outcome<()> = write(&f.store, |tx| {
        Box::pin(async move {
            sql(ADD).execute(tx).await?;
            Err(StoreError::Busy)
        })
    })
    .await;
    assert_eq!((undone, records(&f).await), (Err(StoreError::Busy), 10));
    let removed = write(&f.store, |tx| Box::pin(sql("DELETE FROM audit WHERE at_ms > 1").execute(tx))).await;
    assert_eq!((removed, records(&f).await), (Ok(6), 4));

    // PostgreSQL runs works side by side: one that stands still has counted, too, and holds up no other.
    if f.url.path().is_some() {
        return;
    }
    let (held, is_held) = tokio::sync::oneshot::channel();
    let (go_on, may_go_on) = tokio::sync::oneshot::channel::<()>();
    let store = f.store.clone();
    let first = tokio::spawn(async move {
        write(&store, |tx| {
            Box::pin(async move {
                let added = sql(ADD).execute(tx).await?;
                held.send(()).unwrap();
                may_go_on.await.unwrap();
                Ok(added)
            })
        })
        .await
    });
    is_held.await.unwrap();
    for _ in 0..3 {
        assert_eq!(tokio::time::timeout(std::time::Duration::from_secs(30), add(&f)).await.unwrap(), Ok(5));
    }
    assert_eq!(records(&f).await, 19);
    go_on.send(()).unwrap();
    assert_eq!((first.await.unwrap(), records(&f).await), (Ok(5), 24));
    let rows =
        read(&f.store, |tx| Box::pin(sql("SELECT COUNT(*) FROM row_counts WHERE table_name = 'audit'").one::<i64>(tx)));
    assert_eq!(rows.await, Ok(2), "as many as transactions at a time");
}

/// Of a database in which nothing counted rows yet.
async fn rows_that_were_there_are_counted(mut f: Fixture) {
    let mut back =
        vec!["DELETE FROM migrations WHERE name = '0080_row_counts'".to_owned(), "DROP TABLE row_counts".into()];
    if f.url.path().is_some() {
        for table in ["audit", "keys", "proposals", "signing_requests"] {
            back.extend(["added", "removed"].map(|what| format!("DROP TRIGGER {table}_{what}")));
        }
    } else {
        back.push("DROP FUNCTION count_rows CASCADE".into());
    }
    add_things(&f, 5).await;
    write(&f.store, |tx| {
        Box::pin(async move {
            for statement in back {
                generated_sql(statement).execute(tx).await?;
            }
            sql(ADD).execute(tx).await
        })
    })
    .await
    .unwrap();
    f.store = Store::open(&f.url, keys()).await.unwrap();
    assert_eq!(records(&f).await, 5);
    write(&f.store, |tx| Box::pin(sql(ADD).execute(tx))).await.unwrap();
    assert_eq!(records(&f).await, 10);
}

async fn search_finds_a_part_in_any_letter_case(f: Fixture) {
    let names = ["Card Numbers", "CARDS 100%", "ÜNÏCARD", "under_score", "ΟΔΟΣ", "bang!"];
    for (id, name) in (0..).zip(names) {
        let key = name_key(name);
        write(&f.store, move |tx| Box::pin(async move { add_thing(tx, id, &key).await })).await.unwrap();
    }
    let long = "x".repeat(60_000);
    let cases: [(&str, &[&str]); 10] = [
        ("card", &["card numbers", "cards 100%", "ünïcard"]),
        ("ÜNÏ", &["ünïcard"]),
        ("%", &["cards 100%"]),
        ("_", &["under_score"]),
        ("!", &["bang!"]),
        ("οδοσ", &["οδοσ"]),
        ("d_n", &[]),
        ("\\", &[]),
        ("a\0", &[]),
        (&long, &[]),
    ];
    for (term, expected) in cases {
        let term = term.to_owned();
        let found: Outcome<Listed<String>> = read(&f.store, move |tx| {
            Box::pin(async move {
                List::new("name", "things", Order::Number("id"))
                    .search("name", Some(&term))
                    .page(tx, &from(10, 0))
                    .await
            })
        })
        .await;
        let mut rows = found.unwrap().rows;
        rows.sort();
        assert_eq!(rows, expected);
    }
}

async fn pages_cover_the_list_once(f: Fixture) {
    write(&f.store, |tx| {
        Box::pin(async move {
            for id in 0..25 {
                add_thing(tx, id, &format!("{}", id % 5 + id * 100)).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    let mut ids = Vec::new();
    for offset in [0, 10, 20, 30, i64::MAX] {
        let page: Listed<i64> = read(&f.store, move |tx| {
            Box::pin(async move {
                let list = List::new("id", "things", Order::Number("id")).filter("id >= ?", Some(3_i64));
                list.page(tx, &from(10, offset)).await
            })
        })
        .await
        .unwrap();
        assert_eq!(page.total, 22);
        ids.extend(page.rows);
    }
    assert_eq!(ids, (3..25).collect::<Vec<_>>());
}

async fn a_list_of_values_is_one_condition(f: Fixture) {
    for id in 0..5 {
        write(&f.store, move |tx| Box::pin(async move { add_thing(tx, id, &id.to_string()).await })).await.unwrap();
    }
    let cases: [(Option<Vec<i64>>, &[i64]); 3] =
        [(None, &[1, 2, 3, 4]), (Some(vec![0, 2, 4, 9]), &[2, 4]), (Some(vec![]), &[])];
    for (ids, expected) in cases {
        let found: Outcome<Listed<i64>> = read(&f.store, move |tx| {
            let list = List::new("id", "things", Order::Number("id"))
                .filter("id > ?", Some(0_i64))
                .filter_in("id IN (?)", ids);
            Box::pin(async move { list.page(tx, &from(10, 0)).await })
        })
        .await;
        let found = found.unwrap();
        assert_eq!((found.rows.as_slice(), found.total), (expected, expected.len() as i64));
    }
}

const ALICE: Uuid = Uuid::from_u128(0xA11CE);
const BOB: Uuid = Uuid::from_u128(0xB0B);

fn record(at_ms: i64, who: Uuid, action: &str, object: Option<Uuid>, outcome: &str) -> Record {
    Record {
        at_ms,
        request_id: format!("request {at_ms}"),
        source: "192.0.2.1".into(),
        identities: format!(r#"[{{"name":"x","uuid":"{who}"}}]"#),
        action: action.into(),
        object,
        outcome: outcome.into(),
        detail: r#"{"é":1}"#.into(),
        count: 1,
        node: None,
        account: None,
    }
}

async fn listed(f: &Fixture, filter: Filter) -> Listed<audit::Row> {
    read(&f.store, move |tx| Box::pin(async move { audit::list(tx, filter, &from(100, 0)).await })).await.unwrap()
}

async fn times(f: &Fixture, filter: Filter) -> Vec<i64> {
    listed(f, filter).await.rows.into_iter().map(|row| row.record.at_ms).collect()
}

async fn audit_records_are_filtered_and_newest_first(f: Fixture) {
    let thing = Uuid::from_u128(7);
    let records = [
        record(1, ALICE, "RoleCreate", Some(thing), "Success"),
        record(2, BOB, "RoleCreate", None, "NotAuthorized"),
        Record { node: Some(thing), ..record(3, ALICE, "Login", None, "Success") },
        record(4, BOB, "RoleDelete", Some(thing), "Success"),
    ];
    let whole = records.clone();
    write(&f.store, move |tx| {
        Box::pin(async move {
            for record in records {
                audit::append(tx, record).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    let all = listed(&f, Filter::default()).await;
    assert_eq!((all.total, all.rows.len()), (4, 4));
    assert_eq!(all.rows[3].record, whole[0]);
    let filter = Filter::default;
    assert_eq!(times(&f, filter()).await, [4, 3, 2, 1]);
    assert_eq!(times(&f, Filter { from_ms: Some(2), to_ms: Some(4), ..filter() }).await, [3, 2]);
    assert_eq!(times(&f, Filter { action: Some("RoleCreate".into()), ..filter() }).await, [2, 1]);
    assert_eq!(times(&f, Filter { identity: Some(ALICE), ..filter() }).await, [3, 1]);
    assert_eq!(times(&f, Filter { object: Some(thing), ..filter() }).await, [4, 1]);
    assert_eq!(times(&f, Filter { outcome: Some("NotAuthorized".into()), ..filter() }).await, [2]);
    assert_eq!(times(&f, Filter { outcome: Some("Success".into()), ..filter() }).await, [4, 3, 1]);
    assert_eq!(times(&f, Filter { node: Some(thing), ..filter() }).await, [3]);
    let several = Filter { identity: Some(BOB), object: Some(thing), action: Some("RoleDelete".into()), ..filter() };
    assert_eq!(times(&f, several).await, [4]);
    let several = Filter { identity: Some(ALICE), from_ms: Some(2), node: Some(thing), ..filter() };
    assert_eq!(times(&f, several).await, [3]);
    let actions = Some(vec!["RoleCreate".to_owned(), "Login".to_owned()]);
    assert_eq!(times(&f, Filter { actions: actions.clone(), ..filter() }).await, [3, 2, 1]);
    assert_eq!(times(&f, Filter { actions, identity: Some(BOB), from_ms: Some(2), ..filter() }).await, [2]);
    let none = Filter { identity: Some(BOB), object: Some(thing), outcome: Some("Login".into()), ..filter() };
    assert!(times(&f, none).await.is_empty());
}

/// As records are written today, and as former releases wrote them; a role is no identity.
async fn audit_records_of_an_identity_are_found_in_every_form(f: Fixture) {
    let (role, bob) = (Uuid::from_u128(5), BOB);
    let form = |identities: String| Record { identities, ..record(1, ALICE, "Login", None, "Success") };
    let today = format!(
        r#"[{{"name":"x","uuid":"{ALICE}","login":{{"way":"Password"}},"roles":[{{"uuid":"{role}","name":"\"uuid\":\"{bob}\"}}"}}]}}]"#
    );
    let records = [form(today), form(format!(r#"[{{"name":"x","uuid":"{ALICE}"}}]"#))];
    write(&f.store, move |tx| {
        Box::pin(async move {
            for record in records {
                audit::append(tx, record).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    for (who, count) in [(ALICE, 2), (BOB, 0), (role, 0)] {
        assert_eq!(times(&f, Filter { identity: Some(who), ..Filter::default() }).await.len(), count, "{who}");
    }
}

async fn audit_numbers_are_never_given_twice(f: Fixture) {
    let append = |f: &Fixture| {
        let store = f.store.clone();
        let record = record(0, ALICE, "Login", None, "Success");
        async move { write(&store, move |tx| Box::pin(async move { audit::append(tx, record).await })).await.unwrap() }
    };
    append(&f).await;
    let first = listed(&f, Filter::default()).await.rows[0].seq;
    let removed: Result<u64, StoreError> = write(&f.store, |tx| Box::pin(sql("DELETE FROM audit").execute(tx))).await;
    assert_eq!(removed, Ok(1));
    let of_identities: i64 =
        read(&f.store, |tx| Box::pin(sql("SELECT COUNT(*) FROM audit_identities").one(tx))).await.unwrap();
    assert_eq!(of_identities, 0, "they go with their records");
    append(&f).await;
    assert!(listed(&f, Filter::default()).await.rows[0].seq > first);
}
