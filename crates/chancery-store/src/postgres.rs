//! PostgreSQL: its connections, and statements on them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex as BriefMutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPoolOptions};
use sqlx::{Arguments, ConnectOptions, Connection as _, Executor, PgConnection, PgPool, Postgres, SqlSafeStr, SqlStr};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::authority::Authenticator;
use crate::readers::For;
use crate::statement::Wanted;
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

/// Connections beside them for calls of the data plane that read, which wait for no list and no administrator. As each
/// reads one row, half as many are enough.
const DATA: u32 = 8;

/// Connections beside them for following changes, which nobody else's works shall delay. A second one for a look that
/// begins while one before it was given up.
const FOLLOWERS: u32 = 2;

/// After this time another server may be the one that can be written.
const CHOICE_AGE: Duration = Duration::from_secs(1);

const READ_ONLY: &str = "it is read-only, as a standby is; name its primary, or all hosts of it";

/// How long a start waits for a server that only reads: one that has just become the primary does for a moment.
const READ_ONLY_WAIT: Duration = Duration::from_secs(2);

/// Two nodes that start at once take turns with their migrations, which may take long. The number is any that nobody
/// else uses.
pub(crate) const MIGRATION_LOCK: &str =
    "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(4847300510219)";

/// For a transaction that others wait for: PostgreSQL ends it where its node says nothing for a second, and a node that
/// waits for one that goes on gives up, so that its caller can try again.
const HURRY: &str = "SET LOCAL idle_in_transaction_session_timeout = '1s'; SET LOCAL lock_timeout = '3s'";

/// How long a work waits for others of its node that have its turn: as long as for those of other nodes, and shorter
/// than an idle transaction lives.
const TURN_WAIT: Duration = Duration::from_secs(3);

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
    // Notices such as "relation already exists, skipping" tell nobody anything.
    let quiet = [("client_min_messages", "warning")];
    Ok(PgConnectOptions::from_url(address)?.options(quiet).disable_statement_logging())
}

/// Connections to a database that can do what is needed.
pub(crate) async fn connect(addresses: &[Url]) -> Result<Pools, OpenError> {
    let servers = addresses.iter().map(options).collect::<Result<Vec<_>, _>>().map_err(StoreError::from)?;
    let chosen = choose_in_time(&servers).await?;
    if chosen.encoding != "UTF8" {
        return Err(OpenError::Unsuitable(format!("its encoding is {}; it must be UTF8", chosen.encoding)));
    }
    let servers: Arc<[PgConnectOptions]> = servers.into();
    let pool = |connections| Pool::new(connections, chosen.options.clone(), Arc::clone(&servers));
    Ok(Pools { others: pool(CONNECTIONS), data: pool(DATA), followers: pool(FOLLOWERS) })
}

/// The connections of one node. Lists have none of their own: whoever asks for them bounds how many are read at a time.
#[derive(Clone)]
pub(crate) struct Pools {
    /// For all who write, for lists, and for all others who read.
    pub(crate) others: Pool,
    data: Pool,
    followers: Pool,
}

impl Pools {
    /// From where this one reads.
    pub(crate) const fn of(&self, whom: For) -> &Pool {
        match whom {
            For::Data => &self.data,
            For::Followers => &self.followers,
            For::Lists | For::Others => &self.others,
        }
    }

    pub(crate) async fn close(&self) {
        for pool in [&self.followers, &self.data, &self.others] {
            pool.close().await;
        }
    }
}

/// Connections to one of the servers: to the one that could be written when it was looked last.
#[derive(Clone)]
pub(crate) struct Pool {
    pool: PgPool,
    servers: Arc<[PgConnectOptions]>,
    chosen: Arc<Mutex<Instant>>,
    turns: Turns,
}

/// Who of this node has the turn of each topic. The others wait here and not in the database: there, all of them would
/// stand before the works of other nodes, and where the node stands still each would have its turn for a second.
type Turns = Arc<BriefMutex<HashMap<&'static str, Arc<Mutex<()>>>>>;

