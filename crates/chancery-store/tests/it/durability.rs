//! What was answered is on the disk, even if the power fails.

use chancery_store::tables::settings;
use chancery_store::{Store, StoreUrl, sql};
use chancery_testkit::{Postgres, Tool, temp_dir};

use crate::harness::{Outcome, write};

/// Killing the process shows nothing, since the system writes its buffers later all the same. So a process of its own
/// runs under a trace of system calls, and tells each answer by writing to its standard error.
#[tokio::test]
async fn the_log_is_flushed_before_each_answer() {
    let folder = temp_dir();
    let (trace, database) = (folder.path().join("trace"), folder.path().join("x.db"));
    let me = std::env::current_exe().unwrap();
    let _ = Tool::new("strace")
        .args(["-f", "-y", "-e", "trace=fdatasync,write", "-o"])
        .arg(&trace)
        .args(["env", &format!("STORE={}", database.display())])
        .arg(me)
        .args(["--exact", "durability::answer_three_writes", "--ignored", "--nocapture"])
        .run();
    let trace = std::fs::read_to_string(trace).unwrap();
    let steps: Vec<_> = trace.lines().filter_map(step).collect();
    // Opening flushes, too; what counts is the step before each answer.
    let before_answers: Vec<_> = steps.windows(2).filter(|pair| pair[1] == "answer").map(|pair| pair[0]).collect();
    assert_eq!(before_answers, ["flush", "flush", "flush"], "{trace}");
}

#[tokio::test]
async fn a_postgres_that_answers_before_its_flush_is_overruled() {
    let database = tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap();
    database.psql(&format!("ALTER DATABASE {} SET synchronous_commit = off", database.name()));
    assert_eq!(database.psql("SHOW synchronous_commit"), "off");
    let store = Store::open(&database.address().parse().unwrap()).await.unwrap();
    const SETTING: &str = "SELECT CAST(current_setting('synchronous_commit') AS TEXT)";
    let setting: Outcome<String> = write(&store, |tx| Box::pin(sql(SETTING).one(tx))).await;
    assert_eq!(setting.as_deref(), Ok("on"));
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
    let store = Store::open(&StoreUrl::file(std::env::var("STORE").unwrap())).await.unwrap();
    for value in ["1", "2", "3"] {
        write(&store, move |tx| Box::pin(settings::set(tx, "x", value))).await.unwrap();
        eprintln!("answered");
    }
}
