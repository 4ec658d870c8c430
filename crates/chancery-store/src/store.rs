//! The store: opens a database, runs works.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use futures::future::BoxFuture;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;
use url::Url;

use crate::authority::Authenticator;
use crate::backend::Backend;
use crate::flush::Durability;
use crate::group::{self, Announced, Coming, Order, Queue};
use crate::postgres::{Pool, Pools};
use crate::readers::{For, Readers};
use crate::sqlite::DatabaseFile;
use crate::url::{Place, SqliteFlush};
use crate::wal::Log;
use crate::work::{Work, perform, wait};
use crate::{OpenError, RowKeys, StoreError, StoreUrl, Tx, migrate, postgres, row_keys, tx};

/// Works that may wait for a connection to PostgreSQL; more are refused as Busy.
const WAITING: usize = 4096;

/// How long a caller waits for SQLite's writer: as long as a work ahead and a commit of 64 MiB may take. A disk that
/// hangs must not make callers hang.
const WRITE_TIME: Duration = Duration::from_secs(60);

const ENDED: &str = "the writer ended";

/// An open database. Clones share it. One that is to be read alone has no writer.
#[derive(Clone)]
pub struct Store {
    database: Database,
    authenticator: Authenticator,
}

#[derive(Clone)]
enum Database {
    /// One writer flushes for all.
    Sqlite { readers: AllReaders, writer: Option<Queue>, coming: Coming },
    /// Each work in a transaction of its own; the server groups the flushes.
    Postgres { pools: Pools, places: Option<Arc<Semaphore>> },
}

/// All that read from SQLite.
#[derive(Clone)]
struct AllReaders {
    data: Readers,
    followers: Readers,
    lists: Readers,
    others: Readers,
}

impl AllReaders {
    fn new(file: &DatabaseFile, durability: &Durability, authenticator: &Authenticator) -> Self {
        let readers = |whom| Readers::new(whom, file.clone(), durability.clone(), authenticator.clone());
        let (data, followers) = (readers(For::Data), readers(For::Followers));
        Self { data, followers, lists: readers(For::Lists), others: readers(For::Others) }
    }

    const fn of(&self, whom: For) -> &Readers {
        match whom {
            For::Data => &self.data,
            For::Followers => &self.followers,
            For::Lists => &self.lists,
            For::Others => &self.others,
        }
    }

    async fn close(&self) {
        for readers in [&self.data, &self.followers, &self.lists, &self.others] {
            readers.close().await;
        }
    }
}

impl Store {
    /// Opens the database, makes it if it is a file that does not exist, and brings it up to date. Its rows are
    /// authenticated by the key that these open.
    pub async fn open(url: &StoreUrl, keys: Arc<dyn RowKeys>) -> Result<Self, OpenError> {
        if url.is_read_only() {
            return Self::look(url, keys).await;
        }
        let absent = url.must_exist().then(|| url.to_string());
        let (database, authenticator) = match url.place() {
            Place::File(path, flush) => {
                let (path, flush) = (path.clone(), *flush);
                let opening = on_a_thread(move || {
                    open_file(&path, flush, keys.as_ref(), absent.as_deref()).map_err(|error| error.of_file(&path))
                });
                let (file, log, authenticator) = opening.await?;
                let (coming, durability) = (Coming::default(), Durability::new());
                let writer = group::start(file.clone(), log, coming.clone(), durability.clone(), authenticator.clone())
                    .map_err(|error| StoreError::Internal(error.to_string()))?;
                let readers = AllReaders::new(&file, &durability, &authenticator);
                (Database::Sqlite { readers, writer: Some(writer), coming }, authenticator)
            }
            Place::Servers(addresses) => {
                let (pools, authenticator) = open_server(addresses, keys.as_ref(), absent.as_deref()).await?;
                let places = Some(Arc::new(Semaphore::new(WAITING)));
                (Database::Postgres { pools, places }, authenticator)
            }
        };
        Ok(Self { database, authenticator })
    }

    /// Opens what is there, to be read alone.
    async fn look(url: &StoreUrl, keys: Arc<dyn RowKeys>) -> Result<Self, OpenError> {
        let name = url.to_string();
        let (database, authenticator) = match url.place() {
            Place::File(path, _) => {
                let path = path.clone();
                expect_file(&path, &name)?;
                let opening = on_a_thread(move || {
                    migrate::look_at_file(&path, keys.as_ref(), &name).map_err(|error| error.of_file(&path))
                });
                let (file, authenticator) = opening.await?;
                let readers = AllReaders::new(&file, &Durability::new(), &authenticator);
                (Database::Sqlite { readers, writer: None, coming: Coming::default() }, authenticator)
            }
            Place::Servers(addresses) => {
                let pools = postgres::connect(addresses).await?;
                let mut tx = begin(&pools.others, Backend::Postgres.begin_read(), Authenticator::default()).await?;
                let authenticator = migrate::look(&mut tx, keys.as_ref(), &name).await?;
                tx.into_postgres()?.end("ROLLBACK").await?;
                (Database::Postgres { pools, places: None }, authenticator)
            }
        };
        Ok(Self { database, authenticator })
    }

