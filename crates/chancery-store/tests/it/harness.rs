//! A fresh database of either kind for each test.

use crate::row_keys::keys;
use chancery_store::tables::bearer_keys;
use chancery_store::{Store, StoreError, StoreUrl, Tx, generated_sql, sql};
use chancery_testkit::{Database, Postgres, TempDir, Tool, temp_dir};
use futures::future::BoxFuture;
use uuid::Uuid;

/// Makes two tests of each function: `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::harness::Fixture::sqlite().await).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::harness::Fixture::postgres().await).await;
            })*
        }
    };
}

/// An open store with two tables of the tests' own: `things` and `parts`.
pub(crate) struct Fixture {
    pub(crate) url: StoreUrl,
    pub(crate) store: Store,
    place: Place,
}

/// Where its database is, and is removed.
enum Place {
    Folder { _folder: TempDir },
    Cluster { database: Database },
}

const TABLES: [&str; 2] = [
    "CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT UNIQUE, bytes BYTEA)",
    "CREATE TABLE parts (id BIGINT PRIMARY KEY, thing BIGINT NOT NULL REFERENCES things (id))",
];

impl Fixture {
    pub(crate) async fn sqlite() -> Self {
        let folder = temp_dir();
        // Each of these means something in an address or a path.
        let url = StoreUrl::file(folder.path().join("a b%20c?d#e.db"));
        Self::open(url, Place::Folder { _folder: folder }).await
    }

    pub(crate) async fn postgres() -> Self {
        let database = tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap();
        Self::open(database.address().parse().unwrap(), Place::Cluster { database }).await
    }

    async fn open(url: StoreUrl, place: Place) -> Self {
        let store = Store::open(&url, keys()).await.unwrap();
        for table in TABLES {
            write(&store, move |tx| Box::pin(generated_sql(table.into()).execute(tx))).await.unwrap();
        }
        Fixture { url, store, place }
    }
}

impl Fixture {
    /// Runs a text as somebody who may write the database, and does not mind which row belongs to which.
    pub(crate) fn by_hand(&self, text: &str) {
        match &self.place {
            Place::Folder { .. } => {
                let path = self.url.path().unwrap();
                let script = format!("PRAGMA foreign_keys = OFF; BEGIN; {text} COMMIT;");
                let _ran = Tool::new("sqlite3").args(["-bail", "-cmd", ".timeout 5000"]).arg(path).input(script).run();
            }
            Place::Cluster { database } => {
                database.psql(&format!("BEGIN; SET LOCAL session_replication_role = replica; {text} COMMIT;"));
            }
        }
    }
}

pub(crate) type Outcome<T> = Result<T, StoreError>;

/// `Store::write` with the error that these tests use.
pub(crate) async fn write<T: Send + 'static>(
    store: &Store,
    work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Outcome<T>> + Send + 'static,
) -> Outcome<T> {
    store.write(work).await
}

/// `Store::read` with the error that these tests use.
pub(crate) async fn read<T: Send + 'static>(
    store: &Store,
    work: impl for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Outcome<T>> + Send + 'static,
) -> Outcome<T> {
    store.read(work).await
}

