//! Databases are brought up to date once, and never misread.

use chancery_store::tables::{certificates::Row, key_versions, keys as key_rows};
use chancery_store::{OpenError, Store, StoreError, StoreUrl, Tx, generated_sql, sql};
use chancery_testkit::{Postgres, temp_dir};
use uuid::Uuid;

use crate::certificates::{by_serial, certificate, groups, insert};
use crate::harness::{Fixture, back_to_lists_without_indexes, back_to_rows_without_macs, read, write};
use crate::row_keys::keys;

on_both!(
    opening_again_changes_nothing,
    a_newer_database_is_refused,
    a_database_of_another_history_is_refused,
    proposals_outlive_that_their_tables_are_made_anew,
    certificates_outlive_that_their_table_is_made_anew,
    the_log_and_submitters_outlive_that_their_tables_are_made_anew,
    keys_from_before_there_were_backends_are_the_databases,
);

async fn applied(store: &Store) -> Vec<String> {
    read(store, |tx| Box::pin(sql("SELECT name FROM migrations ORDER BY name").all(tx))).await.unwrap()
}

async fn opening_again_changes_nothing(f: Fixture) {
    let before = applied(&f.store).await;
    assert_eq!(before.first().map(String::as_str), Some("0000_system"));
    let again = Store::open(&f.url, keys()).await.unwrap();
    assert_eq!(applied(&again).await, before);
}

async fn a_newer_database_is_refused(f: Fixture) {
    write(&f.store, |tx| Box::pin(sql("INSERT INTO migrations (name, text) VALUES ('9999_x', '')").execute(tx)))
        .await
        .unwrap();
    let refusal = Store::open(&f.url, keys()).await.err().unwrap();
    assert!(matches!(&refusal, OpenError::Newer(name) if name == "9999_x"), "{refusal}");
}

async fn a_database_of_another_history_is_refused(f: Fixture) {
    write(&f.store, |tx| {
        Box::pin(sql("UPDATE migrations SET text = text || ' ' WHERE name = '0000_system'").execute(tx))
    })
    .await
    .unwrap();
    let refusal = Store::open(&f.url, keys()).await.err().unwrap();
    assert!(matches!(&refusal, OpenError::Changed(name) if name == "0000_system"), "{refusal}");
}

