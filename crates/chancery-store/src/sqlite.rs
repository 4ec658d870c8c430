//! SQLite: its file, its connections, and statements on them.
//!
//! A statement runs on the thread that asks for it, so that it costs what SQLite costs and no way to another thread and
//! back. Works therefore run on threads that may wait: the writer's own, and those that the runtime keeps for readers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, OpenFlags, ToSql};

use crate::authority::Authenticator;
use crate::in_place::InPlace;
use crate::stamp::{Access, Stamp};
use crate::statement::{Wanted, expect_changed};
use crate::undo::Undo;
use crate::url::SqliteFlush;
use crate::value::Value;
use crate::{Columns, FromColumns, OpenError, Statement, StoreError, sql};

/// How long to wait for the write lock of another process: beyond it the database counts as out of reach.
pub(crate) const WAIT: Duration = Duration::from_secs(5);

/// Between two attempts to reach a database that is busy.
const PROBE_PAUSE: Duration = Duration::from_millis(50);

/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 256;

/// So many steps of SQLite's machine pass between two looks at the clock: some ten microseconds.
const STEPS: i32 = 4_000;

const SESSION_TO_READ: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA cache_size = -16384;";

const SESSION: &str = "
    PRAGMA journal_mode = WAL;
    -- Each commit flushes the log; NORMAL would lose the last ones when the power fails, but for the writer see there.
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    -- In pages of 4 KiB: fewer, longer checkpoints.
    PRAGMA wal_autocheckpoint = 4000;
    -- After a payload of 64 MiB the log shrinks again.
    PRAGMA journal_size_limit = 67108864;
    -- 16 MiB, in KiB.
    PRAGMA cache_size = -16384;";

/// A database's file.
#[derive(Clone)]
pub(crate) struct DatabaseFile {
    pub(crate) path: PathBuf,
    pub(crate) flush: SqliteFlush,
    /// The files that were opened.
    pub(crate) place: Arc<InPlace>,
    pub(crate) access: Access,
}

impl DatabaseFile {
    /// Makes the file if it is not there, and its log, which readers expect.
    pub(crate) fn open(path: &Path, flush: SqliteFlush) -> Result<Self, OpenError> {
        create(path).map_err(|cause| OpenError::File { path: path.display().to_string(), cause })?;
        let place = InPlace::of(path).map_err(|cause| OpenError::File { path: path.display().to_string(), cause })?;
        let file = Self { path: path.to_owned(), flush, place: Arc::new(place), access: Access::Writing };
        let stamp = Stamp::lock(path)?;
        let has_log = stamp.check_log()?;
        let mode = file.log_mode()?;
        if mode != "wal" {
            return Err(OpenError::Unsuitable(format!(
                "SQLite's log is in mode {mode} instead of wal, as on a network share"
            )));
        }
        if !has_log {
            stamp.renew(|number| file.set_number(number))?;
        }
        Ok(file)
    }

    /// Writes the number by which its log is told; whether it has reached the file itself.
    fn set_number(&self, number: u32) -> Result<bool, StoreError> {
        let mut connection = self.connect()?;
        connection.script(&format!("PRAGMA user_version = {number}"))?;
        let busy: Vec<i64> =
            connection.rows(&sql("PRAGMA wal_checkpoint(TRUNCATE)"), Wanted::First, &Authenticator::default())?;
        Ok(busy == [0])
    }

    /// Tries again and again: of several processes that turn a new file's log into a WAL at once, SQLite refuses all
    /// but one without letting them wait.
    fn log_mode(&self) -> Result<String, StoreError> {
        let started = Instant::now();
        loop {
            match self.connect().and_then(|mut connection| connection.texts("PRAGMA journal_mode")) {
                Err(StoreError::Unavailable(_)) if started.elapsed() < WAIT => thread::sleep(PROBE_PAUSE),
                outcome => return Ok(outcome?.concat()),
            }
        }
    }

