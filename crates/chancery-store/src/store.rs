//! The store: opens a database, runs works.

use std::sync::Arc;

use futures::future::BoxFuture;
use sqlx::AnyPool;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::error::TrySendError;

use crate::backend::{Backend, Database};
use crate::group::{self, Queue};
use crate::work::{Work, perform};
use crate::{OpenError, StoreError, StoreUrl, Tx, migrate};

/// Works that may wait for a connection to PostgreSQL; more are refused as Busy.
const WAITING: usize = 4096;

const ENDED: &str = "the writer ended";

/// An open database. Clones share it.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    backend: Backend,
    readers: AnyPool,
    writers: AnyPool,
    writes: Writes,
}

/// How writes reach the disk.
enum Writes {
    /// SQLite: one writer flushes for all.
    Grouped(Queue),
    /// PostgreSQL: each work in a transaction of its own; the server groups the flushes.
    Single { places: Arc<Semaphore> },
}

impl Store {
    /// Opens the database, makes it if it is a file that does not exist, and brings it up to date.
    pub async fn open(url: &StoreUrl) -> Result<Self, OpenError> {
        let Database { backend, readers, writers } = Database::connect(url.place()).await?;
        migrate::run(backend, &writers).await?;
        let writes = match backend {
            Backend::Sqlite => Writes::Grouped(group::start(writers.clone(), backend.begin_write())),
            Backend::Postgres => Writes::Single { places: Arc::new(Semaphore::new(WAITING)) },
        };
        Ok(Store(Arc::new(Shared { backend, readers, writers, writes })))
    }

    /// Runs a work that only reads. It sees one committed state of the database throughout; a statement that writes
    /// fails.
    ///
    /// The work runs to its end even if the caller goes away.
    pub async fn read<T, E, W>(&self, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (pool, begin) = (self.0.readers.clone(), self.0.backend.begin_read());
        detached(async move {
            let mut tx = begin_on(&pool, begin).await?;
            let result = perform(work, &mut tx).await;
            tx.rollback().await?;
            result
        })
        .await
    }

    /// Runs a work that writes. When it answers Ok, the work's changes are durable; when the work answers Err, panics,
    /// or a statement of it failed, none of them took place. [`StoreError::Unavailable`] says that this is not known.
    ///
    /// A caller who goes away leaves the work either complete or not begun. The work must not wait for anything but its
    /// transaction: others wait behind it.
    pub async fn write<T, E, W>(&self, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match &self.0.writes {
            Writes::Grouped(queue) => {
                let (job, answer) = Work::new(work);
                queue.try_send(Box::new(job)).map_err(|refused| match refused {
                    TrySendError::Full(_) => StoreError::Busy,
                    TrySendError::Closed(_) => StoreError::Unavailable(ENDED.into()),
                })?;
                answer.await.unwrap_or_else(|_| Err(StoreError::Unavailable(ENDED.into()).into()))
            }
            Writes::Single { places } => {
                let place = Arc::clone(places).try_acquire_owned().map_err(|_| StoreError::Busy)?;
                let (pool, begin) = (self.0.writers.clone(), self.0.backend.begin_write());
                detached(async move {
                    let _place = place;
                    let mut tx = begin_on(&pool, begin).await?;
                    let result = perform(work, &mut tx).await;
                    if result.is_ok() {
                        tx.commit().await?
                    } else {
                        tx.rollback().await?
                    }
                    result
                })
                .await
            }
        }
    }

    /// Ends all connections after what runs has ended; later calls are refused as Unavailable. SQLite then folds its
    /// log into the file.
    pub async fn close(&self) {
        self.0.readers.close().await;
        self.0.writers.close().await;
    }
}

/// For the other files of this crate.
impl Store {
    pub(crate) fn backend(&self) -> Backend {
        self.0.backend
    }

    pub(crate) fn readers(&self) -> &AnyPool {
        &self.0.readers
    }
}

async fn begin_on(pool: &AnyPool, begin: &'static str) -> Result<Tx, StoreError> {
    Tx::begin(pool.acquire().await?, begin).await
}

/// In a task of its own, so that a caller who goes away never stops a statement half way.
pub(crate) async fn detached<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    match tokio::spawn(work).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Unavailable(error.to_string()).into()),
    }
}
