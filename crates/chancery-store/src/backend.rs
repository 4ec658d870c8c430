//! The only file that knows that there are two databases.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, ConnectOptions, Connection, Executor};
use tokio::time::{Instant, sleep, timeout};

use crate::tx::script;
use crate::url::Place;
use crate::{OpenError, StoreError, Tx};

/// How long to wait for a connection, the write lock of another process, or one statement: beyond it the database
/// counts as out of reach.
const WAIT: Duration = Duration::from_secs(5);

/// Between two attempts to reach a database that is not there yet, or busy.
const PROBE_PAUSE: Duration = Duration::from_millis(50);

/// Reading connections of SQLite, each with a thread of its own.
const SQLITE_READERS: u32 = 4;

/// Connections to PostgreSQL of one node, for reading and writing: PostgreSQL groups the flushes of those that commit
/// at the same time.
const POSTGRES_CONNECTIONS: u32 = 16;

/// Two nodes that start at once take turns with their migrations, which may take long. The number is any that nobody
/// else uses.
const POSTGRES_MIGRATION_LOCK: &str =
    "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(4847300510219)";

const SQLITE_SESSION: &[&str] = &[
    // First: the others may have to wait for another process.
    "PRAGMA busy_timeout = 5000",
    "PRAGMA journal_mode = WAL",
    // Each commit flushes the log before it is answered; NORMAL would lose the last ones when the power fails.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    // In pages of 4 KiB: fewer, longer checkpoints.
    "PRAGMA wal_autocheckpoint = 4000",
    // After a payload of 64 MiB the log shrinks again.
    "PRAGMA journal_size_limit = 67108864",
    // 16 MiB, in KiB.
    "PRAGMA cache_size = -16384",
];

const POSTGRES_SESSION: &[&str] = &[
    "SET application_name = 'chancery'",
    "SET statement_timeout = '10s'",
    "SET lock_timeout = '5s'",
    "SET idle_in_transaction_session_timeout = '30s'",
    // A server set to `off` would answer before the commit is durable; stronger settings than `on` stay.
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
];

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

/// An opened database.
pub(crate) struct Database {
    pub(crate) backend: Backend,
    pub(crate) readers: AnyPool,
    pub(crate) writers: AnyPool,
}

impl Database {
    pub(crate) async fn connect(place: &Place) -> Result<Self, OpenError> {
        sqlx::any::install_default_drivers();
        match place {
            Place::File(path) => sqlite(path).await,
            Place::Server(options) => postgres(options).await,
        }
    }
}

async fn sqlite(path: &Path) -> Result<Database, OpenError> {
    create(path).map_err(|cause| OpenError::File { path: path.display().to_string(), cause })?;
    let options = sqlite_options(path)?;
    // It also makes the log that the readers expect.
    let mode = probe(&options, "PRAGMA journal_mode").await?;
    if mode != "wal" {
        return Err(OpenError::Unsuitable(format!(
            "SQLite's log is in mode {mode} instead of wal, as on a network share"
        )));
    }
    let pool = |connections, session: &'static [&'static str]| {
        let pool = pool_options(connections, session).idle_timeout(None).max_lifetime(None);
        pool.connect_lazy_with(options.clone())
    };
    let readers = pool(SQLITE_READERS, &["PRAGMA query_only = ON"]);
    Ok(Database { backend: Backend::Sqlite, readers, writers: pool(1, &[]) })
}

/// Asks something of a connection of its own: the pools try again and again until their time is over, and then do not
/// say why. Tries again here too: of several processes that turn a new file's log into a WAL at once, SQLite refuses
/// all but one without letting them wait.
async fn probe(options: &AnyConnectOptions, question: &'static str) -> Result<String, StoreError> {
    let started = Instant::now();
    loop {
        let answer = timeout(WAIT, probe_once(options, question)).await;
        match answer.map_err(|_| StoreError::Unavailable("the database did not answer in time".into()))? {
            Err(StoreError::Unavailable(_)) if started.elapsed() < WAIT => sleep(PROBE_PAUSE).await,
            outcome => return outcome,
        }
    }
}

async fn probe_once(options: &AnyConnectOptions, question: &'static str) -> Result<String, StoreError> {
    let mut connection = connect(options).await?;
    let answer = sqlx::query_scalar(question).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(answer)
}

/// A connection outside the pools.
pub(crate) async fn connect(options: &AnyConnectOptions) -> Result<AnyConnection, sqlx::Error> {
    let mut connection = AnyConnection::connect_with(options).await?;
    prepare_session(&mut connection, &[]).await?;
    Ok(connection)
}

/// Makes the file as one that only its owner can read; SQLite gives its log the same mode.
fn create(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome.map(drop),
    }
}