    /// A connection that reads, and writes where this is not to be read alone.
    pub(crate) fn connect(&self) -> Result<Connection, StoreError> {
        self.place.check().map_err(StoreError::Unavailable)?;
        let (path, how) = match self.access {
            Access::Writing => (self.path.clone(), OpenFlags::SQLITE_OPEN_READ_WRITE),
            Access::Reading => (self.path.clone(), OpenFlags::SQLITE_OPEN_READ_ONLY),
            Access::Still => (self.still()?, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI),
        };
        let mut inner = rusqlite::Connection::open_with_flags(path, how | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // First: the rest may have to wait for another process.
        inner.busy_timeout(WAIT)?;
        inner.execute_batch(if self.access == Access::Writing { SESSION } else { SESSION_TO_READ })?;
        inner.set_prepared_statement_cache_capacity(STATEMENTS);
        // Plans do not depend on the values: else a prepared statement would be planned anew for each of many values.
        inner.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let deadline = Deadline::new();
        let clock = deadline.clone();
        inner.progress_handler(STEPS, Some(move || clock.is_over()))?;
        Ok(Connection { inner, deadline, parameters: Parameters::default(), undo: Undo::default() })
    }

    /// One for the writer, who keeps in memory what a savepoint can go back to: in a file each page that a work changes
    /// would be written once more. Only for the writer: a reader's large sort belongs into a file. It also keeps more of
    /// the database, since each insert changes a page at any place of some index: with 16 MiB, inserts among a million
    /// certificates took a tenth longer than among few. Where the store flushes by
    /// itself its commits do not: the [`Flusher`](crate::flush::Flusher) does.
    pub(crate) fn connect_writer(&self) -> Result<Connection, StoreError> {
        let mut connection = self.connect()?;
        connection.run("PRAGMA temp_store = MEMORY")?;
        // 64 MiB, in KiB.
        connection.run("PRAGMA cache_size = -65536")?;
        match self.flush {
            SqliteFlush::Own => connection.run("PRAGMA synchronous = NORMAL")?,
            SqliteFlush::Library => {}
        }
        // SQLite has opened them by now, and removes them only with the last connection.
        self.place.note_log();
        Ok(connection)
    }

    /// One that only reads.
    pub(crate) fn connect_reader(&self) -> Result<Connection, StoreError> {
        let mut connection = self.connect()?;
        connection.run("PRAGMA query_only = ON")?;
        Ok(connection)
    }
}

/// Makes the file as one that only its owner can read; SQLite gives its log the same mode.
fn create(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome.map(drop),
    }
}

/// An open connection.
pub(crate) struct Connection {
    inner: rusqlite::Connection,
    deadline: Deadline,
    parameters: Parameters,
    undo: Undo,
}

impl Connection {
    /// Statements that run for longer are interrupted from now on; none are with `None`.
    pub(crate) fn limit(&self, time: Option<Duration>) {
        self.deadline.set(time);
    }

    /// Runs a text of several statements, as migrations are.
    pub(crate) fn script(&mut self, text: &str) -> Result<(), StoreError> {
        Ok(self.inner.execute_batch(text)?)
    }

    /// A statement without parameters and without rows, such as the begin and the end of a transaction.
    pub(crate) fn run(&mut self, text: &'static str) -> Result<(), StoreError> {
        run(&self.inner, text)
    }

    /// A work begins: the first one of a transaction, or one that can be undone without the others.
    pub(crate) fn begin_work(&mut self, is_first: bool) {
        self.undo.begin(is_first);
    }

    /// The work has ended well, if what it has for later does.
    pub(crate) fn end_work(&mut self) -> Result<(), StoreError> {
        self.undo.end(&self.inner, &mut self.parameters)
    }

    /// Undoes the work, which was not the first one.
    pub(crate) fn undo_work(&mut self) -> Result<(), StoreError> {
        // What others wrote may have to be written again, whatever time the work took.
        self.limit(None);
        self.undo.undo(&self.inner, &mut self.parameters)
    }

    /// Runs a statement when the work has ended, or before its next one.
    pub(crate) fn later(&mut self, statement: Statement) {
        self.undo.later(statement);
    }

    /// Runs a statement and answers how many rows were changed.
    pub(crate) fn execute(&mut self, statement: &Statement) -> Result<u64, StoreError> {
        self.undo.own(&self.inner, &mut self.parameters)?;
        change(&self.inner, &mut self.parameters, statement)
    }

    /// The first of a statement's rows, or all. A statement that changes rows is always run to its end.
    pub(crate) fn rows<R: FromColumns>(
        &mut self,
        statement: &Statement,
        rows_wanted: Wanted,
        authenticator: &Authenticator,
    ) -> Result<Vec<R>, StoreError> {
        let only_first = rows_wanted == Wanted::First;
        let mut statement = self.parameters.bound(&self.inner, statement)?;
        let is_read = statement.readonly();
        if !is_read || self.undo.has_later() {
            self.undo.own(&self.inner, &mut self.parameters)?;
        }
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            match R::from_columns(&Columns::sqlite(row, authenticator)) {
                Err(StoreError::Unauthentic(_)) if rows_wanted == Wanted::Authentic => continue,
                row => found.push(row?),
            }
            if only_first && is_read {
                break;
            }
        }
        if only_first {
            found.truncate(1);
        }
        Ok(found)
    }

    /// The first column of each row.
    pub(crate) fn texts(&mut self, text: &'static str) -> Result<Vec<String>, StoreError> {
        self.rows(&sql(text), Wanted::All, &Authenticator::default())
    }
}

