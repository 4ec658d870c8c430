//! The store, behind evidence. It is a private field of [`Storage`]: whoever reads or writes shows why they may.
//!
//! - What a caller may: a [`Grant`](crate::Grant) reads, and commits what it was given for; a
//!   [`ReadGrant`](super::grant::ReadGrant) only reads.
//! - What somebody with a shell on the host may: a [`Host`].
//! - What acts for nobody: one of the tasks (`task.rs`).

mod commit;
mod evidence;
mod host;
mod open;
mod task;

use std::path::Path;

use chancery_store::{Announced, BackupError, RefusedRow, Store, StoreError, Tx, Unauthentic};
use chancery_types::IdentityId;
use futures::future::BoxFuture;

use super::{Caller, Context, rows::Watching};
use crate::{Result, base::list::Turn};

pub(crate) use self::host::host_name;
pub(crate) use self::{
    evidence::{Connections, Evidence, MayCommit, MayKeepTokens, MayRead, Vouches},
    open::Opening,
    task::{Background, Recording},
};
pub use self::{host::Host, open::OpenFailure};

/// The one way to the store.
pub(crate) struct Storage {
    store: Store,
}

impl Storage {
    /// Runs a work that only reads. It sees one committed state throughout, and runs to its end even if the caller goes
    /// away.
    pub(crate) fn read<T, E, W, B>(&self, _: &B, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        B: MayRead,
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match B::CONNECTIONS {
            Connections::Followers => self.store.follow(work),
            Connections::Data => self.store.read_data(work),
            Connections::Others => self.store.read(work),
        }
    }

    /// Writes what a task writes. There is no record but what the work itself appends.
    pub(crate) fn background<T, E, W>(&self, _: &impl Background, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.store.write(work)
    }

    /// Writes what tokens a vault keeps, for callers whom Control Rules allow it. The calls are counted for the records.
    pub(crate) fn keep_tokens<T, E, W>(&self, _: &impl MayKeepTokens, work: W) -> BoxFuture<'_, Result<T, E>>
    where
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.store.write(work)
    }

    /// Says that a commit follows, about when the answer is dropped.
    pub(crate) fn announce(&self) -> Announced {
        self.store.announce()
    }

    /// Copies the store into a new file.
    pub(crate) async fn backup(&self, _: &Host, to: &Path) -> Result<(), BackupError> {
        self.store.backup(to).await
    }

    /// Rows that are not what Chancery wrote, as far as this node has met them.
    pub(crate) fn unauthentic(&self) -> usize {
        self.store.unauthentic().len()
    }

    /// Those of them that were not told of yet.
    pub(crate) fn newly_unauthentic(&self, _: &Watching) -> Vec<Unauthentic> {
        self.store.newly_unauthentic()
    }

    /// Looks again at rows that were refused; how many are restored.
    pub(crate) async fn look_at_refused(&self, _: &Watching) -> Result<usize> {
        Ok(self.store.look_at_refused().await?)
    }

    /// Every row that carries authority and is not what Chancery wrote.
    pub(crate) async fn look_at_all_rows(&self, _: &Host) -> Result<Vec<RefusedRow>> {
        Ok(self.store.look_at_all_rows().await?)
    }

    /// Whether it was opened to be read alone.
    pub(crate) const fn is_read_only(&self) -> bool {
        self.store.is_read_only()
    }

    /// Ends all connections: an SQLite file is then whole by itself.
    pub(crate) async fn close(&self) {
        self.store.close().await;
    }

    /// The store, for tests that look below everything else, or damage it.
    #[cfg(test)]
    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }
}

impl Context {
    /// Reads a list, once it is the caller's turn: many lists of one caller do not hold up those of others, and none
    /// holds up other calls.
    pub(crate) async fn read_list<T, W>(&self, caller: &Caller, _: &impl MayRead, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let _turn = self.read_turns.lists.wait(first_of(caller), &self.limits.lists).await?;
        self.storage.store.read_list(work).await
    }

    /// Waits until it is the caller's turn to have an upload in memory.
    pub(crate) async fn turn_to_read_upload(&self, caller: &Caller) -> Result<Turn> {
        self.read_turns.uploads.wait(first_of(caller), &self.limits.lists).await
    }
}

/// Whose turn it is.
pub(crate) fn first_of(caller: &Caller) -> Option<IdentityId> {
    caller.members().first().map(|member| member.id)
}