/// To what was there before rows had MACs: the next opening makes a key for them anew.
pub(crate) async fn back_to_rows_without_macs(tx: &mut Tx, is_postgres: bool) -> Outcome<()> {
    let tables = if is_postgres {
        "SELECT CAST(table_name AS TEXT) FROM information_schema.columns WHERE column_name = 'mac' \
         AND table_schema = current_schema()"
    } else {
        "SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c ON c.name = 'mac' \
         WHERE m.type = 'table'"
    };
    sql("DROP TABLE revocations").execute(tx).await?;
    sql("DROP TABLE signing_provenance").execute(tx).await?;
    sql("DELETE FROM migrations WHERE name = '0045_signing_provenance'").execute(tx).await?;
    for table in [
        "audit_targets",
        "audit_target_states",
        "fan_outs",
        "mailboxes",
        "notices",
        "notice_targets",
        "deliveries",
        "delivery_states",
    ] {
        generated_sql(format!("DROP TABLE {table}")).execute(tx).await?;
    }
    sql("DELETE FROM migrations WHERE name IN ('0056_notices', '0088_mailboxes', '0090_audit_targets', \
         '0104_refused_batches')")
    .execute(tx)
    .await?;
    for statement in [
        "ALTER TABLE approvals DROP COLUMN members",
        "ALTER TABLE proposal_decisions DROP COLUMN members",
        "DELETE FROM migrations WHERE name = '0105_members_of_decisions'",
        "DROP TABLE detokenize_grant_tokens",
        "DROP TABLE detokenize_grants",
        "DROP INDEX proposals_by_token_profile",
        "ALTER TABLE proposals DROP COLUMN token_profile_id",
        "DELETE FROM migrations WHERE name = '0092_detokenize_grants'",
    ] {
        sql(statement).execute(tx).await?;
    }
    for table in ["passkeys", "approval_signatures"] {
        generated_sql(format!("DROP TABLE {table}")).execute(tx).await?;
    }
    sql("DELETE FROM migrations WHERE name IN ('0093_passkeys', '0094_approval_signatures')").execute(tx).await?;
    sql("DROP TABLE journals").execute(tx).await?;
    sql("ALTER TABLE token_profiles DROP COLUMN durability").execute(tx).await?;
    sql("DELETE FROM migrations WHERE name = '0060_journals'").execute(tx).await?;
    for table in ["used_tokens", "identity_bindings", "identity_providers"] {
        generated_sql(format!("DROP TABLE {table}")).execute(tx).await?;
    }
    sql("DELETE FROM migrations WHERE name = '0091_identity_providers'").execute(tx).await?;
    for table in ["api_key_uses", "api_keys"] {
        generated_sql(format!("DROP TABLE {table}")).execute(tx).await?;
    }
    sql("DELETE FROM migrations WHERE name = '0065_api_keys'").execute(tx).await?;
    for table in sql(tables).all::<String>(tx).await? {
        generated_sql(format!("ALTER TABLE {table} DROP COLUMN mac")).execute(tx).await?;
    }
    for statement in [
        "ALTER TABLE submitter_sets DROP COLUMN members",
        "DROP TABLE row_keys",
        "DELETE FROM migrations WHERE name = '0041_row_macs'",
        "ALTER TABLE approvals DROP COLUMN statement_digest",
        "ALTER TABLE approvals DROP COLUMN statement_rows",
        "ALTER TABLE proposal_decisions DROP COLUMN statement_digest",
        "ALTER TABLE proposal_decisions DROP COLUMN statement_rows",
        "DELETE FROM migrations WHERE name = '0087_decisions_together'",
        "ALTER TABLE signing_requests DROP COLUMN approval_digest",
        "DELETE FROM migrations WHERE name = '0043_approval_digests'",
    ] {
        sql(statement).execute(tx).await?;
    }
    let bearer_key = bearer_keys::Row { version: 1, id: Uuid::from_u128(1), sealed: vec![1], created_at_ms: 1 };
    bearer_keys::insert_if_absent(tx, &bearer_key).await
}

/// To what was there before lists had indexes in their order.
pub(crate) async fn back_to_lists_without_indexes(tx: &mut Tx, is_postgres: bool) -> Outcome<()> {
    const BOTH: [&str; 13] = [
        "DROP INDEX signing_requests_by_service",
        "DROP INDEX signing_requests_by_submitters",
        "CREATE INDEX signing_requests_by_submitters ON signing_requests (submitters_id)",
        "DROP INDEX signing_requests_by_state",
        "CREATE INDEX signing_requests_by_state ON signing_requests (state) WHERE state <> 'Signed'",
        "DROP INDEX signing_requests_by_pre_approval",
        "CREATE INDEX signing_requests_by_pre_approval ON signing_requests (pre_approval_id) \
         WHERE pre_approval_id IS NOT NULL",
        "DROP INDEX proposals_by_policy",
        "CREATE INDEX proposals_by_policy ON proposals (policy_id)",
        "DROP INDEX proposals_waiting",
        "DROP INDEX audit_object",
        "CREATE INDEX audit_object ON audit (object) WHERE object IS NOT NULL",
        "DELETE FROM migrations WHERE name = '0038_lists_by_index'",
    ];
    const POSTGRES: [&str; 6] = [
        "DROP INDEX audit_at",
        "CREATE INDEX audit_at ON audit (at_ms)",
        "DROP INDEX roles_name",
        "DROP INDEX identities_name",
        "DROP INDEX services_name",
        "DROP INDEX token_profiles_name",
    ];
    let of_postgres: &[&str] = if is_postgres { &POSTGRES } else { &[] };
    for statement in BOTH.iter().chain(of_postgres) {
        sql(statement).execute(tx).await?;
    }
    Ok(())
}

pub(crate) async fn add_thing(tx: &mut Tx, id: i64, name: &str) -> Outcome<()> {
    sql("INSERT INTO things (id, name) VALUES ($1, $2)").bind(id).bind(name).execute(tx).await?;
    Ok(())
}

/// The names of all things, by id.
pub(crate) async fn things(store: &Store) -> Vec<String> {
    read(store, |tx| Box::pin(sql("SELECT name FROM things ORDER BY id").all(tx))).await.unwrap()
}
