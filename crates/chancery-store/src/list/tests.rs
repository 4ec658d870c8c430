//! What lists read, as the two databases plan it.

#[path = "../../tests/it/row_keys.rs"]
mod row_keys;

use std::path::Path;

use chancery_testkit::{Postgres, temp_dir};
use futures::future::BoxFuture;

use super::*;
use crate::Columns;
use crate::tables::{audit, audit_archives, notices, notices::Whose, proposals, signing_requests, token_profiles};
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
    lists.push(("audit archives", audit_archives::list_of()));
    lists.push(("proposals", proposals::list_of(proposals::Filter::default())));
    lists.push(("proposals about a policy", proposals::list_of(of_policy)));
    let waiting = proposals::Filter { waiting_at_ms: Some(1), ..Default::default() };
    lists.push(("proposals that wait", proposals::list_of(waiting)));
    lists.extend(audit_lists());
    let sights = [
        ("notices", Whose::All, true),
        ("notices of some", Whose::Of(vec![ONE, TWO]), false),
        ("notices of nobody", Whose::Nobody, false),
    ];
    for (name, whose, server) in sights {
        let sight = notices::Sight { requests: whose.clone(), proposals: whose.clone(), identities: whose, server };
        lists.push((name, notices::list_of(&sight, Some("Waiting"))));
    }
    for table in ["roles", "identities", "keys", "services", "token_profiles"] {
        lists.push((table, List::new("id", table, Order::Name("name_key", "id"))));
    }
    Ok(lists)
}

/// One for each filter, and some of several.
fn audit_lists() -> Vec<(&'static str, List)> {
    let all = audit::Filter::default;
    let time = audit::Filter { from_ms: Some(1), to_ms: Some(9), ..all() };
    let (action, refusal) = (Some("RoleCreate".to_owned()), Some("NotAuthorized".to_owned()));
    let filters = [
        ("audit", all()),
        ("audit of a time", time.clone()),
        ("audit of an object", audit::Filter { object: Some(ONE), ..all() }),
        ("audit of an identity", audit::Filter { identity: Some(ONE), ..all() }),
        ("audit of an identity and a time", audit::Filter { identity: Some(ONE), ..time }),
        ("audit of an action", audit::Filter { action: action.clone(), ..all() }),
        ("audit of a refusal", audit::Filter { outcome: refusal.clone(), ..all() }),
        ("audit of a node", audit::Filter { node: Some(ONE), ..all() }),
        ("audit of much", audit::Filter { identity: Some(ONE), action, outcome: refusal, ..all() }),
    ];
    let actions = Some(vec!["RoleCreate".to_owned(), "RoleDelete".to_owned()]);
    let filters = filters.into_iter().chain([("audit of two actions", audit::Filter { actions, ..all() })]);
    filters.map(|(name, filter)| (name, audit::list_of(filter))).collect()
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

/// However many requests there were since, that are none, or are not signed.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_manifest_is_found_at_once() {
    let folder = temp_dir();
    let store = Store::open(&StoreUrl::file(folder.path().join("db")), row_keys::keys()).await.unwrap();
    let read = store.read(move |tx| {
        Box::pin(async move {
            let text = format!("EXPLAIN QUERY PLAN {}", signing_requests::LAST_MANIFEST);
            generated_sql(text).bind(ONE).bind(1_i64).all::<Line>(tx).await
        })
    });
    let plan: Vec<_> = read.await.unwrap().into_iter().map(|line| line.0).collect();
    let narrow = "USING INDEX signing_requests_manifests (policy_id=? AND decided_at_ms<?)";
    assert!(plan.len() == 1 && plan[0].ends_with(narrow), "{plan:#?}");
    store.close().await;
}

