//! Rows that carry authority are what Chancery wrote, or they are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use chancery_store::tables::{identities, identity_roles, roles, settings, signing_requests};
use chancery_store::{
    OpenError, Page, RowKeyError, Start, Store, StoreError, Table, authority_tables, generated_sql, sql,
};
use uuid::Uuid;

use crate::harness::{Fixture, back_to_rows_without_macs, read, write};
use crate::row_keys::keys;

on_both!(
    every_column_of_every_table_is_under_a_mac,
    a_row_is_authenticated_only_as_it_was_found,
    every_table_is_authenticated_or_says_why_not,
    a_row_that_somebody_else_wrote_is_refused,
    rows_that_were_there_are_authenticated_once,
    a_missing_key_does_not_authenticate_everything_anew,
    what_is_refused_is_told_once_and_forgiven_when_it_is_restored,
);

/// Tables whose rows need no MAC, and why.
const WITHOUT: [(&str, &str); 36] = [
    ("migrations", "what ran is compared with what this release holds"),
    ("counters", "numbers and turns; they give no right"),
    ("row_counts", "how many rows lists have; they give no right"),
    ("changes", "says what to look at again, and what is looked at is authenticated"),
    ("idempotency_keys", "how calls were answered; it gives no right"),
    ("activity", "how much servers have done; it gives no right"),
    ("nodes", "says which nodes are there; it gives no right"),
    ("api_key_uses", "when keys were last used; it gives no right"),
    ("used_tokens", "which tokens were taken; without one of them a token that is good is taken once more"),
    ("audit", "the ledger is over them"),
    ("audit_leaves", "say which leaf of the ledger each record is, which its tree proves"),
    ("audit_archives", "their records are leaves of the ledger, which its tree proves"),
    ("audit_tiles", "the signed checkpoints are over them"),
    ("audit_checkpoints", "signed, and each has the hash of the one before"),
    ("audit_target_states", "how far targets have the records, whose sequence shows a gap; it gives no right"),
    ("witness_states", "cosignatures, which say themselves whose they are; it gives no right"),
    ("audit_ledgers", "its key is sealed, its checkpoints signed"),
    ("budget_leases", "how much of budgets servers have taken; it gives no right"),
    ("audit_identities", "an index of the audit records; it gives no right"),
    ("transport_authorities", "its key is sealed, and its certificate is for that key"),
    ("bearer_keys", "sealed"),
    ("row_keys", "sealed"),
    ("vault_tokens", "sealed, row by row"),
    ("crls", "signed by their issuers"),
    ("logs", "its key is sealed, its checkpoint signed"),
    ("log_entries", "the tree is over them"),
    ("log_tiles", "the signed checkpoint is over them"),
    ("signing_payloads", "the digest in the request is over them"),
    ("signing_items", "the digest in the request is over them"),
    ("signing_metadata", "finds requests by what is claimed of them"),
    ("signing_item_results", "signatures"),
    ("notices", "tell what happened, and nobody acts on them without asking"),
    ("fan_outs", "of which notices mailboxes were not told; they give no right"),
    ("deliveries", "what waits for targets, which are authenticated; they give no right"),
    ("delivery_states", "counts, and who delivers; they give no right"),
    ("things", "these tests' own"),
];

/// Columns of authenticated tables that no MAC is over.
const APART: [(&str, &str); 1] = [("certificates", "serial_group")];

async fn columns_of_all(f: &Fixture) -> BTreeMap<String, Vec<String>> {
    let text = if f.url.path().is_some() {
        "SELECT m.name || '.' || c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c \
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
    } else {
        "SELECT CAST(table_name || '.' || column_name AS TEXT) FROM information_schema.columns \
         WHERE table_schema = current_schema()"
    };
    let all: Vec<String> = read(&f.store, move |tx| Box::pin(sql(text).all(tx))).await.unwrap();
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in all {
        let (table, column) = name.split_once('.').unwrap();
        tables.entry(table.to_owned()).or_default().push(column.to_owned());
    }
    tables
}

