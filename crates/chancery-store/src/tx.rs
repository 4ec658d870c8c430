//! A transaction in which one piece of work runs.

use std::time::Duration;

use futures::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Executor, SqlSafeStr, SqlStr};

use tokio::time::timeout;

use crate::StoreError;

/// How long the database may take to begin a transaction, or to mark or undo a part of it.
const CONTROL_TIME: Duration = Duration::from_secs(10);

/// How long it may take to end one: a commit waits for the disk, with payloads of 64 MiB perhaps.
const END_TIME: Duration = Duration::from_secs(30);

/// The transaction that a work reads and writes in. It owns its connection and is made only by [`crate::Store`].
pub struct Tx {
    connection: PoolConnection<Any>,
    state: State,
}

/// What the open transaction is good for.
enum State {
    /// It can go on.
    Good,
    /// A statement failed. PostgreSQL then ignores all that follows and turns COMMIT into ROLLBACK without a word,
    /// while SQLite goes on; so on both nothing more is done, and the work is undone even if it says Ok.
    Failed,
    /// Committed or rolled back; the connection can be used again.
    Ended,
}

impl Tx {
    pub(crate) async fn begin(mut connection: PoolConnection<Any>, begin: &'static str) -> Result<Self, StoreError> {
        if let Err(error) = control(&mut connection, begin).await {
            connection.close_on_drop();
            return Err(error);
        }
        Ok(Tx { connection, state: State::Good })
    }

    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        self.end("COMMIT").await
    }

    pub(crate) async fn rollback(mut self) -> Result<(), StoreError> {
        self.end("ROLLBACK").await
    }

    async fn end(&mut self, how: &'static str) -> Result<(), StoreError> {
        control_within(END_TIME, &mut self.connection, how).await?;
        self.state = State::Ended;
        Ok(())
    }

    /// Where the group commit can go back to. One statement ends the former savepoint and starts the next: each costs a
    /// way to the database's thread and back.
    pub(crate) async fn savepoint(&mut self, replace: bool) -> Result<(), StoreError> {
        let text = if replace { "RELEASE work; SAVEPOINT work" } else { "SAVEPOINT work" };
        control(&mut self.connection, text).await
    }

    /// Back to the savepoint, which stays. It fails when SQLite gave up the whole transaction (disk full, I/O error).
    pub(crate) async fn undo(&mut self) -> Result<(), StoreError> {
        control(&mut self.connection, "ROLLBACK TO work").await?;
        self.state = State::Good;
        Ok(())
    }

    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.state, State::Failed)
    }

    /// Runs one statement; its failure is remembered.
    pub(crate) async fn run<R>(
        &mut self,
        statement: impl for<'c> FnOnce(&'c mut AnyConnection) -> BoxFuture<'c, Result<R, StoreError>>,
    ) -> Result<R, StoreError> {
        if self.has_failed() {
            return Err(StoreError::Internal("a statement after one that failed in the same work".into()));
        }
        // Marked first: a work that drops a statement half way must not commit either.
        self.state = State::Failed;
        let outcome = statement(&mut self.connection).await?;
        self.state = State::Good;
        Ok(outcome)
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        // A transaction left open (timeout, end of the runtime) ends with its connection; the pool makes a new one.
        if !matches!(self.state, State::Ended) {
            self.connection.close_on_drop();
        }
    }
}

async fn control(connection: &mut AnyConnection, text: &'static str) -> Result<(), StoreError> {
    control_within(CONTROL_TIME, connection, text).await
}

/// A statement without parameters and without rows; the driver keeps it prepared.
///
/// A disk that hangs must not make callers hang. What was sent may still take place: the outcome is unknown, as
/// Unavailable says.
async fn control_within(time: Duration, connection: &mut AnyConnection, text: &'static str) -> Result<(), StoreError> {
    match timeout(time, connection.execute(sqlx::query::<Any>(text))).await {
        Ok(outcome) => Ok(outcome.map(drop)?),
        Err(_) => Err(StoreError::Unavailable("the database did not answer in time".into())),
    }
}

/// Runs a text of several statements, as migrations are.
pub(crate) async fn script(tx: &mut Tx, text: String) -> Result<(), StoreError> {
    let text: SqlStr = sqlx::AssertSqlSafe(text).into_sql_str();
    tx.run(|connection| {
        Box::pin(async move {
            connection.execute(sqlx::raw_sql(text)).await?;
            Ok(())
        })
    })
    .await
}