fn sqlite_options(path: &Path) -> Result<AnyConnectOptions, OpenError> {
    let text = path.to_str().ok_or_else(|| OpenError::Url("a path that is not UTF-8".into()))?;
    let url: String = text.bytes().map(escape).collect();
    let options: AnyConnectOptions = format!("sqlite://{url}?mode=rw").parse().map_err(StoreError::from)?;
    Ok(options.disable_statement_logging())
}

fn escape(byte: u8) -> String {
    match byte {
        b'/' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

async fn postgres(options: &AnyConnectOptions) -> Result<Database, OpenError> {
    let encoding = probe(options, "SELECT CAST(current_setting('server_encoding') AS TEXT)").await?;
    if encoding != "UTF8" {
        return Err(OpenError::Unsuitable(format!("its encoding is {encoding}; it must be UTF8")));
    }
    let pool = pool_options(POSTGRES_CONNECTIONS, &[]).connect_lazy_with(options.clone());
    Ok(Database { backend: Backend::Postgres, readers: pool.clone(), writers: pool })
}

fn pool_options(connections: u32, more: &'static [&'static str]) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(WAIT)
        .test_before_acquire(false)
        .before_acquire(|connection, used| Box::pin(is_alive(connection, used.idle_for)))
        .after_connect(move |connection, _| Box::pin(prepare_session(connection, more)))
}

/// Asks a connection that was not used for a while: the server may have gone, and come back, since. Under load this
/// costs nothing.
async fn is_alive(connection: &mut AnyConnection, idle_for: Duration) -> Result<bool, sqlx::Error> {
    if idle_for > Duration::from_secs(1) {
        connection.ping().await?;
    }
    Ok(true)
}

async fn prepare_session(connection: &mut AnyConnection, more: &'static [&'static str]) -> Result<(), sqlx::Error> {
    let common = match connection.backend_name() {
        "SQLite" => SQLITE_SESSION,
        _ => POSTGRES_SESSION,
    };
    for text in common.iter().chain(more) {
        connection.execute(sqlx::raw_sql(*text)).await?;
    }
    Ok(())
}

impl Backend {
    /// Starts a transaction that writes. SQLite takes its write lock at once: taking it later fails when another
    /// process wrote in between.
    pub(crate) fn begin_write(self) -> &'static str {
        match self {
            Backend::Sqlite => "BEGIN IMMEDIATE",
            Backend::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }

    /// Starts a transaction that reads one state of the database throughout.
    pub(crate) fn begin_read(self) -> &'static str {
        match self {
            Backend::Sqlite => "BEGIN DEFERRED",
            Backend::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Waits until no other node migrates, until the end of the transaction. SQLite's write lock does that already.
    pub(crate) async fn lock_migrations(self, tx: &mut Tx) -> Result<(), StoreError> {
        match self {
            Backend::Sqlite => Ok(()),
            Backend::Postgres => script(tx, POSTGRES_MIGRATION_LOCK.into()).await,
        }
    }

    /// Turns a migration's text into this database's words. Migrations are written with
    /// - `TEXT`: compared byte by byte, also on a PostgreSQL whose locale sorts otherwise;
    /// - `BYTEA`: SQLite takes any name for a type, and leaves bytes as they are;
    /// - `SERIAL_KEY`: a primary key that counts up and is never used again.
    pub(crate) fn migration_text(self, text: &str) -> String {
        match self {
            Backend::Sqlite => text.replace("SERIAL_KEY", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            Backend::Postgres => text
                .replace(" TEXT", " TEXT COLLATE \"C\"")
                .replace("SERIAL_KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        }
    }
}

/// Whether a database's error says that a later attempt may work.
pub(crate) fn is_passing(code: &str) -> bool {
    // SQLite gives extended codes in decimal, the lowest byte being the kind; PostgreSQL five characters, the first two
    // being the class. A PostgreSQL code of digits alone, as 40001, is above all of SQLite's (below 10,000).
    match code.parse::<u32>() {
        Ok(number) if code.len() < 5 => sqlite_is_passing(number & 0xff),
        _ => postgres_is_passing(code),
    }
}

fn sqlite_is_passing(kind: u32) -> bool {
    const BUSY: u32 = 5;
    const LOCKED: u32 = 6;
    const NO_MEMORY: u32 = 7;
    const READ_ONLY: u32 = 8;
    const IO_ERROR: u32 = 10;
    const FULL: u32 = 13;
    const CANNOT_OPEN: u32 = 14;
    matches!(kind, BUSY | LOCKED | NO_MEMORY | READ_ONLY | IO_ERROR | FULL | CANNOT_OPEN)
}

fn postgres_is_passing(code: &str) -> bool {
    // connection, invalid transaction state (idle timeout, standby), rollback (serialization, deadlock), resources,
    // operator intervention, system error
    const CLASSES: &[&str] = &["08", "25", "40", "53", "57", "58"];
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    CLASSES.iter().any(|class| code.starts_with(class)) || code == LOCK_NOT_AVAILABLE
}
