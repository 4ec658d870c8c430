//! What lists read, as the two databases plan it.

#[path = "../../tests/it/row_keys.rs"]
mod row_keys;

use chancery_testkit::{Postgres, temp_dir};

use super::*;
use crate::Columns;
use crate::tables::{audit, proposals, signing_requests};
use crate::{Store, StoreUrl, sql};

const ONE: Uuid = Uuid::from_u128(1);
const TWO: Uuid = Uuid::from_u128(2);

/// Lines of the plan of a page far into a list.
async fn plan(tx: &mut Tx, list: &List) -> Result<Vec<String>, StoreError> {
    let after = match list.order {
        Order::Name(..) => Position::Name("m".into(), ONE),
        Order::Number(_) => Position::Number(7),
        Order::Newest(..) => Position::Newest(7, 7),
    };
    let part = Part { after: Some(&after), until: None, is_filtered: true };
    let statement = list.select(tx.backend(), &format!("{}, {}", list.columns, list.order.aliases()), &part, 11, 0);
    let (text, values) = statement.parts();
    let word = match tx.backend() {
        Backend::Sqlite => "EXPLAIN QUERY PLAN",
        Backend::Postgres => "EXPLAIN",
    };
    generated_sql(format!("{word} {text}"))
        .bind_all(values)
        .all::<Line>(tx)
        .await
        .map(|lines| lines.into_iter().map(|line| line.0).collect())
}

struct Line(String);

impl FromColumns for Line {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.get("detail").or_else(|_| columns.get("QUERY PLAN")).map(Self)
    }
}

async fn lists(tx: &mut Tx) -> Result<Vec<(&'static str, List)>, StoreError> {
    use signing_requests::Filter;
    let mut lists = Vec::new();
    let filters = [
        ("all requests", Filter::default()),
        ("of a service", Filter { service_id: Some(ONE), ..Filter::default() }),
        ("signed", Filter { state: Some("Signed".into()), ..Filter::default() }),
        ("waiting", Filter { state: Some("Approval".into()), unexpired_at_ms: Some(1), ..Filter::default() }),
        ("failed", Filter { failed_at_ms: Some(1), ..Filter::default() }),
        ("by pre-approval", Filter { pre_approval_id: Some(ONE), ..Filter::default() }),
        ("own", Filter { submitters: Some(vec![ONE, TWO]), ..Filter::default() }),
        ("found", Filter { search: Some("x".into()), ..Filter::default() }),
    ];
    for (name, filter) in filters {
        lists.push((name, signing_requests::list_of(tx, filter).await?));
    }
    let of_policy = proposals::Filter { policy_id: Some(ONE), ..Default::default() };
    lists.push(("proposals", proposals::list_of(proposals::Filter::default())));
    lists.push(("proposals about a policy", proposals::list_of(of_policy)));
    let waiting = proposals::Filter { waiting_at_ms: Some(1), ..Default::default() };
    lists.push(("proposals that wait", proposals::list_of(waiting)));
    lists.push(("audit", audit::list_of(audit::Filter::default())));
    lists.push((
        "audit of a time",
        audit::list_of(audit::Filter { from_ms: Some(1), to_ms: Some(9), ..Default::default() }),
    ));
    lists.push(("audit of an object", audit::list_of(audit::Filter { object: Some(ONE), ..Default::default() })));
    for table in ["roles", "identities", "keys", "services", "token_profiles"] {
        lists.push((table, List::new("id", table, Order::Name("name_key", "id"))));
    }
    Ok(lists)
}

async fn furnish(tx: &mut Tx) -> Result<(), StoreError> {
    for (id, name) in [(ONE, "a"), (TWO, "b")] {
        sql("INSERT INTO services (id, name, name_key, template, signing_format, created_at_ms, log) \
            VALUES ($1, $2, $2, 'PKI Signing', 'CMS', 1, 'Public')")
        .bind(id)
        .bind(name)
        .execute(tx)
        .await?;
        sql("INSERT INTO submitter_sets (id) VALUES ($1)").bind(id).execute(tx).await?;
        sql("INSERT INTO submitter_set_members (set_id, identity_id, identity_name) VALUES ($1, $1, $2)")
            .bind(id)
            .bind(name)
            .execute(tx)
            .await?;
    }
    Ok(())
}

async fn plans(store: &Store) -> Vec<(&'static str, Vec<String>)> {
    store.write(|tx| Box::pin(furnish(tx))).await.unwrap();
    let read = store.read(|tx| {
        Box::pin(async move {
            if tx.backend() == Backend::Postgres {
                // Its tables are empty, and it would read and sort them whole.
                for off in ["seqscan", "sort", "bitmapscan", "incremental_sort", "hashjoin"] {
                    generated_sql(format!("SET LOCAL enable_{off} = off")).execute(tx).await?;
                }
            }
            let mut plans = Vec::new();
            for (name, list) in lists(tx).await? {
                plans.push((name, plan(tx, &list).await?));
            }
            Ok::<_, StoreError>(plans)
        })
    });
    read.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_far_into_a_list_is_read_along_an_index_and_never_sorted_on_sqlite() {
    let folder = temp_dir();
    let store = Store::open(&StoreUrl::file(folder.path().join("db")), row_keys::keys()).await.unwrap();
    for (name, plan) in plans(&store).await {
        let bad = plan.iter().any(|line| line.starts_with("SCAN") || line.contains("TEMP B-TREE"));
        assert!(!bad, "{name}: {plan:#?}");
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_far_into_a_list_is_read_along_an_index_and_never_sorted_on_postgresql() {
    let database = tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap();
    let store = Store::open(&database.address().parse().unwrap(), row_keys::keys()).await.unwrap();
    for (name, plan) in plans(&store).await {
        // What is left of two arms may be sorted, but no arm.
        let cut = plan.iter().filter(|line| line.contains("Limit")).count() == 3;
        let sorted = plan.iter().any(|line| line.contains("Sort")) && !cut;
        let bad = sorted || plan.iter().any(|line| line.contains("Seq Scan on signing_requests"));
        assert!(!bad && plan.iter().any(|line| line.contains("Index")), "{name}: {plan:#?}");
    }
    store.close().await;
}