async fn every_table_is_authenticated_or_says_why_not(f: Fixture) {
    let listed: BTreeMap<_, _> = authority_tables().iter().map(|table| (table.name, table)).collect();
    for (table, columns) in columns_of_all(&f).await {
        let Some(Table { columns: known, apart, .. }) = listed.get(table.as_str()) else {
            assert!(table == "parts" || WITHOUT.iter().any(|(name, _)| *name == table), "{table} has no MACs: why?");
            assert!(!columns.iter().any(|column| column == "mac"), "{table}");
            continue;
        };
        for column in columns {
            let column = column.as_str();
            let is_placed = known.contains(&column) || apart.contains(&column) || column == "mac";
            assert!(is_placed || APART.contains(&(table.as_str(), column)), "no MAC is over {table}.{column}");
        }
    }
}

/// The types of a table's columns, by their names.
async fn types(f: &Fixture, table: &str) -> BTreeMap<String, String> {
    let text = if f.url.path().is_some() {
        format!("SELECT name || ' ' || type FROM pragma_table_info('{table}')")
    } else {
        format!(
            "SELECT CAST(column_name || ' ' || data_type AS TEXT) FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{table}' AND is_generated = 'NEVER'"
        )
    };
    let all: Vec<String> = read(&f.store, move |tx| Box::pin(generated_sql(text).all(tx))).await.unwrap();
    let parts = all.iter().map(|one| one.split_once(' ').unwrap());
    parts.map(|(name, kind)| (name.to_owned(), kind.to_lowercase())).collect()
}

/// A table whose rows are made up: each has in each column what no other row has there.
struct MadeUp {
    table: &'static Table,
    types: BTreeMap<String, String>,
    is_sqlite: bool,
}

impl MadeUp {
    fn shown(&self, column: &str, row: usize) -> String {
        match self.types[column].as_str() {
            "text" => format!("{column} {row}"),
            "bigint" => (1_000 + row).to_string(),
            "bytea" => format!("{row:08x}"),
            other => panic!("{}.{column} is of type {other}", self.table.name),
        }
    }

    fn value(&self, column: &str, row: usize) -> String {
        // A version of a key is sealed here or kept elsewhere, never both.
        if (self.table.name, column) == ("key_versions", "sealed") {
            return "NULL".to_owned();
        }
        let shown = self.shown(column, row);
        match self.types[column].as_str() {
            "bytea" if self.is_sqlite => format!("X'{shown}'"),
            "bytea" => format!(r"'\x{shown}'"),
            "text" => format!("'{shown}'"),
            _ => shown,
        }
    }

    fn keys(&self) -> &'static [&'static str] {
        &self.table.columns[..self.table.keys]
    }

    fn is(&self, row: usize) -> String {
        let is: Vec<_> = self.keys().iter().map(|key| format!("{key} = {}", self.value(key, row))).collect();
        is.join(" AND ")
    }

    /// The row as it is told of, if its `changed` column has what another row would have.
    fn told(&self, row: usize, changed: Option<(&str, usize)>) -> String {
        let shown = |key: &&str| match changed {
            Some((column, other)) if column == *key => self.shown(key, other),
            _ => self.shown(key, row),
        };
        format!("{}/{}", self.table.name, self.keys().iter().map(shown).collect::<Vec<_>>().join("/"))
    }

    fn insert(&self, rows: usize) -> String {
        let names: Vec<_> = self.types.keys().map(String::as_str).filter(|name| *name != "mac").collect();
        let values = |row| names.iter().map(|name| self.value(name, row)).collect::<Vec<_>>().join(", ");
        let insert =
            |row| format!("INSERT INTO {} ({}) VALUES ({});\n", self.table.name, names.join(", "), values(row));
        (0..rows).map(insert).collect()
    }
}

