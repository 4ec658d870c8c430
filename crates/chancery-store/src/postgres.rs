//! PostgreSQL: its connections, and statements on them.

use std::borrow::Cow;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions};
use sqlx::{Arguments, ConnectOptions, Connection as _, Executor, PgConnection, PgPool, Postgres, SqlSafeStr, SqlStr};
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::value::Value;
use crate::{Columns, FromColumns, OpenError, StoreError};

/// How long to wait for a connection, or one statement: beyond it the database counts as out of reach.
const WAIT: Duration = Duration::from_secs(5);

/// Between two attempts to reach a database that is not there yet.
const PROBE_PAUSE: Duration = Duration::from_millis(50);

/// How long the database may take to begin a transaction.
const CONTROL_TIME: Duration = Duration::from_secs(10);

/// How long it may take to end one: a commit waits for the disk, with payloads of 64 MiB perhaps.
const END_TIME: Duration = Duration::from_secs(30);

/// Connections of one node, for reading and writing: PostgreSQL groups the flushes of those that commit at the same time.
const CONNECTIONS: u32 = 16;

/// Connections beside them for following changes, which nobody else's works shall delay. A second one for a look that
/// begins while one before it was given up.
const FOLLOWERS: u32 = 2;

/// Two nodes that start at once take turns with their migrations, which may take long. The number is any that nobody
/// else uses.
pub(crate) const MIGRATION_LOCK: &str =
    "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(4847300510219)";

/// For a transaction that others wait for: PostgreSQL ends it where its node says nothing for a second, and a node that
/// waits for one that goes on gives up, so that its caller can try again.
pub(crate) const HURRY: &str = "SET LOCAL idle_in_transaction_session_timeout = '1s'; SET LOCAL lock_timeout = '3s'";

const SESSION: &[&str] = &[
    "SET application_name = 'chancery'",
    "SET statement_timeout = '10s'",
    "SET lock_timeout = '5s'",
    // Shorter than the wait for a lock: whoever waits for a node that stands still gets the lock after all.
    "SET idle_in_transaction_session_timeout = '4s'",
    // A server set to `off` would answer before the commit is durable; stronger settings than `on` stay.
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
];

/// The address as the driver wants it, which would log statements otherwise.
pub(crate) fn options(address: &Url) -> Result<PgConnectOptions, sqlx::Error> {
    Ok(PgConnectOptions::from_url(address)?.disable_statement_logging())
}

/// Connections to a database that can do what is needed: for all, and for whoever follows what changes.
pub(crate) async fn connect(address: &Url) -> Result<(PgPool, PgPool), OpenError> {
    let options = options(address).map_err(StoreError::from)?;
    let encoding = probe(&options, "SELECT CAST(current_setting('server_encoding') AS TEXT)").await?;
    if encoding != "UTF8" {
        return Err(OpenError::Unsuitable(format!("its encoding is {encoding}; it must be UTF8")));
    }
    Ok((pool(CONNECTIONS, options.clone()), pool(FOLLOWERS, options)))
}

fn pool(connections: u32, options: PgConnectOptions) -> PgPool {
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(WAIT)
        .test_before_acquire(false)
        .before_acquire(|connection, used| Box::pin(is_alive(connection, used.idle_for)))
        .after_connect(|connection, _| Box::pin(prepare_session(connection)));
    pool.connect_lazy_with(options)
}

/// Asks something of a connection of its own: the pool tries again and again until its time is over, and then does not
/// say why.
async fn probe(options: &PgConnectOptions, question: &'static str) -> Result<String, StoreError> {
    let started = Instant::now();
    loop {
        let answer = timeout(WAIT, probe_once(options, question)).await;
        match answer.map_err(|_| StoreError::Unavailable("the database did not answer in time".into()))? {
            Err(StoreError::Unavailable(_)) if started.elapsed() < WAIT => sleep(PROBE_PAUSE).await,
            outcome => return outcome,
        }
    }
}

async fn probe_once(options: &PgConnectOptions, question: &'static str) -> Result<String, StoreError> {
    let mut connection = PgConnection::connect_with(options).await?;
    prepare_session(&mut connection).await?;
    let answer = sqlx::query_scalar(question).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(answer)
}