impl Pool {
    fn new(connections: u32, chosen: PgConnectOptions, servers: Arc<[PgConnectOptions]>) -> Self {
        // Of one server alone it is better to read from it than not to.
        let must_write = servers.len() > 1;
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(WAIT)
            .test_before_acquire(false)
            .before_acquire(move |connection, used| Box::pin(is_alive(connection, used.idle_for, must_write)))
            .after_connect(move |connection, _| Box::pin(prepare_connection(connection, must_write)));
        let pool = pool.connect_lazy_with(chosen);
        Self { pool, servers, chosen: Arc::new(Mutex::new(Instant::now())), turns: Turns::default() }
    }

    /// Begins a transaction, if need be on another server than before.
    pub(crate) async fn begin(&self, how: &'static str) -> Result<Connection, StoreError> {
        match Connection::begin(self, how).await {
            Err(StoreError::Unavailable(_)) if self.servers.len() > 1 && !self.pool.is_closed() => {
                self.choose_again().await?;
                Connection::begin(self, how).await
            }
            outcome => outcome,
        }
    }

    /// All who fail at once choose once.
    async fn choose_again(&self) -> Result<(), StoreError> {
        let mut chosen = self.chosen.lock().await;
        if chosen.elapsed() > CHOICE_AGE {
            let options = choose(&self.servers).await?.options;
            tracing::info!(host = options.get_host(), port = options.get_port(), "chose a server of PostgreSQL");
            self.pool.set_connect_options(options);
            *chosen = Instant::now();
        }
        Ok(())
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

/// A server that can be written.
struct Chosen {
    options: PgConnectOptions,
    encoding: String,
}

/// [`choose`], for as long as servers may take to start.
async fn choose_in_time(servers: &[PgConnectOptions]) -> Result<Chosen, OpenError> {
    let started = Instant::now();
    loop {
        match choose(servers).await {
            Err(StoreError::Unavailable(why)) if why == READ_ONLY && started.elapsed() >= READ_ONLY_WAIT => {
                return Err(OpenError::Unsuitable(why));
            }
            Err(StoreError::Unavailable(_)) if started.elapsed() < WAIT => sleep(PROBE_PAUSE).await,
            outcome => return Ok(outcome?),
        }
    }
}

/// The first of the servers that can be written. All are asked at once: one may be silent.
async fn choose(servers: &[PgConnectOptions]) -> Result<Chosen, StoreError> {
    let answers = servers.iter().map(|options| timeout(WAIT, probe(options)));
    let mut failure = None;
    for (options, answer) in servers.iter().zip(join_all(answers).await) {
        let answer = answer.map_err(|_| StoreError::Unavailable("the database did not answer in time".into()));
        match answer.and_then(|outcome| outcome) {
            Ok((encoding, true)) => return Ok(Chosen { options: options.clone(), encoding }),
            Ok((_, false)) => failure = Some(StoreError::Unavailable(READ_ONLY.into())),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| StoreError::Internal("an address without a server".into())))
}

/// Asks a connection of its own for the encoding, and whether it can be written: the pool tries again and again until its
/// time is over, and then does not say why.
async fn probe(options: &PgConnectOptions) -> Result<(String, bool), StoreError> {
    const QUESTION: &str = "SELECT CAST(current_setting('server_encoding') AS TEXT)";
    let mut connection = PgConnection::connect_with(options).await?;
    prepare_session(&mut connection).await?;
    let encoding = sqlx::query_scalar(QUESTION).fetch_one(&mut connection).await?;
    let is_writable = is_writable(&mut connection).await?;
    connection.close().await?;
    Ok((encoding, is_writable))
}

/// Not on a standby, nor where all transactions only read.
async fn is_writable(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let text = "SELECT current_setting('transaction_read_only') = 'off'";
    sqlx::query_scalar(text).fetch_one(connection).await
}

/// Asks a connection that was not used for a while: the server may have gone, and come back, or become a standby, since.
/// Under load this costs nothing.
async fn is_alive(connection: &mut PgConnection, idle_for: Duration, must_write: bool) -> Result<bool, sqlx::Error> {
    if idle_for <= Duration::from_secs(1) {
        return Ok(true);
    }
    if must_write {
        return is_writable(connection).await;
    }
    connection.ping().await?;
    Ok(true)
}

async fn prepare_connection(connection: &mut PgConnection, must_write: bool) -> Result<(), sqlx::Error> {
    prepare_session(connection).await?;
    if must_write && !is_writable(connection).await? {
        return Err(sqlx::Error::Protocol(READ_ONLY.into()));
    }
    Ok(())
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
    /// Whether the server turned out to be one that only reads: another connection may find the one that does not.
    is_read_only: bool,
    turns: Turns,
    /// The turns that it has until it ends.
    taken: Vec<(&'static str, OwnedMutexGuard<()>)>,
}

impl Connection {
    /// Takes one from the pool and begins.
    async fn begin(Pool { pool, turns, .. }: &Pool, begin: &'static str) -> Result<Self, StoreError> {
        let (inner, turns) = (pool.acquire().await?, Arc::clone(turns));
        let mut connection = Self { inner, ended: false, is_read_only: false, turns, taken: Vec::new() };
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

    /// Waits until no other work of this node has the turn. From then on PostgreSQL ends this one if it stands still.
    pub(crate) async fn hurry(&mut self, topic: &'static str) -> Result<(), StoreError> {
        if self.taken.iter().any(|(taken, _)| *taken == topic) {
            return Ok(());
        }
        let turn = Arc::clone(self.turns.lock().unwrap_or_else(PoisonError::into_inner).entry(topic).or_default());
        let taken = timeout(TURN_WAIT, turn.lock_owned()).await;
        let taken = taken.map_err(|_| StoreError::Unavailable(format!("the turn of {topic} did not come in time")))?;
        self.taken.push((topic, taken));
        self.script(HURRY.into()).await
    }

    /// Runs a text of several statements, as migrations are.
    pub(crate) async fn script(&mut self, text: String) -> Result<(), StoreError> {
        self.inner.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(text))).await?;
        Ok(())
    }

    /// Runs a statement and answers how many rows were changed.
    pub(crate) async fn execute(&mut self, text: Cow<'static, str>, values: Vec<Value>) -> Result<u64, StoreError> {
        let query = sqlx::query_with(safe(text), arguments(values)?);
        let outcome = self.inner.execute(query).await;
        Ok(self.noted(outcome)?.rows_affected())
    }

    /// The first of a statement's rows, or all.
    pub(crate) async fn rows<R: FromColumns>(
        &mut self,
        text: Cow<'static, str>,
        values: Vec<Value>,
        rows_wanted: Wanted,
        authenticator: &Authenticator,
    ) -> Result<Vec<R>, StoreError> {
        let query = sqlx::query_with(safe(text), arguments(values)?);
        let outcome = if rows_wanted == Wanted::First {
            self.inner.fetch_optional(query).await.map(|row| row.into_iter().collect())
        } else {
            self.inner.fetch_all(query).await
        };
        let rows: Vec<_> = self.noted(outcome)?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            match R::from_columns(&Columns::postgres(row, authenticator)) {
                Err(StoreError::Unauthentic(_)) if rows_wanted == Wanted::Authentic => {}
                row => found.push(row?),
            }
        }
        Ok(found)
    }
}

impl Connection {
    fn noted<T>(&mut self, outcome: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        const READ_ONLY_TRANSACTION: &str = "25006";
        if let Err(sqlx::Error::Database(error)) = &outcome {
            self.is_read_only |= error.code().is_some_and(|code| code == READ_ONLY_TRANSACTION);
        }
        outcome
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.ended || self.is_read_only {
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