/// Those whose own MACs are not good.
async fn refused(store: &Store) -> BTreeSet<String> {
    let rows = store.look_at_all_rows().await.unwrap();
    rows.iter().filter(|row| !row.has_good_mac()).map(|row| format!("{}/{}", row.row().table, row.row().id)).collect()
}

/// In each table: a row for every column, in which that one alone is changed; one that shows another's MAC; one without a
/// MAC; and one that nobody touches.
async fn every_column_of_every_table_is_under_a_mac(f: Fixture) {
    let mut made_up = Vec::new();
    for table in authority_tables() {
        let one = MadeUp { table, types: types(&f, table.name).await, is_sqlite: f.url.path().is_some() };
        f.by_hand(&one.insert(table.columns.len() + 3));
        made_up.push(one);
    }
    assert!(made_up.len() >= 29);
    for row in f.store.look_at_all_rows().await.unwrap() {
        assert!(write(&f.store, move |tx| Box::pin(async move { row.authenticate(tx).await })).await.unwrap());
    }
    assert_eq!(refused(&f.store).await, BTreeSet::new());
    let mut harmed = BTreeSet::new();
    for one in &made_up {
        let Table { name, columns, .. } = one.table;
        let mut harm = String::new();
        for (row, column) in columns.iter().enumerate() {
            let changed = one.value(column, 500 + row);
            writeln!(harm, "UPDATE {name} SET {column} = {changed} WHERE {};", one.is(row)).unwrap();
            harmed.insert(one.told(row, Some((column, 500 + row))));
        }
        let [copied, bare, good] = [0, 1, 2].map(|more| columns.len() + more);
        let of_good = format!("(SELECT mac FROM {name} WHERE {})", one.is(good));
        writeln!(harm, "UPDATE {name} SET mac = {of_good} WHERE {};", one.is(copied)).unwrap();
        writeln!(harm, "UPDATE {name} SET mac = NULL WHERE {};", one.is(bare)).unwrap();
        harmed.extend([one.told(copied, None), one.told(bare, None)]);
        f.by_hand(&harm);
    }
    assert_eq!(refused(&f.store).await, harmed);
}

async fn a_row_is_authenticated_only_as_it_was_found(f: Fixture) {
    fill(&f.store).await;
    run(&f.store, "UPDATE identities SET password = 'mended' WHERE id = $1 AND id <> $2").await;
    let [row] = &f.store.look_at_all_rows().await.unwrap()[..] else { panic!("one row") };
    let columns: BTreeMap<_, _> = row.columns().collect();
    assert_eq!((columns["password"].as_deref(), columns["api_key_hash"].as_deref()), (Some("mended"), None));
    let authenticate = async || {
        let row = row.clone();
        write(&f.store, move |tx| Box::pin(async move { row.authenticate(tx).await })).await.unwrap()
    };
    run(&f.store, "UPDATE identities SET password = 'foreign' WHERE id = $1 AND id <> $2").await;
    assert!(!authenticate().await, "it is another by now");
    assert!(ann(&f.store).await.is_err());
    run(&f.store, "UPDATE identities SET password = 'mended' WHERE id = $1 AND id <> $2").await;
    assert!(authenticate().await);
    let found = read(&f.store, |tx| Box::pin(identities::by_id(tx, Uuid::from_u128(1)))).await.unwrap();
    assert_eq!(found.and_then(|row| row.password).as_deref(), Some("mended"));
    assert!(f.store.look_at_all_rows().await.unwrap().is_empty());
}

fn identity(id: u128, name: &str) -> identities::Row {
    identities::Row {
        password: Some(format!("hash of {name}")),
        ..identities::Row::new(Uuid::from_u128(id), name.to_owned(), "Person", 1)
    }
}

fn role(id: u128) -> roles::Row {
    let name = format!("role {id}");
    let (name_key, perms) = (name.clone(), "{}".to_owned());
    let id = Uuid::from_u128(id);
    roles::Row { id, name, name_key, logins_required: 2, perms, management: false, system: false, second_factor: None }
}

