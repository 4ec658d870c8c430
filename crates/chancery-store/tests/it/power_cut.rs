//! The power is cut, at thousands of places, and the store is opened on what may be on the disk then.
//!
//! A process writes and reads as fast as it can, and tells each answer; all that it does to the files is recorded at the
//! system's boundary, since the store's own flush does not go through SQLite. What was told before a cut must be there
//! after it.

mod disk;
mod trace;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chancery_store::{Columns, FromColumns, SqliteFlush, Store, StoreError, StoreUrl, Tx, sql};
use chancery_testkit::temp_dir;
use futures::future::join_all;

use self::disk::{Chance, Disk};
use self::trace::{Event, record};
use crate::harness::{Outcome, read, write};
use crate::row_keys::keys;

const WRITERS: usize = 8;

/// Works of each writer: so many that the log is folded into the file several times.
const WORKS: usize = 320;

/// What a work does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Writes its rows without looking at the outcome, so that it shares a savepoint with others.
    Later,
    /// Writes one at once, and the other one later.
    AtOnce,
    /// Besides, writes its writer's large row anew.
    Large,
    /// Is refused after it has written at once, or later.
    RefusedAtOnce,
    RefusedLater,
}

const KINDS: [Kind; 8] = [
    Kind::Later,
    Kind::Large,
    Kind::Later,
    Kind::RefusedLater,
    Kind::AtOnce,
    Kind::Large,
    Kind::RefusedAtOnce,
    Kind::Later,
];

impl Kind {
    /// Of a writer's works each has another kind than those of other writers at the same time.
    const fn of(writer: usize, number: usize) -> Self {
        KINDS[(writer + number * 3) % KINDS.len()]
    }

    const fn is_refused(self) -> bool {
        matches!(self, Self::RefusedAtOnce | Self::RefusedLater)
    }
}

const LARGE: usize = 64 * 1024;

/// What a row has: another content for each work.
fn content(writer: usize, number: usize, len: usize) -> Vec<u8> {
    let mut chance = Chance::new((writer * WORKS + number) as u64);
    let word: Vec<u8> = (0..61).map(|_| chance.below(256) as u8).collect();
    let mut content = word.repeat(len.div_ceil(word.len()));
    content.truncate(len);
    content
}

const fn small_len(number: usize) -> usize {
    40 + number % 7 * 50
}

async fn work(tx: &mut Tx, writer: usize, number: usize) -> Outcome<()> {
    let (of, at) = (writer as i64, number as i64);
    let kind = Kind::of(writer, number);
    let first = sql("INSERT INTO firsts (writer, number, bytes) VALUES ($1, $2, $3)");
    let first = first.bind(of).bind(at).bind(content(writer, number, small_len(number)));
    match kind {
        Kind::Later | Kind::RefusedLater => first.later(tx).await?,
        Kind::AtOnce | Kind::Large | Kind::RefusedAtOnce => drop(first.execute(tx).await?),
    }
    if kind == Kind::Large {
        let large = "INSERT INTO large (writer, number, bytes) VALUES ($1, $2, $3) \
                     ON CONFLICT (writer) DO UPDATE SET number = excluded.number, bytes = excluded.bytes";
        sql(large).bind(of).bind(at).bind(content(writer, number, LARGE)).later(tx).await?;
    }
    sql("INSERT INTO seconds (writer, number) VALUES ($1, $2)").bind(of).bind(at).later(tx).await?;
    if kind.is_refused() { Err(StoreError::Busy) } else { Ok(()) }
}