/// Asks a connection that was not used for a while: the server may have gone, and come back, since. Under load this
/// costs nothing.
async fn is_alive(connection: &mut PgConnection, idle_for: Duration) -> Result<bool, sqlx::Error> {
    if idle_for > Duration::from_secs(1) {
        connection.ping().await?;
    }
    Ok(true)
}

async fn prepare_session(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    for text in SESSION {
        connection.execute(sqlx::raw_sql(*text)).await?;
    }
    Ok(())
}

/// A connection in a transaction. It goes back to the pool only after the transaction's end: one left open (timeout, end
/// of the runtime) ends with its connection, and the pool makes a new one.
pub(crate) struct Connection {
    inner: PoolConnection<Postgres>,
    ended: bool,
}

impl Connection {
    /// Takes one from the pool and begins.
    pub(crate) async fn begin(pool: &PgPool, begin: &'static str) -> Result<Self, StoreError> {
        let mut connection = Self { inner: pool.acquire().await?, ended: false };
        connection.control(CONTROL_TIME, begin).await?;
        Ok(connection)
    }

    pub(crate) async fn end(mut self, how: &'static str) -> Result<(), StoreError> {
        self.control(END_TIME, how).await?;
        self.ended = true;
        Ok(())
    }

    /// A statement without parameters and without rows; the driver keeps it prepared.
    ///
    /// A disk that hangs must not make callers hang. What was sent may still take place: the outcome is unknown, as
    /// Unavailable says.
    async fn control(&mut self, time: Duration, text: &'static str) -> Result<(), StoreError> {
        match timeout(time, self.inner.execute(sqlx::query(text))).await {
            Ok(outcome) => Ok(outcome.map(drop)?),
            Err(_) => Err(StoreError::Unavailable("the database did not answer in time".into())),
        }
    }

    /// Runs a text of several statements, as migrations are.
    pub(crate) async fn script(&mut self, text: String) -> Result<(), StoreError> {
        self.inner.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(text))).await?;
        Ok(())
    }

    /// Runs a statement and answers how many rows were changed.
    pub(crate) async fn execute(&mut self, text: Cow<'static, str>, values: Vec<Value>) -> Result<u64, StoreError> {
        let query = sqlx::query_with(safe(text), arguments(values)?);
        Ok(self.inner.execute(query).await?.rows_affected())
    }

    /// The first of a statement's rows, or all.
    pub(crate) async fn rows<R: FromColumns>(
        &mut self,
        text: Cow<'static, str>,
        values: Vec<Value>,
        only_first: bool,
    ) -> Result<Vec<R>, StoreError> {
        let query = sqlx::query_with(safe(text), arguments(values)?);
        let rows = if only_first {
            self.inner.fetch_optional(query).await?.into_iter().collect()
        } else {
            self.inner.fetch_all(query).await?
        };
        rows.iter().map(|row| R::from_columns(&Columns::postgres(row))).collect()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.ended {
            self.inner.close_on_drop();
        }
    }
}

/// Texts that the program put together hold no values: those are bound.
fn safe(text: Cow<'static, str>) -> SqlStr {
    match text {
        Cow::Borrowed(text) => text.into_sql_str(),
        Cow::Owned(text) => sqlx::AssertSqlSafe(text).into_sql_str(),
    }
}

fn arguments(values: Vec<Value>) -> Result<PgArguments, StoreError> {
    let mut arguments = PgArguments::default();
    for value in values {
        let added = match value {
            Value::Text(text) => arguments.add(text),
            Value::Number(number) => arguments.add(number),
            Value::Bytes(bytes) => arguments.add(bytes),
        };
        added.map_err(|cause| StoreError::Internal(cause.to_string()))?;
    }
    Ok(arguments)
}

/// Whether a database's error says that a later attempt may work.
pub(crate) fn is_passing(code: &str) -> bool {
    // connection, invalid transaction state (idle timeout, standby), rollback (serialization, deadlock), resources,
    // operator intervention, system error
    const CLASSES: &[&str] = &["08", "25", "40", "53", "57", "58"];
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    CLASSES.iter().any(|class| code.starts_with(class)) || code == LOCK_NOT_AVAILABLE
}