/// Ten thousand profiles of one key were all read, and authenticated, for each that was made.
#[tokio::test(flavor = "multi_thread")]
async fn the_profiles_that_share_tokens_are_read_and_no_others() {
    let folder = temp_dir();
    let store = Store::open(&StoreUrl::file(folder.path().join("db")), row_keys::keys()).await.unwrap();
    for text in [token_profiles::BEGINS, token_profiles::JOINS] {
        let read = store.read(move |tx| {
            Box::pin(async move {
                generated_sql(format!("EXPLAIN QUERY PLAN {text}")).bind(ONE).bind(TWO).all::<Line>(tx).await
            })
        });
        let plan: Vec<_> = read.await.unwrap().into_iter().map(|line| line.0).collect();
        let narrow = ["(id=?)", "(key_id=? AND tweak_domain=?)"];
        assert!(plan.len() == 1 && narrow.iter().any(|by| plan[0].ends_with(by)), "{plan:#?}");
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

/// Requests of a store in which lists are measured: enough to tell a list that reads them all.
fn requests() -> u32 {
    if std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { 120_000 } else { 10_000 }
}

/// Each fifth waits, half are one service's, and all have names in an order of their own.
async fn fill(tx: &mut Tx) -> Result<(), StoreError> {
    furnish(tx).await?;
    sql("INSERT INTO signing_policies (id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval) \
        SELECT id, id, name, 0, 'Sha2_256', 0, 'Never' FROM services")
    .execute(tx)
    .await?;
    let (numbers, digits) = match tx.backend() {
        Backend::Sqlite => ("printf('%012d', n)", "printf('%06d', (n * 7919) % 1000000)"),
        Backend::Postgres => ("lpad(CAST(n AS TEXT), 12, '0')", "lpad(CAST((n * 7919) % 1000000 AS TEXT), 6, '0')"),
    };
    let owner = format!("CASE WHEN n % 2 = 0 THEN '{ONE}' ELSE '{TWO}' END");
    let text = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) \
         INSERT INTO signing_requests (id, service_id, policy_id, name, name_key, state, digest, \
             required_at_submission, submitted_at_ms, submitters_id, version) \
         SELECT '00000000-0000-0000-0001-' || {numbers}, {owner}, {owner}, {digits}, {digits}, \
             CASE WHEN n % 5 = 0 THEN 'Approval' ELSE 'Signed' END, $1, 0, n, {owner}, 1 FROM numbers",
        requests()
    );
    let filled = generated_sql(text).bind(vec![7_u8; 32]).execute(tx).await?;
    assert_eq!(filled, u64::from(requests()));
    if tx.backend() == Backend::Postgres {
        tx.script("ANALYZE signing_requests".to_owned()).await?;
    }
    Ok(())
}

/// What somebody asks for that has an index of its own. What has none is looked for in so many rows, as another test shows.
fn asked() -> Vec<(&'static str, signing_requests::Filter)> {
    use signing_requests::Filter;
    vec![
        ("all requests", Filter::default()),
        ("of a service", Filter { service_id: Some(ONE), ..Filter::default() }),
        ("waiting", Filter { state: Some("Approval".into()), unexpired_at_ms: Some(1), ..Filter::default() }),
        ("own", Filter { submitters: Some(vec![ONE, TWO]), ..Filter::default() }),
    ]
}

/// Rows that are counted at most.
const COUNTED: u32 = 100;

/// The statements of a page of ten: its rows, and how many there are on all.
fn statements(tx: &Tx, list: &List, after: Option<&Position>) -> [(String, Vec<Value>); 2] {
    let part = Part { after, until: None, is_filtered: true };
    let columns = format!("{}, {}", list.columns, list.order.aliases());
    let page = list.select(tx.backend(), &columns, &part, 11, 0);
    let (text, values) = page.parts();
    if list.is_whole() {
        let whole = list.whole();
        let (count, counted) = whole.parts();
        return [(text.clone().into_owned(), values.to_vec()), (count.clone().into_owned(), counted.to_vec())];
    }
    let mut counted = list.values.clone();
    let union = list.union("1 AS one", &Part::until(None), &mut counted, "");
    let count = format!("SELECT COUNT(*) FROM ({union} LIMIT {}) AS counted", COUNTED + 1);
    [(text.clone().into_owned(), values.to_vec()), (count, counted)]
}

/// Each table whose rows are counted as they come and go has its triggers; that of audit records has three more, for
/// their identities and their leaves.
async fn kept_counts(store: &Store) -> Vec<(&'static str, i64)> {
    let text = |tx: &Tx| match tx.backend() {
        Backend::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1",
        Backend::Postgres => {
            "SELECT COUNT(*) FROM information_schema.triggers WHERE CAST(event_object_table AS TEXT) = $1"
        }
    };
    let read = store.read(move |tx| {
        Box::pin(async move {
            let mut found = Vec::new();
            for table in KEPT {
                found.push((table, sql(text(tx)).bind(table).one(tx).await?));
            }
            Ok::<_, StoreError>(found)
        })
    });
    read.await.unwrap()
}

