//! Connections of SQLite that only read, on threads that may wait.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::authority::Authenticator;
use crate::backend::Backend;
use crate::flush::Durability;
use crate::sqlite::{Connection, DatabaseFile, WAIT};
use crate::store::on_a_thread;
use crate::work::{WORK_TIME, perform_here};
use crate::{StoreError, Tx};

/// Who reads, each with connections of their own: what is called all the time never waits behind lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// Calls of the data plane: tokens of vaults, logins.
    Data,
    /// Whoever follows what changes.
    Followers,
    /// Lists.
    Lists,
    /// All else.
    Others,
}

impl For {
    /// Works that read at the same time.
    const fn readers(self) -> u32 {
        match self {
            Self::Data | Self::Followers | Self::Others => 4,
            Self::Lists => 2,
        }
    }
}

/// Clones share their connections.
#[derive(Clone)]
pub(crate) struct Readers(Arc<Shared>);

struct Shared {
    readers: u32,
    file: DatabaseFile,
    durability: Durability,
    authenticator: Authenticator,
    places: Arc<Semaphore>,
    /// Those that nobody uses; the one that was used last, whose cache is warm, is the next.
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(whom: For, file: DatabaseFile, durability: Durability, authenticator: Authenticator) -> Self {
        let readers = whom.readers();
        let places = Arc::new(Semaphore::new(readers as usize));
        Self(Arc::new(Shared { readers, file, durability, authenticator, places, idle: Mutex::default() }))
    }

    pub(crate) fn file(&self) -> &DatabaseFile {
        &self.0.file
    }

    /// Runs a work in a transaction of its own.
    pub(crate) async fn read<T, E, W>(&self, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let place = timeout(WAIT, Arc::clone(&self.0.places).acquire_owned()).await;
        let place = place.map_err(|_| unavailable("all connections are in use"))?.map_err(|_| unavailable("closed"))?;
        let shared = Arc::clone(&self.0);
        let result = on_a_thread(move || {
            let _place = place;
            let idle = shared.idle().pop();
            let connection = idle.map_or_else(|| shared.file.connect_reader(), Ok)?;
            connection.limit(Some(WORK_TIME));
            let mut tx = Tx::on_sqlite(connection, Backend::Sqlite.begin_read(), shared.authenticator.clone())?;
            let result = perform_here(work, &mut tx);
            let mut connection = tx.into_sqlite()?;
            connection.run("ROLLBACK")?;
            shared.idle().push(connection);
            result
        })
        .await;
        self.0.durability.of_what_was_seen().await?;
        result
    }

    /// Ends all connections after what runs has ended.
    pub(crate) async fn close(&self) {
        // All places: nobody reads any more.
        let all = self.0.places.acquire_many(self.0.readers).await;
        self.0.places.close();
        drop(all);
        self.0.idle().clear();
    }
}

impl Shared {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unavailable(why: &str) -> StoreError {
    StoreError::Unavailable(why.into())
}