/// A line in one system call.
fn tell(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn url_of(folder: &Path) -> StoreUrl {
    StoreUrl::file(folder.join("x.db"))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the tests of this file, under their trace"]
async fn write_and_read() {
    let flush = if std::env::var_os("LIBRARY").is_some() { SqliteFlush::Library } else { SqliteFlush::Own };
    let url = url_of(Path::new(&std::env::var_os("FOLDER").unwrap())).flushed_by(flush);
    let store = Store::open(&url, keys()).await.unwrap();
    for table in [
        "CREATE TABLE firsts (writer BIGINT, number BIGINT, bytes BYTEA, PRIMARY KEY (writer, number))",
        "CREATE TABLE seconds (writer BIGINT, number BIGINT, PRIMARY KEY (writer, number), \
         FOREIGN KEY (writer, number) REFERENCES firsts (writer, number))",
        "CREATE TABLE large (writer BIGINT PRIMARY KEY, number BIGINT, bytes BYTEA)",
    ] {
        write(&store, move |tx| Box::pin(sql(table).execute(tx))).await.unwrap();
    }
    tell("made");
    let ended = Arc::new(AtomicBool::new(false));
    let (reader, is_ended) = (store.clone(), Arc::clone(&ended));
    let reads = tokio::spawn(async move {
        while !is_ended.load(Ordering::Relaxed) {
            let seen: Vec<String> = read(&reader, |tx| Box::pin(sql(NEWEST).all(tx))).await.unwrap();
            tell(&seen.join("\n"));
        }
    });
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 0..WORKS {
                let outcome = write(&store, move |tx| Box::pin(work(tx, writer, number))).await;
                assert_eq!(outcome.is_err(), Kind::of(writer, number).is_refused(), "{outcome:?}");
                if outcome.is_ok() {
                    tell(&format!("{writer} {number}"));
                }
            }
        })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    ended.store(true, Ordering::Relaxed);
    reads.await.unwrap();
    store.close().await;
}

/// What was written last of each writer, as it is told of an answer.
const NEWEST: &str = "SELECT CAST(writer AS TEXT) || ' ' || CAST(MAX(number) AS TEXT) FROM seconds GROUP BY writer";

/// What somebody knows of.
#[derive(Clone, Default)]
struct Known {
    are_made: bool,
    /// The newest work of each writer.
    newest: [Option<usize>; WRITERS],
}

impl Known {
    fn hear(&mut self, line: &str) {
        if line == "made" {
            self.are_made = true;
        }
        // Other lines are the test's harness's.
        let Some((writer, number)) = line.split_once(' ') else { return };
        if let (Ok(writer), Ok(number)) = (writer.parse::<usize>(), number.parse()) {
            self.newest[writer] = self.newest[writer].max(Some(number));
        }
    }
}

/// Opens the store on what a cut left, and looks at everything.
async fn look(folder: &Path, flush: SqliteFlush, known: &Known) -> Result<(), String> {
    let store = Store::open(&url_of(folder).flushed_by(flush), keys()).await.map_err(|error| error.to_string())?;
    let faults = store.integrity_check().await.map_err(|error| error.to_string())?;
    if !faults.is_empty() {
        return Err(faults.join("; "));
    }
    let tables = "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('firsts', 'seconds', 'large')";
    let tables: i64 = read(&store, move |tx| Box::pin(sql(tables).one(tx))).await.map_err(|error| error.to_string())?;
    if tables == 3 {
        look_at_rows(&store, known).await?;
        // It goes on from here.
        write(&store, |tx| Box::pin(work(tx, WRITERS, 0))).await.map_err(|error| error.to_string())?;
    } else if known.are_made {
        return Err(format!("{tables} tables of 3"));
    }
    store.close().await;
    Ok(())
}

/// By writer and number.
type Rows = HashMap<(usize, usize), Vec<u8>>;

struct Row {
    writer: i64,
    number: i64,
    bytes: Option<Vec<u8>>,
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Outcome<Self> {
        Ok(Row { writer: columns.get("writer")?, number: columns.get("number")?, bytes: columns.optional("bytes")? })
    }
}

async fn rows(store: &Store, text: &'static str) -> Result<Rows, String> {
    let rows: Outcome<Vec<Row>> = read(store, move |tx| Box::pin(sql(text).all(tx))).await;
    let rows = rows.map_err(|error| error.to_string())?.into_iter();
    Ok(rows.map(|row| ((row.writer as usize, row.number as usize), row.bytes.unwrap_or_default())).collect())
}