/// What each statement of each list costs, at the beginning and far behind.
async fn costs(
    store: &Store,
    cost: impl for<'t> Fn(&'t mut Tx, String, Vec<Value>) -> BoxFuture<'t, Result<u64, StoreError>> + Send + Sync + 'static,
) -> Vec<(String, [u64; 2])> {
    store.write(|tx| Box::pin(fill(tx))).await.unwrap();
    let read = store.read(|tx| {
        Box::pin(async move {
            let mut costs = Vec::new();
            for (what, filter) in asked() {
                let list = signing_requests::list_of(tx, filter).await?;
                for (place, after) in
                    [("at the beginning", None), ("far behind", Some(Position::Name("900000".into(), ONE)))]
                {
                    let [page, count] = statements(tx, &list, after.as_ref());
                    let both = [cost(tx, page.0, page.1).await?, cost(tx, count.0, count.1).await?];
                    costs.push((format!("{what}, {place}"), both));
                }
            }
            Ok::<_, StoreError>(costs)
        })
    });
    read.await.unwrap()
}

/// Steps of SQLite's machine, by its own account.
fn steps(file: &Path, text: &str, values: &[Value]) -> u64 {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut statement = connection.prepare(text).unwrap();
    for (number, value) in (1..).zip(values) {
        let Some(place) = statement.parameter_index(&format!("${number}")).unwrap() else { continue };
        match value {
            Value::Text(text) => statement.raw_bind_parameter(place, text),
            Value::Number(number) => statement.raw_bind_parameter(place, number),
            Value::Bytes(bytes) => statement.raw_bind_parameter(place, bytes),
        }
        .unwrap();
    }
    let mut rows = statement.raw_query();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    u64::try_from(statement.get_status(rusqlite::StatementStatus::VmStep)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_of_many_requests_take_sqlite_few_steps_wherever_they_are() {
    let folder = temp_dir();
    let file = folder.path().join("db");
    let store = Store::open(&StoreUrl::file(&file), row_keys::keys()).await.unwrap();
    let costs = costs(&store, move |_, text, values| {
        let counted = steps(&file, &text, &values);
        Box::pin(async move { Ok(counted) })
    });
    assert_eq!(kept_counts(&store).await, KEPT.map(|table| (table, if table == "audit" { 5 } else { 2 })));
    for (what, [page, count]) in costs.await {
        assert!((1..3_000).contains(&page), "{what}: {page} steps");
        let bound = if what.starts_with("all") { 100 } else { 6_000 };
        assert!((1..bound).contains(&count), "{what}: {count} steps to count");
    }
    store.close().await;
}

/// The pages of memory that PostgreSQL looked at, by its own account.
async fn buffers(tx: &mut Tx, text: String, values: Vec<Value>) -> Result<u64, StoreError> {
    let explain = generated_sql(format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) {text}"));
    let lines: Vec<Line> = explain.bind_all(&values).all(tx).await?;
    let line = lines.iter().map(|line| line.0.trim()).find_map(|line| line.strip_prefix("Buffers: shared "));
    let counts = line.expect("a line of buffers").split(' ').filter_map(|part| {
        part.strip_prefix("hit=").or_else(|| part.strip_prefix("read=")).and_then(|count| count.parse::<u64>().ok())
    });
    Ok(counts.sum())
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_of_many_requests_take_postgresql_few_pages_wherever_they_are() {
    let database = tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap();
    let store = Store::open(&database.address().parse().unwrap(), row_keys::keys()).await.unwrap();
    assert_eq!(kept_counts(&store).await, KEPT.map(|table| (table, if table == "audit" { 5 } else { 2 })));
    for (what, [page, count]) in costs(&store, |tx, text, values| Box::pin(buffers(tx, text, values))).await {
        // Rows lie in the order in which they came, so each is on a page of its own.
        assert!((1..200).contains(&page), "{what}: {page} pages");
        let bound = if what.starts_with("all") { 20 } else { 400 };
        assert!((1..bound).contains(&count), "{what}: {count} pages to count");
    }
    store.close().await;
}