/// Takes back what the migration did that no table can have twice, and lets it run over rows.
async fn proposals_outlive_that_their_tables_are_made_anew(f: Fixture) {
    const ROWS: [&str; 7] = [
        "INSERT INTO proposals (id, kind, policy_id, name, name_key, content, state, required_at_submission, \
         submitted_at_ms, version) VALUES ('p', 'PreApproval', 'q', 'n', 'n', '{}', 'Approval', 1, 2, 3)",
        "INSERT INTO proposal_decisions VALUES ('p', 1, 'Submit', '', '[]', 2)",
        "INSERT INTO proposal_identities VALUES ('p', 1, 'Submit', 'i', 'ann')",
        "INSERT INTO pre_approvals VALUES ('p', 'q', NULL, 'Waiting', 0, 1, NULL)",
        "INSERT INTO pre_approval_digests (pre_approval_id, digest) SELECT 'p', bytes FROM things",
        "DELETE FROM migrations WHERE name = '0030_approval_before_issue'",
        "ALTER TABLE certificates DROP COLUMN approval",
    ];
    let is_postgres = f.url.path().is_none();
    write(&f.store, move |tx| {
        Box::pin(async move {
            back_to_rows_without_macs(tx, is_postgres).await?;
            sql("INSERT INTO things (id, name, bytes) VALUES (1, 'a', $1)").bind(vec![1_u8, 2]).execute(tx).await?;
            for row in ROWS {
                sql(row).execute(tx).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    let store = Store::open(&f.url, keys()).await.unwrap();
    let joined = "SELECT d.pre_approval_id || i.identity_name || a.state || p.state FROM pre_approval_digests AS d \
        JOIN pre_approvals AS a ON a.id = d.pre_approval_id JOIN proposals AS p ON p.id = a.id \
        JOIN proposal_decisions AS e ON e.proposal_id = p.id \
        JOIN proposal_identities AS i ON i.proposal_id = p.id AND i.version = e.version";
    let found: Vec<String> = read(&store, move |tx| Box::pin(sql(joined).all(tx))).await.unwrap();
    assert_eq!(found, ["pannWaitingApproval"]);
    for parent in ["proposals", "proposal_decisions", "pre_approvals"] {
        let text = format!("DELETE FROM {parent}");
        let deleted = write(&store, move |tx| Box::pin(generated_sql(text).execute(tx))).await;
        assert!(deleted.is_err(), "{parent} has rows that refer to it");
    }
}

/// To what was there before requests named a set of submitters.
pub(crate) async fn back_to_submitters_of_each_request(tx: &mut Tx) -> Result<(), StoreError> {
    for statement in [
        "DROP INDEX signing_requests_by_submitters",
        "ALTER TABLE signing_requests DROP COLUMN submitters_id",
        "DROP TABLE submitter_set_members",
        "DROP TABLE submitter_sets",
        "CREATE TABLE signing_submitters (request_id TEXT NOT NULL REFERENCES signing_requests (id), \
         identity_id TEXT NOT NULL, identity_name TEXT NOT NULL, PRIMARY KEY (request_id, identity_id))",
        "CREATE INDEX signing_submitters_by_identity ON signing_submitters (identity_id)",
        "DELETE FROM migrations WHERE name = '0034_submitter_sets'",
    ] {
        sql(statement).execute(tx).await?;
    }
    Ok(())
}

/// As above.
async fn the_log_and_submitters_outlive_that_their_tables_are_made_anew(f: Fixture) {
    const ROWS: [&str; 9] = [
        "INSERT INTO services (id, name, name_key, template, signing_format, created_at_ms) \
         VALUES ('s', 's', 's', 't', 'Raw', 1)",
        "INSERT INTO signing_policies (id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval) \
         VALUES ('p', 's', 'p', 0, 'Sha2_256', 0, 'Never')",
        "INSERT INTO signing_requests (id, service_id, policy_id, name, name_key, state, digest, \
         required_at_submission, submitted_at_ms, version) SELECT 'r', 's', 'p', 'r', 'r', 'Signed', bytes, 0, 1, 1 \
         FROM things",
        "INSERT INTO signing_submitters VALUES ('r', 'i', 'ann')",
        "INSERT INTO signing_submitters VALUES ('r', 'h', 'bob')",
        "INSERT INTO log_entries (object_id, item, leaf, salt, log_index) SELECT 'r', 0, bytes, bytes, 0 FROM things",
        "INSERT INTO log_entries (object_id, item, leaf) SELECT 'r', 1, bytes FROM things",
        "DELETE FROM migrations WHERE name = '0033_signatures_write_less'",
        "CREATE INDEX signing_requests_by_service ON signing_requests (service_id, state)",
    ];
    const AS_BEFORE: &str = "ALTER TABLE log_entries ADD CONSTRAINT log_entries_log_index_key UNIQUE (log_index)";
    let is_postgres = f.url.path().is_none();
    write(&f.store, move |tx| {
        Box::pin(async move {
            back_to_rows_without_macs(tx, is_postgres).await?;
            back_to_lists_without_indexes(tx, is_postgres).await?;
            back_to_submitters_of_each_request(tx).await?;
            sql("INSERT INTO things (id, name, bytes) VALUES (1, 'a', $1)").bind(vec![1_u8, 2]).execute(tx).await?;
            for row in ROWS {
                sql(row).execute(tx).await?;
            }
            sql("DROP INDEX log_entries_placed").execute(tx).await?;
            if is_postgres {
                sql(AS_BEFORE).execute(tx).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    let store = Store::open(&f.url, keys()).await.unwrap();
    let submitters = "SELECT set_id || identity_id || identity_name FROM submitter_set_members ORDER BY identity_id";
    let found: Vec<String> = read(&store, move |tx| Box::pin(sql(submitters).all(tx))).await.unwrap();
    assert_eq!(found, ["rhbob", "riann"]);
    let entry = "INSERT INTO log_entries (object_id, item, leaf) SELECT 'r', 2, bytes FROM things RETURNING seq";
    let seq: i64 = write(&store, move |tx| Box::pin(sql(entry).one(tx))).await.unwrap();
    assert_eq!(seq, 3, "it counts on");
    let entries = "SELECT object_id || CAST(item AS TEXT) || COALESCE(CAST(log_index AS TEXT), '-') FROM log_entries \
        WHERE seq < 3 AND leaf IN (SELECT bytes FROM things) ORDER BY seq";
    let found: Vec<String> = read(&store, move |tx| Box::pin(sql(entries).all(tx))).await.unwrap();
    assert_eq!(found, ["r00", "r1-"]);
    for refused in [
        "UPDATE log_entries SET log_index = 0 WHERE item = 1",
        "UPDATE log_entries SET item = 0 WHERE item = 1",
        "INSERT INTO submitter_set_members VALUES ('r', 'i', 'eve')",
        "INSERT INTO submitter_set_members VALUES ('x', 'i', 'eve')",
        "UPDATE signing_requests SET submitters_id = 'x'",
        "UPDATE signing_requests SET submitters_id = NULL",
    ] {
        assert!(write(&store, move |tx| Box::pin(sql(refused).execute(tx))).await.is_err(), "{refused}");
    }
    let refused = write(&store, |tx| {
        Box::pin(async move {
            sql("INSERT INTO signing_payloads (request_id, payload) SELECT 'r', bytes FROM things").execute(tx).await?;
            sql("DELETE FROM signing_requests").execute(tx).await
        })
    });
    assert!(refused.await.is_err(), "a payload refers to its request");
}

/// As above, with more certificates than a group has.
async fn certificates_outlive_that_their_table_is_made_anew(f: Fixture) {
    const KEY: &str = "INSERT INTO keys (id, name, name_key, key_type_id, spec, purpose, usages, state, \
        current_version, created_at_ms) VALUES ($1, 'k', 'k', 't', 'EC-P256', 'Signing', '[]', 'Enabled', 1, 2)";
    const MANY: &str = "INSERT INTO certificates (id, name, name_key, subject, subject_key, issuer_id, profile_id, \
        serial, not_before_s, not_after_s, spec, trusted, der) \
        WITH RECURSIVE numbers (n) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < $2) \
        SELECT '01900000-0000-7000-9000-000000' || n, name, name_key, subject, subject_key, issuer_id, profile_id, \
        '4B' || n, not_before_s, not_after_s, spec, 0, der FROM numbers CROSS JOIN certificates WHERE trusted = 1";
    let unique = match f.url.path() {
        Some(_) => "CREATE UNIQUE INDEX certificates_issuer_id_serial_key ON certificates (issuer_id, serial)",
        None => "ALTER TABLE certificates ADD CONSTRAINT certificates_issuer_id_serial_key UNIQUE (issuer_id, serial)",
    };
    let back = [
        "DROP INDEX certificates_serial",
        "ALTER TABLE certificates DROP COLUMN serial_group",
        unique,
        "DELETE FROM migrations WHERE name = '0032_serial_groups'",
    ];
    let authority = Row { approval: Some("{}".to_owned()), ..certificate(1) };
    let full = Row {
        key_id: Some(Uuid::from_u128(7)),
        revoked_at_s: Some(3),
        revocation_reason: Some("superseded".to_owned()),
        origin: "Imported".to_owned(),
        ..certificate(2)
    };
    write(&f.store, |tx| Box::pin(sql(KEY).bind(Uuid::from_u128(7)).execute(tx))).await.unwrap();
    for row in [&authority, &full] {
        insert(&f.store, row.clone()).await.unwrap();
    }
    let list = "INSERT INTO crls (issuer_id, number, changes, changes_signed, this_update_s) \
        SELECT id, 1, 1, 1, 1 FROM certificates WHERE trusted = 1";
    write(&f.store, move |tx| Box::pin(sql(list).execute(tx))).await.unwrap();
    let indexes = indexes(&f.store, "certificates", f.url.path().is_some()).await;
    let is_postgres = f.url.path().is_none();
    write(&f.store, move |tx| {
        Box::pin(async move {
            back_to_rows_without_macs(tx, is_postgres).await?;
            for statement in back {
                sql(statement).execute(tx).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    // In parts: a work has some seconds, also on a machine that is busy.
    for first in (100_003_i64..=165_540).step_by(8_192) {
        let last = 165_540.min(first + 8_191);
        write(&f.store, move |tx| Box::pin(sql(MANY).bind(first).bind(last).execute(tx))).await.unwrap();
    }
    let store = Store::open(&f.url, keys()).await.unwrap();
    assert_eq!(self::indexes(&store, "certificates", f.url.path().is_some()).await, indexes);
    for row in [&authority, &full] {
        assert_eq!(by_serial(&store, row.issuer_id, &row.serial).await.as_ref(), Some(row));
    }
    let groups = groups(&store, "").await;
    assert_eq!((groups.len(), groups.iter().filter(|group| **group == 0).count()), (65_540, 65_536));
    assert_eq!(groups[65_536..], [1; 4]);
    let found = by_serial(&store, authority.id, "4B100003").await.unwrap();
    assert_eq!(found.id, Uuid::from_u128(0x0190_0000_0000_7000_9000_0000_0010_0003));
    let again = Row { serial: "4B165540".to_owned(), ..certificate(3) };
    assert!(insert(&store, again).await.is_err(), "a number of the newest group");
    insert(&store, certificate(3)).await.unwrap();
    for refused in ["DELETE FROM keys", "DELETE FROM certificates WHERE trusted = 1", "UPDATE crls SET issuer_id = 'x'"]
    {
        assert!(write(&store, move |tx| Box::pin(sql(refused).execute(tx))).await.is_err(), "{refused}");
    }
}

/// Takes back what the migration did, and lets it run over a key whose rows have their MACs.
async fn keys_from_before_there_were_backends_are_the_databases(f: Fixture) {
    const SQLITE: &[&str] = &[
        "CREATE TABLE before (key_id TEXT NOT NULL REFERENCES keys (id), version BIGINT NOT NULL, sealed BYTEA NOT NULL, \
         public_key BYTEA, created_at_ms BIGINT NOT NULL, mac BYTEA, PRIMARY KEY (key_id, version))",
        "INSERT INTO before SELECT key_id, version, sealed, public_key, created_at_ms, mac FROM key_versions",
        "DROP TABLE key_versions",
        "ALTER TABLE before RENAME TO key_versions",
    ];
    const POSTGRES: &[&str] =
        &["ALTER TABLE key_versions DROP COLUMN backend", "ALTER TABLE key_versions ALTER COLUMN sealed SET NOT NULL"];
    let back = if f.url.path().is_some() { SQLITE } else { POSTGRES };
    let id = Uuid::from_u128(7);
    let key = key_rows::Row {
        id,
        name: "k".to_owned(),
        name_key: "k".to_owned(),
        key_type_id: id,
        spec: "EC-P-256".to_owned(),
        purpose: "Sign".to_owned(),
        usages: "[]".to_owned(),
        state: "Enabled".to_owned(),
        bound_algorithm: None,
        current_version: 1,
        created_at_ms: 2,
        origin: "Generated".to_owned(),
    };
    let sealed = key_versions::Row {
        key_id: id,
        version: 1,
        sealed: Some(vec![1, 2]),
        public_key: Some(vec![3]),
        created_at_ms: 2,
        backend: None,
    };
    let row = sealed.clone();
    write(&f.store, move |tx| {
        Box::pin(async move {
            key_rows::insert(tx, &key).await?;
            key_versions::insert(tx, &row).await?;
            for statement in back {
                sql(statement).execute(tx).await?;
            }
            sql("DELETE FROM migrations WHERE name = '0042_key_backends'").execute(tx).await
        })
    })
    .await
    .unwrap();
    let store = Store::open(&f.url, keys()).await.unwrap();
    let read = |version| read(&store, move |tx| Box::pin(key_versions::one(tx, id, version)));
    assert_eq!(read(1).await.unwrap(), Some(sealed.clone()), "its MAC is good");
    let elsewhere = key_versions::Row { version: 2, sealed: None, backend: Some("hsm".to_owned()), ..sealed.clone() };
    for (version, row) in [
        (3, key_versions::Row { version: 3, backend: Some("hsm".to_owned()), ..sealed.clone() }),
        (4, key_versions::Row { version: 4, backend: None, ..elsewhere.clone() }),
    ] {
        let refused = write(&store, move |tx| Box::pin(async move { key_versions::insert(tx, &row).await }));
        assert!(refused.await.is_err(), "version {version} is in two places, or in none");
    }
    let row = elsewhere.clone();
    write(&store, move |tx| Box::pin(async move { key_versions::insert(tx, &row).await })).await.unwrap();
    assert_eq!(read(2).await.unwrap(), Some(elsewhere));
    for moved in [
        "UPDATE key_versions SET backend = 'other' WHERE version = 2",
        "UPDATE key_versions SET backend = 'hsm', sealed = NULL WHERE version = 1",
    ] {
        write(&store, move |tx| Box::pin(sql(moved).execute(tx))).await.unwrap();
    }
    for version in [1, 2] {
        assert!(matches!(read(version).await, Err(StoreError::Unauthentic(_))), "version {version}");
    }
}

/// All indexes of a table, as they are made.
pub(crate) async fn indexes(store: &Store, table: &'static str, is_file: bool) -> Vec<String> {
    let text = match is_file {
        true => "SELECT sql FROM sqlite_schema WHERE tbl_name = $1 AND type = 'index' AND sql IS NOT NULL ORDER BY sql",
        false => "SELECT indexdef FROM pg_indexes WHERE tablename = $1 ORDER BY indexdef",
    };
    read(store, move |tx| Box::pin(sql(text).bind(table).all(tx))).await.unwrap()
}

/// Nodes that start at once, each with its own connections as in its own process.
async fn open_many(url: StoreUrl) {
    let nodes: Vec<_> = (0..8)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { Store::open(&url, keys()).await })
        })
        .collect();
    for node in nodes {
        let store = node.await.unwrap().unwrap();
        // Each ran once, or its name would have been taken.
        assert!(applied(&store).await.contains(&"0002_audit".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_start_at_once_take_turns_on_sqlite() {
    let folder = temp_dir();
    open_many(StoreUrl::file(folder.path().join("new.db"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_start_at_once_take_turns_on_postgres() {
    let database = Postgres::shared().new_database();
    open_many(database.address().parse().unwrap()).await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let folder = temp_dir();
    let path = folder.path().join("text.db");
    std::fs::write(&path, "This is a text, and longer than the header of a database.".repeat(20)).unwrap();
    let refusal = Store::open(&StoreUrl::file(path), keys()).await.err().unwrap();
    assert!(refusal.to_string().contains("not a database"), "{refusal}");
}

#[tokio::test]
async fn nothing_is_made_in_an_empty_file_that_was_to_exist() {
    let folder = temp_dir();
    let path = folder.path().join("empty.db");
    std::fs::write(&path, "").unwrap();
    let refusal = Store::open(&StoreUrl::file(&path).existing(), keys()).await.err().expect("a refusal");
    assert!(matches!(&refusal, OpenError::Absent(name) if *name == path.display().to_string()), "{refusal}");
    assert_eq!((std::fs::metadata(&path).unwrap().len(), std::fs::read_dir(folder.path()).unwrap().count()), (0, 1));
    drop(Store::open(&StoreUrl::file(&path), keys()).await.unwrap());
    Store::open(&StoreUrl::file(&path).existing(), keys()).await.unwrap();
}

#[tokio::test]
async fn nothing_is_made_in_another_database_of_postgres() {
    let database = Postgres::shared().new_database();
    let url: StoreUrl = database.address().parse().unwrap();
    let refusal = Store::open(&url.clone().existing(), keys()).await.err().expect("a refusal");
    assert!(matches!(refusal, OpenError::Absent(_)), "{refusal}");
    assert_eq!(database.psql("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'public'"), "0");
    drop(Store::open(&url, keys()).await.unwrap());
    Store::open(&url.existing(), keys()).await.unwrap();
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_named() {
    let refusal = Store::open(&StoreUrl::file("/no/such/folder/x.db"), keys()).await.err().unwrap();
    assert!(refusal.to_string().starts_with("/no/such/folder/x.db: "), "{refusal}");
}

#[tokio::test]
async fn a_database_that_is_not_utf8_is_refused() {
    let address = Postgres::shared().new_database().address();
    Postgres::shared()
        .psql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0");
    let (_, parameters) = address.split_once('?').unwrap();
    let refusal = Store::open(&format!("postgres:///latin?{parameters}").parse().unwrap(), keys()).await.err().unwrap();
    assert!(matches!(refusal, OpenError::Unsuitable(_)), "{refusal}");
}