async fn look_at_rows(store: &Store, known: &Known) -> Result<(), String> {
    let firsts = rows(store, "SELECT writer, number, bytes FROM firsts").await?;
    let seconds = rows(store, "SELECT writer, number, NULL AS bytes FROM seconds").await?;
    let large = rows(store, "SELECT writer, number, bytes FROM large").await?;
    if firsts.len() != seconds.len() || !firsts.keys().all(|work| seconds.contains_key(work)) {
        return Err("half a work".to_owned());
    }
    for (writer, newest) in known.newest.iter().enumerate() {
        // The writer waits for each answer, so its works are there up to one, and none behind that.
        let last = firsts.keys().filter(|(of, _)| *of == writer).map(|(_, number)| *number).max();
        if last < *newest {
            return Err(format!("of writer {writer} {newest:?} was answered, {last:?} is there"));
        }
        let (mut newest_large, end) = (None, last.map_or(0, |last| last + 1));
        for number in 0..end {
            let kind = Kind::of(writer, number);
            let expected = (!kind.is_refused()).then(|| content(writer, number, small_len(number)));
            if firsts.get(&(writer, number)) != expected.as_ref() {
                return Err(format!("work {number} of writer {writer}, {kind:?}, is not what it was"));
            }
            newest_large = if kind == Kind::Large { Some(number) } else { newest_large };
        }
        let found: Vec<_> = large.iter().filter(|((of, _), _)| *of == writer).collect();
        let expected = newest_large.map(|number| ((writer, number), content(writer, number, LARGE)));
        if found != expected.iter().map(|(work, bytes)| (work, bytes)).collect::<Vec<_>>() {
            return Err(format!("the large row of writer {writer} is not that of {newest_large:?}"));
        }
    }
    Ok(())
}

/// Cuts the power at so many places.
async fn cut_power(flush: SqliteFlush, cuts: usize) {
    let folder = temp_dir();
    let data = folder.path().canonicalize().unwrap().join("data");
    std::fs::create_dir(&data).unwrap();
    let mut environment = vec![("FOLDER", data.to_str().unwrap())];
    if flush == SqliteFlush::Library {
        environment.push(("LIBRARY", "1"));
    }
    let events = record(&data, "power_cut::write_and_read", &environment);
    let folded =
        events.iter().filter(|event| matches!(event, Event::Flushed { name: Some(name), .. } if name == "x.db"));
    assert!(folded.count() > 2, "the log is folded into the file in between");
    let mut chance = Chance::new(cuts as u64);
    let mut places: Vec<_> = (0..cuts).map(|cut| place(cut, &events, &mut chance)).collect();
    places.sort_unstable();
    let (mut disk, mut known, mut next, mut told) = (Disk::default(), Known::default(), 0, 0);
    for (cut, place) in places.into_iter().enumerate() {
        for (at, event) in events.iter().enumerate().take(place).skip(next) {
            disk.follow(at, event);
            if let Event::Told(line) = event {
                known.hear(line);
                told += 1;
            }
        }
        next = place;
        let after = folder.path().join("after");
        std::fs::create_dir(&after).unwrap();
        for (name, contents) in disk.after_cut(&mut Chance::new(cut as u64)) {
            std::fs::write(after.join(name), contents).unwrap();
        }
        if let Err(what) = look(&after, flush, &known).await {
            panic!("{flush:?}: cut {cut} of {cuts}, after {place} of {} events: {what}", events.len());
        }
        std::fs::remove_dir_all(&after).unwrap();
    }
    println!("{flush:?}: {cuts} cuts, {} events, {told} answers", events.len());
    assert!(told > WRITERS * WORKS / 2, "{told}");
}

/// One cut of two comes right after somebody was told something, the other one anywhere.
fn place(cut: usize, events: &[Event], chance: &mut Chance) -> usize {
    let place = chance.below(events.len());
    if cut.is_multiple_of(2) {
        return place;
    }
    let told = events[place..].iter().position(|event| matches!(event, Event::Told(_)));
    told.map_or(events.len(), |further| place + further + 1)
}

fn cuts(short: usize, at_length: usize) -> usize {
    if std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { at_length } else { short }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_power_cut_all_that_was_answered_is_there_and_whole() {
    cut_power(SqliteFlush::Own, cuts(40, 2_500)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn so_it_is_where_sqlite_flushes_by_itself() {
    cut_power(SqliteFlush::Library, cuts(12, 500)).await;
}
