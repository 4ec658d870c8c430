//! A fresh database of either kind for each test.

use chancery_store::{Store, StoreError, StoreUrl, Tx, generated_sql, sql};
use chancery_testkit::{Database, Postgres, TempDir, temp_dir};
use futures::future::BoxFuture;

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
    _place: Place,
}

/// Where its database is, and is removed.
enum Place {
    Folder { _folder: TempDir },
    Cluster { _database: Database },
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
        Self::open(database.address().parse().unwrap(), Place::Cluster { _database: database }).await
    }

    async fn open(url: StoreUrl, place: Place) -> Self {
        let store = Store::open(&url).await.unwrap();
        for table in TABLES {
            write(&store, move |tx| Box::pin(generated_sql(table.into()).execute(tx))).await.unwrap();
        }
        Fixture { url, store, _place: place }
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

pub(crate) async fn add_thing(tx: &mut Tx, id: i64, name: &str) -> Outcome<()> {
    sql("INSERT INTO things (id, name) VALUES ($1, $2)").bind(id).bind(name).execute(tx).await?;
    Ok(())
}

/// The names of all things, by id.
pub(crate) async fn things(store: &Store) -> Vec<String> {
    read(store, |tx| Box::pin(sql("SELECT name FROM things ORDER BY id").all(tx))).await.unwrap()
}
