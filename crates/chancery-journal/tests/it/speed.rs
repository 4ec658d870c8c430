//! What a record and a value cost: printed with `--nocapture`, and held against bounds that only a mistake exceeds.

use std::{fs, time::Duration};

use super::*;

/// How long this thread has had a processor: tests share theirs with others.
fn busy() -> Duration {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(statistics.split(' ').next().unwrap().parse().unwrap())
}

#[test]
fn what_a_call_and_a_value_cost() {
    const CALLS: u32 = 200_000;
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_bytes: 64 << 20, ..options(folder.path(), &Time::default()) };
    let journal = Journal::open(options, &TestKeys).unwrap().journal;
    let began = busy();
    for _ in 0..CALLS {
        journal.append(&reads(&journal, "4111111111111111")).unwrap();
    }
    let call = (busy() - began) / CALLS;
    let tokens: String = (0..100_000).map(|number| format!("{number:016}")).collect();
    let began = busy();
    for _ in 0..10 {
        let tags = journal.tags_of_even(&tokens, 16, 100_000);
        journal.append(&Call { tags, total: 100_000, ..super::call() }).unwrap();
    }
    let value = (busy() - began).as_nanos() as f64 / 1e6;
    let began = busy();
    for _ in 0..10 {
        std::hint::black_box(journal.tags_of_even(&tokens, 16, 100_000));
    }
    let tag = (busy() - began).as_nanos() as f64 / 1e6;
    println!("a tag: {tag:.2} ns");
    println!("a call: {call:?}; a value of a batch: {value:.2} ns");
    assert!(call.as_micros() < 50 && value < 500.0, "{call:?}, {value} ns");
}
