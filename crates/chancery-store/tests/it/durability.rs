//! What was answered is on the disk, even if the power fails.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chancery_store::tables::settings;
use chancery_store::{Store, StoreError, StoreUrl, sql};
use chancery_testkit::{Postgres, Tool, temp_dir};

use crate::harness::{Outcome, read, write};
use crate::row_keys::keys;

/// Killing the process shows nothing, since the system writes its buffers later all the same. So a process of its own
/// runs under a trace of system calls, and tells each answer by writing to its standard error.
async fn traced(options: &[&str], test: &str) -> String {
    let folder = temp_dir();
    let (trace, database) = (folder.path().join("trace"), folder.path().join("x.db"));
    Store::open(&StoreUrl::file(&database), keys()).await.unwrap().close().await;
    let me = std::env::current_exe().unwrap();
    let ran = Tool::new("strace")
        .args(["-f", "-y", "-s", "4096", "-o"])
        .arg(&trace)
        .args(options)
        .args(["env", &format!("STORE={}", database.display())])
        .arg(me)
        .args(["--exact", test, "--ignored", "--nocapture"])
        .try_run();
    assert!(ran.status.success(), "{}\n{}", ran.text(), ran.stderr);
    std::fs::read_to_string(trace).unwrap()
}

/// Of works that come one after the other each has a flush of its own.
#[tokio::test]
async fn the_log_is_flushed_before_each_answer() {
    let trace = traced(&["-e", "trace=fdatasync,write"], "durability::answer_three_writes").await;
    let steps: Vec<_> = trace.lines().filter_map(step).collect();
    // Opening flushes, too; what counts is the step before each answer.
    let before_answers: Vec<_> = steps.windows(2).filter(|pair| pair[1] == "answer").map(|pair| pair[0]).collect();
    assert_eq!(before_answers, ["flush", "flush", "flush"], "{trace}");
}

fn step(line: &str) -> Option<&'static str> {
    let flushed =
        line.contains("fdatasync") && line.ends_with("= 0") && (line.contains("-wal>") || line.contains("resumed"));
    let answered = line.contains("write(2<") && line.contains("answered");
    if flushed {
        Some("flush")
    } else if answered {
        Some("answer")
    } else {
        None
    }
}

#[tokio::test]
#[ignore = "run by the_log_is_flushed_before_each_answer, under its trace"]
async fn answer_three_writes() {
    let store = Store::open(&StoreUrl::file(std::env::var("STORE").unwrap()), keys()).await.unwrap();
    for value in ["1", "2", "3"] {
        write(&store, move |tx| Box::pin(settings::set(tx, "x", value))).await.unwrap();
        eprintln!("answered");
    }
}

/// The works of a group share a flush, and the next group is written meanwhile. A slow disk gives each of them time to be
/// answered too early.
#[tokio::test]
async fn what_is_answered_or_seen_was_flushed_before() {
    let calls = ["-e", "trace=pwrite64,fdatasync,write", "-e", "inject=fdatasync:delay_exit=3000"];
    let trace = traced(&calls, "durability::write_and_read").await;
    let mut written = HashMap::new();
    let mut begun = HashMap::new();
    let mut flushes = Vec::new();
    let (mut answers, mut sights) = (0, 0);
    for (at, line) in trace.lines().enumerate() {
        let (thread, call) = line.split_once(' ').unwrap();
        let is_log = call.contains("-wal>");
        if call.trim_start().starts_with("pwrite64(") && is_log {
            for marker in markers(call, "mark") {
                written.entry(marker).or_insert(at);
            }
        } else if call.trim_start().starts_with("fdatasync(") && is_log {
            begun.insert(thread, at);
        }
        if call.contains("fdatasync") && call.contains(" = 0") {
            flushes.extend(begun.remove(thread));
        }
        if call.trim_start().starts_with("write(2<") {
            for (word, count) in [("answered", &mut answers), ("seen", &mut sights)] {
                for marker in markers(call, word) {
                    let written = written[&marker];
                    let was_flushed = flushes.iter().any(|begun| *begun > written);
                    assert!(was_flushed, "{word} {marker}, line {at}, written in line {written}, is not on the disk");
                    *count += 1;
                }
            }
        }
    }
    assert_eq!(answers, WRITERS * WRITES);
    assert_eq!(sights, WRITERS * WRITES);
}

/// The numbers after a word.
fn markers<'l>(line: &'l str, word: &'l str) -> impl Iterator<Item = usize> + 'l {
    let digits = |text: &'l str| text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())].parse();
    line.split(word).skip(1).filter_map(move |text| digits(text.trim_start_matches([':', ' '])).ok())
}

