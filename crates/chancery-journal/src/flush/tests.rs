use std::{
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    thread,
};

use futures::executor::block_on;

use super::*;

const FLUSH: Duration = Duration::from_millis(4);
const CLIENTS: u32 = 16;

const fn one(record: u64) -> Records {
    Records { first: record, last: record }
}

/// Clients that ask again as soon as they are answered, and a disk that takes 4 ms for a flush.
#[test]
fn whoever_was_answered_by_one_flush_is_in_the_next() {
    // A machine that is busy lets some of them come too late; it is not busy all the time.
    let is_good = (0..20).any(|_| {
        let (calls, most) = a_second_of_calls();
        println!("{calls} calls of {most} that one flush after the other could answer");
        // Where everybody missed every other flush it would be half.
        calls > most * 2 / 5
    });
    assert!(is_good);
}

/// How many calls were answered, and how many could be, one flush after the other, as long as each of them took.
fn a_second_of_calls() -> (u32, u32) {
    let (flush, written, ends) = (Flush::default(), AtomicU64::new(0), AtomicBool::new(false));
    let (flushes, flushed_us) = (AtomicU32::new(0), AtomicU64::new(0));
    let began = Instant::now();
    let flusher = || {
        flush.run(|| {
            let (record, began) = (written.load(Ordering::SeqCst), Instant::now());
            thread::sleep(FLUSH);
            flushes.fetch_add(1, Ordering::SeqCst);
            flushed_us.fetch_add(began.elapsed().as_micros() as u64, Ordering::SeqCst);
            flush.reached(record, true);
        });
    };
    let (calls, time) = thread::scope(|scope| {
        (0..FLUSHERS).for_each(|_| drop(scope.spawn(flusher)));
        let client = || {
            let mut calls = 0_u32;
            while !ends.load(Ordering::SeqCst) {
                let record = written.fetch_add(1, Ordering::SeqCst) + 1;
                if block_on(flush.wait(one(record))).is_err() {
                    break;
                }
                calls += 1;
            }
            calls
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        thread::sleep(Duration::from_secs(1));
        ends.store(true, Ordering::SeqCst);
        let time = began.elapsed();
        // The last ones are flushed; then nobody asks any more.
        thread::sleep(4 * FLUSH);
        flush.end();
        (clients.into_iter().map(|client| client.join().unwrap()).sum::<u32>(), time)
    });
    let flush_us = flushed_us.into_inner() / u64::from(flushes.into_inner().max(1));
    (calls, CLIENTS * (time.as_micros() as u64 / flush_us.max(1)) as u32)
}

/// The disk is busy with one who came before, for as long as it takes.
#[test]
fn whoever_missed_a_flush_waits_for_one_of_its_own() {
    let (flush, written, first) = (Flush::default(), AtomicU64::new(1), Mutex::new(()));
    let busy = first.lock().unwrap();
    thread::scope(|scope| {
        let flusher = || {
            flush.run(|| {
                let record = written.load(Ordering::SeqCst);
                let _busy = (record == 1).then(|| first.lock().unwrap());
                flush.reached(record, true);
            });
        };
        (0..FLUSHERS).for_each(|_| drop(scope.spawn(flusher)));
        let earlier = scope.spawn(|| block_on(flush.wait(one(1))));
        while flush.waiting().begun < 1 {
            thread::yield_now();
        }
        written.store(2, Ordering::SeqCst);
        assert_eq!(block_on(flush.wait(one(2))), Ok(()));
        // What was flushed with it is on the disk as well.
        assert_eq!(earlier.join().unwrap(), Ok(()));
        drop(busy);
        flush.end();
    });
}

#[test]
fn what_a_flush_failed_for_stays_failed_and_what_follows_is_good() {
    let flush = Flush::default();
    flush.reached(5, true);
    flush.reached(9, false);
    flush.reached(9, true);
    flush.reached(12, true);
    let outcomes: Vec<_> = [5, 6, 9, 10, 12].map(|record| block_on(flush.wait(one(record))).is_ok()).into();
    assert_eq!(outcomes, [true, false, false, true, true]);
    // A call of several records is on the disk when all of them are.
    let outcomes: Vec<_> = [(4, 5), (5, 6), (9, 12), (5, 12), (10, 12)]
        .map(|(first, last)| block_on(flush.wait(Records { first, last })).is_ok())
        .into();
    assert_eq!(outcomes, [true, false, false, false, true]);
    flush.end();
    assert_eq!(block_on(flush.wait(one(13))), Err(Failed::NotFlushed), "nobody waits for ever");
}
