//! A transaction in which one piece of work runs.

use uuid::Uuid;

use crate::authority::{Authenticator, Message, Table, Unauthentic};
use crate::backend::Backend;
use crate::{StoreError, Value, postgres, sqlite};

/// The transaction that a work reads and writes in. It owns its connection and is made only by [`crate::Store`].
pub struct Tx {
    connection: Connection,
    has_failed: bool,
    authenticator: Authenticator,
}

/// The database's end of it.
pub(crate) enum Connection {
    Sqlite(sqlite::Connection),
    Postgres(postgres::Connection),
}

impl Tx {
    /// For a connection in a transaction.
    pub(crate) const fn new(connection: Connection, authenticator: Authenticator) -> Self {
        Tx { connection, has_failed: false, authenticator }
    }

    /// Begins on a connection of SQLite.
    pub(crate) fn on_sqlite(
        mut connection: sqlite::Connection,
        begin: &'static str,
        authenticator: Authenticator,
    ) -> Result<Self, StoreError> {
        connection.run(begin)?;
        Ok(Self::new(Connection::Sqlite(connection), authenticator))
    }

    /// What authenticates rows.
    pub(crate) const fn authenticator(&self) -> &Authenticator {
        &self.authenticator
    }

    /// From now on rows can be authenticated: the key was not known when the transaction began.
    pub(crate) fn authenticate_by(&mut self, authenticator: Authenticator) {
        self.authenticator = authenticator;
    }

    /// The MAC of a row of authority.
    pub(crate) fn seal(&self, table: &Table, values: &[Value], version: i64) -> Result<Vec<u8>, StoreError> {
        let mut message = Message::of(table);
        for (name, value) in table.columns.iter().zip(values) {
            message.column(name, value.stored());
        }
        self.authenticator.seal(message, version)
    }

    /// Refuses a row that does not agree with others, or is not there, which its own MAC does not tell. Nor does it tell when
    /// they agree again: it can be read then, and is counted as long as the store is open.
    pub fn refuse(&self, table: &'static str, id: Uuid) -> StoreError {
        self.authenticator.suspect(Unauthentic { table, id: id.to_string() }, Vec::new())
    }

    /// Whether works that write run one after the other.
    pub(crate) fn takes_turns(&self) -> bool {
        self.backend() == Backend::Sqlite
    }

    /// SQLite's connection, for what is done between works.
    pub(crate) fn sqlite(&mut self) -> Result<&mut sqlite::Connection, StoreError> {
        match &mut self.connection {
            Connection::Sqlite(connection) => Ok(connection),
            Connection::Postgres(_) => Err(other()),
        }
    }

    /// SQLite's connection, whose transaction is still open.
    pub(crate) fn into_sqlite(self) -> Result<sqlite::Connection, StoreError> {
        match self.connection {
            Connection::Sqlite(connection) => Ok(connection),
            Connection::Postgres(_) => Err(other()),
        }
    }

    /// PostgreSQL's connection, whose transaction is still open.
    pub(crate) fn into_postgres(self) -> Result<postgres::Connection, StoreError> {
        match self.connection {
            Connection::Postgres(connection) => Ok(connection),
            Connection::Sqlite(_) => Err(other()),
        }
    }

    /// Whether a statement failed. PostgreSQL then ignores all that follows and turns COMMIT into ROLLBACK without a
    /// word, while SQLite goes on; so on both nothing more is done, and the work is undone even if it says Ok.
    pub(crate) const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Undoes the work on SQLite, which was not the first one of the transaction, for another work.
    pub(crate) fn undo(&mut self) -> Result<(), StoreError> {
        self.sqlite()?.undo_work()?;
        self.has_failed = false;
        Ok(())
    }

    /// The work has ended well, if what it has for later does.
    pub(crate) fn end_work(&mut self) -> Result<(), StoreError> {
        if let Connection::Sqlite(connection) = self.statement()? {
            connection.end_work()?;
        }
        self.succeeded();
        Ok(())
    }

    /// For one statement, which counts as failed until it has [`succeeded`](Self::succeeded): a work that drops a
    /// statement half way must not commit either.
    pub(crate) fn statement(&mut self) -> Result<&mut Connection, StoreError> {
        if self.has_failed {
            return Err(StoreError::Internal("a statement after one that failed in the same work".into()));
        }
        self.has_failed = true;
        Ok(&mut self.connection)
    }

    pub(crate) const fn succeeded(&mut self) {
        self.has_failed = false;
    }

    /// Runs a text of several statements, as migrations are.
    pub(crate) async fn script(&mut self, text: String) -> Result<(), StoreError> {
        match self.statement()? {
            Connection::Sqlite(connection) => connection.script(&text)?,
            Connection::Postgres(connection) => connection.script(text).await?,
        }
        self.succeeded();
        Ok(())
    }

    /// Waits until no other node migrates, until the end of the transaction. SQLite's write lock does that already.
    pub(crate) async fn lock_migrations(&mut self) -> Result<(), StoreError> {
        match self.backend() {
            Backend::Sqlite => Ok(()),
            Backend::Postgres => self.script(postgres::MIGRATION_LOCK.into()).await,
        }
    }

    /// Says that others wait for the end of this transaction: a node that stands still in it must not keep them waiting.
    /// On SQLite they wait for whoever writes in any case.
    pub(crate) async fn hurry(&mut self, topic: &'static str) -> Result<(), StoreError> {
        if let Connection::Postgres(connection) = self.statement()? {
            connection.hurry(topic).await?;
        }
        self.succeeded();
        Ok(())
    }

    pub(crate) const fn backend(&self) -> Backend {
        match self.connection {
            Connection::Sqlite(_) => Backend::Sqlite,
            Connection::Postgres(_) => Backend::Postgres,
        }
    }
}

fn other() -> StoreError {
    StoreError::Internal("a connection to the other database".into())
}