const WRITERS: usize = 8;
const WRITES: usize = 12;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by what_is_answered_or_seen_was_flushed_before, under its trace"]
async fn write_and_read() {
    let store = Store::open(&StoreUrl::file(std::env::var("STORE").unwrap()), keys()).await.unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let (reader, is_ended) = (store.clone(), Arc::clone(&ended));
    let reads = tokio::spawn(async move {
        let mut told = 0;
        let mut is_last = false;
        while !is_last {
            // What all have written by then is seen by this read.
            is_last = is_ended.load(Ordering::Acquire);
            const NEW: &str = "SELECT value FROM settings ORDER BY LENGTH(name), name";
            let seen: Vec<String> = read(&reader, |tx| Box::pin(sql(NEW).all(tx))).await.unwrap();
            for value in &seen[told..] {
                let number = markers(value, "mark").next().unwrap();
                // One system call for each line.
                std::io::stderr().write_all(format!("seen {number}.\n").as_bytes()).unwrap();
            }
            told = seen.len();
        }
    });
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for number in (0..WRITES).map(|round| round * WRITERS + writer) {
                write(&store, move |tx| {
                    Box::pin(async move {
                        let name: i64 = sql("SELECT COUNT(*) FROM settings").one(tx).await?;
                        settings::set(tx, &name.to_string(), &format!("mark:{number};")).await
                    })
                })
                .await
                .unwrap();
                std::io::stderr().write_all(format!("answered {number}.\n").as_bytes()).unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    ended.store(true, Ordering::Release);
    reads.await.unwrap();
}

/// After a flush that failed the system may take for written what is not. So the log is written again from its beginning,
/// and flushed, before anything more is written. Those that fail take longer too, so that both threads that flush have some
/// of them. Opening flushes some seven times, and has to succeed.
#[tokio::test]
async fn after_a_flush_that_failed_the_log_is_written_again() {
    let failing = ["-e", "trace=fdatasync,pwrite64", "-e", "inject=fdatasync:error=EIO:delay_exit=2000:when=8+3"];
    let trace = traced(&failing, "durability::write_in_spite_of_a_failure").await;
    let log: Vec<_> = trace.lines().filter(|line| line.contains("-wal>")).collect();
    let failures: Vec<_> = (0..log.len()).filter(|at| log[*at].contains("EIO")).collect();
    let threads: HashSet<_> = failures.iter().map(|at| log[*at].split(' ').next()).collect();
    assert!(threads.len() > 1, "{threads:?}");
    // From its head, which is 32 bytes long by itself when SQLite begins it anew.
    let is_rewrite =
        |line: &&str| line.contains("\"7\\177\\6") && line.contains(", 0) = ") && !line.contains(", 32, 0)");
    let rewrites = log.iter().filter(|line| is_rewrite(line)).count();
    // One may be for several that failed.
    let next_write = log[failures[0]..].iter().find(|line| line.contains("pwrite64")).unwrap();
    assert!(rewrites > 1 && is_rewrite(next_write), "{rewrites} {next_write}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by after_a_flush_that_failed_the_log_is_written_again, under its trace"]
async fn write_in_spite_of_a_failure() {
    let store = Store::open(&StoreUrl::file(std::env::var("STORE").unwrap()), keys()).await.unwrap();
    let set = |name: String| {
        let store = store.clone();
        async move {
            let outcome =
                write(&store, |tx| Box::pin(async move { settings::set(tx, &name, &name).await.map(|()| name) }));
            outcome.await
        }
    };
    let mut outcomes = Vec::new();
    for number in 0..12 {
        outcomes.push(set(format!("alone {number}")).await);
    }
    for round in 0..48 {
        outcomes.extend(futures::future::join_all((0..8).map(|number| set(format!("{round} {number}")))).await);
    }
    let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    assert!((2..outcomes.len()).contains(&failed), "every third flush of each thread: {failed} works");
    for outcome in outcomes {
        match outcome {
            Ok(name) => {
                let wanted = name.clone();
                let found = read(&store, |tx| Box::pin(async move { settings::value(tx, &wanted).await })).await;
                assert_eq!(found, Ok(Some(name)));
            }
            Err(error) => assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}"),
        }
    }
}

#[tokio::test]
async fn a_postgres_that_answers_before_its_flush_is_overruled() {
    let database = tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap();
    database.psql(&format!("ALTER DATABASE {} SET synchronous_commit = off", database.name()));
    assert_eq!(database.psql("SHOW synchronous_commit"), "off");
    let store = Store::open(&database.address().parse().unwrap(), keys()).await.unwrap();
    const SETTING: &str = "SELECT CAST(current_setting('synchronous_commit') AS TEXT)";
    let setting: Outcome<String> = write(&store, |tx| Box::pin(sql(SETTING).one(tx))).await;
    assert_eq!(setting.as_deref(), Ok("on"));
}