/// A statement without parameters and without rows.
pub(crate) fn run(connection: &rusqlite::Connection, text: &'static str) -> Result<(), StoreError> {
    connection.prepare_cached(text)?.raw_execute()?;
    Ok(())
}

/// Runs a statement and answers how many rows were changed.
pub(crate) fn change(
    connection: &rusqlite::Connection,
    parameters: &mut Parameters,
    statement: &Statement,
) -> Result<u64, StoreError> {
    let is_one = statement.changes_one;
    let mut statement = parameters.bound(connection, statement)?;
    let rows = if statement.column_count() == 0 {
        statement.raw_execute()? as u64
    } else {
        // One with RETURNING whose rows nobody wants.
        let mut rows = statement.raw_query();
        while rows.next()?.is_some() {}
        drop(rows);
        connection.changes()
    };
    expect_changed(is_one, rows)?;
    Ok(rows)
}

/// Which value each parameter of a text stands for. To SQLite `$2` is a name, which it gives a number of its own where
/// it meets it first in the text. Names are asked for and read once for each text that is part of the program: such a
/// text is told by its place and its length, since it never moves, changes or ends.
#[derive(Default)]
pub(crate) struct Parameters(HashMap<(usize, usize), Vec<usize>>);

impl Parameters {
    fn bound<'c>(
        &mut self,
        connection: &'c rusqlite::Connection,
        statement: &Statement,
    ) -> Result<CachedStatement<'c>, StoreError> {
        let (text, values) = statement.parts();
        let mut statement = connection.prepare_cached(text)?;
        let read;
        let numbers: &[usize] = match text {
            Cow::Borrowed(text) => match self.0.entry((text.as_ptr().addr(), text.len())) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(numbers(&statement)?),
            },
            Cow::Owned(_) => {
                read = numbers(&statement)?;
                &read
            }
        };
        for (index, &number) in (1..).zip(numbers.iter()) {
            let value = number.checked_sub(1).and_then(|place| values.get(place));
            let value = value.ok_or_else(|| StoreError::Internal(format!("no value for the parameter ${number}")))?;
            statement.raw_bind_parameter(index, value)?;
        }
        Ok(statement)
    }
}

/// What the parameters of a statement are called, in SQLite's order.
fn numbers(statement: &rusqlite::Statement<'_>) -> Result<Vec<usize>, StoreError> {
    let number = |index| {
        let name = statement.parameter_name(index).unwrap_or_default();
        let number = name.strip_prefix('$').and_then(|number| number.parse().ok());
        number.ok_or_else(|| StoreError::Internal(format!("a parameter that is called {name}")))
    };
    (1..=statement.parameter_count()).map(number).collect()
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Value::Number(Some(number)) => ValueRef::Integer(*number),
            Value::Bytes(Some(bytes)) => ValueRef::Blob(bytes),
            Value::Text(None) | Value::Number(None) | Value::Bytes(None) => ValueRef::Null,
        }))
    }
}

/// When the statements of a connection have to be over.
#[derive(Clone)]
struct Deadline {
    began: Instant,
    /// In microseconds since then.
    ends_us: Arc<AtomicU64>,
}

impl Deadline {
    fn new() -> Self {
        Self { began: Instant::now(), ends_us: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    fn set(&self, time: Option<Duration>) {
        let end = time.map_or(u64::MAX, |time| micros(self.began.elapsed() + time));
        self.ends_us.store(end, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        micros(self.began.elapsed()) > self.ends_us.load(Ordering::Relaxed)
    }
}

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Whether a later attempt may work after an error of this kind.
pub(crate) fn is_passing(code: rusqlite::ErrorCode) -> bool {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, OperationInterrupted, OutOfMemory, ReadOnly,
        SystemIoFailure,
    };
    matches!(
        code,
        DatabaseBusy
            | DatabaseLocked
            | OutOfMemory
            | ReadOnly
            | SystemIoFailure
            | DiskFull
            | CannotOpen
            | OperationInterrupted
    )
}