async fn run(store: &Store, statement: &'static str) {
    let run =
        write(store, move |tx| Box::pin(sql(statement).bind(Uuid::from_u128(1)).bind(Uuid::from_u128(2)).execute(tx)));
    assert!(run.await.unwrap() > 0, "{statement}");
}

/// Two identities, two roles, and the first identity has the first role.
async fn fill(store: &Store) {
    let filled = write(store, |tx| {
        Box::pin(async move {
            for row in [identity(1, "ann"), identity(2, "bob")] {
                identities::insert(tx, &row).await?;
            }
            for row in [role(11), role(12)] {
                roles::insert(tx, &row).await?;
            }
            settings::set(tx, "apiAccess", "false").await?;
            let (identity_id, role_id) = (Uuid::from_u128(1), Uuid::from_u128(11));
            identity_roles::insert(tx, &identity_roles::Row { identity_id, role_id, assigned_at_ms: 1 }).await
        })
    });
    filled.await.unwrap();
}

/// Whether the first identity is as it was written.
async fn ann(store: &Store) -> Result<bool, StoreError> {
    let row = read(store, |tx| Box::pin(identities::by_id(tx, Uuid::from_u128(1)))).await?;
    Ok(row == Some(identity(1, "ann")))
}

/// Each leaves the other rows alone; they go on.
async fn a_row_that_somebody_else_wrote_is_refused(f: Fixture) {
    fill(&f.store).await;
    const HARM: [&str; 8] = [
        "UPDATE identities SET password = 'foreign' WHERE id = $1 AND id <> $2",
        "UPDATE identities SET locked = 1 - locked WHERE id = $1 AND id <> $2",
        "UPDATE identities SET password = NULL WHERE id = $1 AND id <> $2",
        "UPDATE identities SET mac = NULL WHERE id = $1 AND id <> $2",
        "UPDATE identities SET mac = (SELECT mac FROM identities WHERE id = $2) WHERE id = $1",
        "UPDATE identities SET kind = 'Application', created_at_ms = created_at_ms + 1 WHERE id = $1 AND id <> $2",
        // Another's whole content, with its MAC.
        "UPDATE identities SET name = 'b', name_key = 'b', password = 'hash of bob', \
         mac = (SELECT mac FROM identities WHERE id = $2) WHERE id = $1",
        "UPDATE identities SET created_at_ms = 2 WHERE id = $1 AND id <> $2",
    ];
    for harm in HARM {
        let kept = "CREATE TABLE kept AS SELECT * FROM identities";
        write(&f.store, move |tx| Box::pin(sql(kept).execute(tx))).await.unwrap();
        run(&f.store, harm).await;
        let refusal = ann(&f.store).await.unwrap_err();
        assert!(matches!(&refusal, StoreError::Unauthentic(row) if row.table == "identities"), "{harm}: {refusal}");
        let locked = write(&f.store, |tx| Box::pin(identities::set_locked(tx, Uuid::from_u128(1), true))).await;
        assert!(matches!(locked, Err(StoreError::Unauthentic(_))), "no good MAC on the way: {harm}");
        let all = read(&f.store, |tx| Box::pin(identities::all(tx))).await;
        assert!(matches!(all, Err(StoreError::Unauthentic(_))), "{harm}");
        let page = Page { limit: 10, start: Start::Offset(0), count_max: 10, scan_max: 10 };
        let listed =
            read(&f.store, move |tx| Box::pin(async move { identities::list(tx, None, &page).await })).await.unwrap();
        assert_eq!(listed.rows.len(), 1, "{harm}");
        let restore = "UPDATE identities SET (name, name_key, kind, password, locked, created_at_ms, mac) = \
            (SELECT name, name_key, kind, password, locked, created_at_ms, mac FROM kept WHERE kept.id = identities.id)";
        write(&f.store, move |tx| Box::pin(sql(restore).execute(tx))).await.unwrap();
        write(&f.store, move |tx| Box::pin(sql("DROP TABLE kept").execute(tx))).await.unwrap();
        assert!(ann(&f.store).await.unwrap(), "{harm}");
    }
    // Rows that are added, and those of other places.
    run(
        &f.store,
        "INSERT INTO identity_roles (identity_id, role_id, assigned_at_ms) SELECT $2, id, 1 FROM roles WHERE id <> $1",
    )
    .await;
    run(&f.store, "INSERT INTO identity_roles SELECT $1, '00000000-0000-0000-0000-00000000000c', 1, mac FROM identity_roles WHERE identity_id = $1 AND identity_id <> $2")
        .await;
    let held = read(&f.store, |tx| Box::pin(identity_roles::all(tx))).await.unwrap();
    assert_eq!(held.len(), 1, "{held:?}");
    let of_bob = read(&f.store, |tx| Box::pin(identity_roles::of_identity(tx, Uuid::from_u128(2)))).await.unwrap();
    assert_eq!(of_bob, []);
    run(&f.store, "UPDATE settings SET value = 'true' WHERE $1 <> $2").await;
    let value = read(&f.store, |tx| Box::pin(settings::value(tx, "apiAccess"))).await;
    assert!(matches!(value, Err(StoreError::Unauthentic(_))), "{value:?}");
}