    async fn read_from<T, E, W>(&self, pool: &Pool, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (pool, authenticator) = (pool.clone(), self.authenticator.clone());
        detached(async move {
            let mut tx = begin(&pool, Backend::Postgres.begin_read(), authenticator).await?;
            let result = perform(work, &mut tx).await;
            tx.into_postgres()?.end("ROLLBACK").await?;
            result
        })
        .await
    }

    /// What authenticates its rows.
    pub(crate) const fn authenticator(&self) -> &Authenticator {
        &self.authenticator
    }

    /// Runs a work that only reads. It sees one committed state of the database throughout; a statement that writes
    /// fails.
    ///
    /// The work runs to its end even if the caller goes away. The future is boxed: else each caller's would have room for
    /// it, and every request would move some 16 KiB of it, also those that never ask the store.
    pub fn read<T, E, W>(&self, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read_for(For::Others, work)
    }

    /// [`read`](Self::read) for a call of the data plane, which has connections of its own.
    pub fn read_data<T, E, W>(&self, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read_for(For::Data, work)
    }

    /// [`read`](Self::read) for a list, which has connections of its own. On PostgreSQL it has those of all others: whoever
    /// asks for lists bounds how many there are at a time.
    pub fn read_list<T, E, W>(&self, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read_for(For::Lists, work)
    }

    /// [`read`](Self::read) on connections of its own, for whoever follows what changes: nobody else's works are ahead of it.
    pub fn follow<T, E, W>(&self, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read_for(For::Followers, work)
    }

    fn read_for<T, E, W>(&self, whom: For, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        Box::pin(async move {
            match &self.database {
                Database::Sqlite { readers, .. } => readers.of(whom).read(work).await,
                Database::Postgres { pools, .. } => self.read_from(pools.of(whom), work).await,
            }
        })
    }

    /// Runs a work that writes. When it answers Ok, the work's changes are durable; when the work answers Err, panics,
    /// or a statement of it failed, none of them took place. [`StoreError::Unavailable`] says that this is not known.
    ///
    /// A caller who goes away leaves the work either complete or not begun. The work must not wait for anything but its
    /// transaction: others wait behind it.
    pub fn write<T, E, W>(&self, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        Box::pin(async move {
            match &self.database {
                Database::Sqlite { writer, .. } => {
                    let writer = writer.as_ref().ok_or_else(read_only)?;
                    let (job, answer) = Work::new(work);
                    writer.try_send(Order::Run(Box::new(job))).map_err(|refused| match refused {
                        TrySendError::Full(_) => StoreError::Busy,
                        TrySendError::Closed(_) => StoreError::Unavailable(ENDED.into()),
                    })?;
                    match timeout(WRITE_TIME, answer).await {
                        Ok(answer) => answer.unwrap_or_else(|_| Err(StoreError::Unavailable(ENDED.into()).into())),
                        Err(_) => Err(StoreError::Unavailable("the database did not answer in time".into()).into()),
                    }
                }
                Database::Postgres { pools, places } => {
                    let places = places.as_ref().ok_or_else(read_only)?;
                    let place = Arc::clone(places).try_acquire_owned().map_err(|_| StoreError::Busy)?;
                    let (pool, authenticator) = (pools.others.clone(), self.authenticator.clone());
                    detached(async move {
                        let _place = place;
                        let mut tx = begin(&pool, Backend::Postgres.begin_write(), authenticator).await?;
                        let result = perform(work, &mut tx).await;
                        let how = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
                        tx.into_postgres()?.end(how).await?;
                        result
                    })
                    .await
                }
            }
        })
    }

    /// Says that a work that writes follows, about when the answer is dropped: where one commit serves several works and
    /// many are announced, it waits a little for some of them. PostgreSQL knows of its works by itself.
    pub fn announce(&self) -> Announced {
        match &self.database {
            Database::Sqlite { coming, .. } => coming.announce(),
            Database::Postgres { .. } => Announced::to_nobody(),
        }
    }

