//! The journal through its front door, on real files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod keys;
mod kills;
mod life;
mod pieces;
mod speed;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use chancery_journal::{Call, Journal, Opened, Options, SEGMENT_BYTES_MIN, View, Walk, Walked, walk};
use keys::TestKeys;
use uuid::Uuid;

const HOUR_MS: i64 = 3_600_000;

/// A clock that tests set.
#[derive(Clone, Default)]
struct Time(Arc<AtomicI64>);

impl Time {
    fn set(&self, ms: i64) {
        self.0.store(ms, Ordering::Relaxed);
    }
}

fn options(folder: &Path, time: &Time) -> Options {
    let time = time.clone();
    let now_ms = Arc::new(move || time.0.load(Ordering::Relaxed));
    let (folder, segment_bytes) = (folder.to_owned(), SEGMENT_BYTES_MIN);
    Options { folder, segment_bytes, keep_ms: HOUR_MS, steady: Duration::ZERO, now_ms }
}

fn open(folder: &Path) -> Opened {
    Journal::open(options(folder, &Time::default()), &TestKeys).unwrap()
}

/// A call that reads one token.
fn reads<'c>(journal: &Journal, token: &str) -> Call<'c> {
    Call { tags: journal.tag(token).to_vec(), ..call() }
}

fn call<'c>() -> Call<'c> {
    Call {
        time_ms: 1_000,
        request: 7,
        session: Uuid::from_u128(1),
        source: "192.0.2.1".parse().unwrap(),
        profile: Uuid::from_u128(2),
        key_version: 1,
        first: 0,
        total: 1,
        view: View::Full,
        members: vec![Uuid::from_u128(3)],
        action: "Detokenize",
        outcome: "Success",
        tags: Vec::new(),
    }
}

/// What is in a folder; fails where something is wrong with it.
fn tags_in(folder: &Path) -> Vec<[u8; 8]> {
    let mut tags = Vec::new();
    let walked = walked(folder, &Walk::default(), &mut tags);
    assert_eq!(walked.faults, []);
    tags
}

fn walked(folder: &Path, what: &Walk, tags: &mut Vec<[u8; 8]>) -> Walked {
    let mut visit = |found: chancery_journal::Found<'_>| {
        tags.extend(found.call.tags.chunks_exact(8).map(|tag| <[u8; 8]>::try_from(tag).unwrap()));
    };
    walk(folder, &TestKeys, what, &mut visit).unwrap()
}

/// Waits until something holds, which the journal's thread does.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