async fn rows_that_were_there_are_authenticated_once(f: Fixture) {
    fill(&f.store).await;
    let is_postgres = f.url.path().is_none();
    write(&f.store, move |tx| Box::pin(back_to_rows_without_macs(tx, is_postgres))).await.unwrap();
    let store = Store::open(&f.url, keys()).await.unwrap();
    assert!(ann(&store).await.unwrap());
    let told = "SELECT detail FROM audit WHERE action = 'RowsAuthenticate'";
    let told: Vec<String> = read(&store, move |tx| Box::pin(sql(told).all(tx))).await.unwrap();
    assert_eq!(told, [r#"[("settings", 1), ("identities", 2), ("identity_roles", 1), ("roles", 2)]"#]);
    run(&store, "UPDATE identities SET password = 'foreign' WHERE id = $1 AND id <> $2").await;
    let again = Store::open(&f.url, keys()).await.unwrap();
    assert!(ann(&again).await.is_err(), "only once");
}

async fn a_missing_key_does_not_authenticate_everything_anew(f: Fixture) {
    fill(&f.store).await;
    for harm in ["DELETE FROM row_keys", "UPDATE identities SET mac = NULL, password = 'foreign'"] {
        let harm = generated_sql(harm.to_owned());
        write(&f.store, move |tx| Box::pin(harm.execute(tx))).await.unwrap();
        let refusal = Store::open(&f.url, keys()).await.err().unwrap();
        assert!(matches!(refusal, OpenError::RowKey(RowKeyError::Missing)), "{refusal}");
    }
}

async fn what_is_refused_is_told_once_and_forgiven_when_it_is_restored(f: Fixture) {
    fill(&f.store).await;
    assert_eq!(f.store.unauthentic(), []);
    run(&f.store, "UPDATE identities SET created_at_ms = 7 WHERE id = $1 AND id <> $2").await;
    for _ in 0..2 {
        ann(&f.store).await.unwrap_err();
    }
    let [row] = &f.store.newly_unauthentic()[..] else { panic!("one row") };
    assert_eq!((row.table, row.id.as_str()), ("identities", "00000000-0000-0000-0000-000000000001"));
    assert_eq!(f.store.newly_unauthentic(), []);
    assert_eq!((f.store.look_at_refused().await.unwrap(), f.store.unauthentic().len()), (0, 1));
    run(&f.store, "UPDATE identities SET created_at_ms = 1 WHERE id = $1 AND id <> $2").await;
    assert_eq!((f.store.look_at_refused().await.unwrap(), f.store.unauthentic().len()), (1, 0));
    assert!(ann(&f.store).await.unwrap());
    let none = read(&f.store, |tx| Box::pin(signing_requests::by_id(tx, Uuid::from_u128(1)))).await.unwrap();
    assert_eq!(none, None);
}