    /// Ends all connections after what runs has ended; later calls are refused as Unavailable. SQLite then folds its
    /// log into the file.
    pub async fn close(&self) {
        match &self.database {
            Database::Sqlite { readers, writer, .. } => {
                readers.close().await;
                let Some(writer) = writer else { return };
                let (told, ended) = oneshot::channel();
                // Either the writer has ended already, or it drops what it was told with when it has.
                let _ = writer.send(Order::Close(told)).await;
                let _ = ended.await;
            }
            Database::Postgres { pools, .. } => pools.close().await,
        }
    }

    /// Whether nothing can be written.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        match &self.database {
            Database::Sqlite { writer, .. } => writer.is_none(),
            Database::Postgres { places, .. } => places.is_none(),
        }
    }

    /// The file of an SQLite database.
    pub(crate) fn file(&self) -> Option<&DatabaseFile> {
        match &self.database {
            Database::Sqlite { readers, .. } => Some(readers.others.file()),
            Database::Postgres { .. } => None,
        }
    }
}

/// Nobody is to come here.
fn read_only() -> StoreError {
    StoreError::Internal("a change to a database that was opened to be read alone".into())
}

/// Refuses a file that is not there, or empty, by this name.
fn expect_file(path: &Path, name: &str) -> Result<(), OpenError> {
    match fs::metadata(path) {
        Ok(file) if file.len() > 0 => Ok(()),
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(OpenError::File { path: path.display().to_string(), cause })
        }
        Ok(_) | Err(_) => Err(OpenError::Absent(name.to_owned())),
    }
}

/// With a name in `absent`, and so below, an empty database is refused by that name.
fn open_file(
    path: &Path,
    flush: SqliteFlush,
    keys: &dyn RowKeys,
    absent: Option<&str>,
) -> Result<(DatabaseFile, Log, Authenticator), OpenError> {
    if let Some(name) = absent {
        // Before anything is written: to open a file makes it, and its log beside it.
        expect_file(path, name)?;
    }
    let file = DatabaseFile::open(path, flush)?;
    let authenticator = migrate_file(&file, keys, absent)?;
    let log = file.log()?;
    Ok((file, log, authenticator))
}

fn migrate_file(file: &DatabaseFile, keys: &dyn RowKeys, absent: Option<&str>) -> Result<Authenticator, OpenError> {
    let mut connection = file.connect()?;
    // A table that is built anew is gone for a moment, which those that refer to it would not allow. What they refer to
    // is looked at as a whole before the commit.
    connection.run("PRAGMA foreign_keys = OFF")?;
    let mut tx = Tx::on_sqlite(connection, Backend::Sqlite.begin_write(), Authenticator::default())?;
    // No statement on SQLite waits; migrations have all the time that they need.
    let outcome = wait(prepare(&mut tx, keys, absent), Duration::MAX);
    let (migrated, authenticator) = outcome.ok_or_else(|| StoreError::Internal("a migration that waits".into()))??;
    let mut connection = tx.into_sqlite()?;
    if migrated > 0 {
        let dangling = connection.texts("PRAGMA foreign_key_check")?;
        if !dangling.is_empty() {
            return Err(StoreError::Internal(format!("rows of {} refer to nothing", dangling.join(", "))).into());
        }
    }
    connection.run("COMMIT")?;
    Ok(authenticator)
}

async fn open_server(
    addresses: &[Url],
    keys: &dyn RowKeys,
    absent: Option<&str>,
) -> Result<(Pools, Authenticator), OpenError> {
    let pools = postgres::connect(addresses).await?;
    let mut tx = begin(&pools.others, Backend::Postgres.begin_write(), Authenticator::default()).await?;
    let (_, authenticator) = prepare(&mut tx, keys, absent).await?;
    tx.into_postgres()?.end("COMMIT").await?;
    Ok((pools, authenticator))
}

/// Brings the database up to date, and then makes sure of its rows; how many migrations were missing.
async fn prepare(tx: &mut Tx, keys: &dyn RowKeys, absent: Option<&str>) -> Result<(usize, Authenticator), OpenError> {
    let migrated = migrate::run(tx, absent).await?;
    Ok((migrated, row_keys::prepare(tx, keys).await?))
}

async fn begin(pool: &Pool, how: &'static str, authenticator: Authenticator) -> Result<Tx, StoreError> {
    Ok(Tx::new(tx::Connection::Postgres(pool.begin(how).await?), authenticator))
}

/// In a task of its own, so that a caller who goes away never stops a statement half way.
async fn detached<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    match tokio::spawn(work).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Unavailable(error.to_string()).into()),
    }
}

/// On a thread that may wait, to its end even if the caller goes away.
pub(crate) async fn on_a_thread<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Unavailable(error.to_string()).into()),
    }
}
