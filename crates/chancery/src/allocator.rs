//! The allocator of the process: mimalloc, for the C libraries too (SQLite, aws-lc); told to give back soon what is free;
//! and no huge pages.
//!
//! The hot path allocates a few dozen times a request: this one does so faster than the system's. By itself it keeps
//! what was freed for a second, and looks again only when more is freed: an idle server would hold what its last logins
//! took, 19 MiB for each password that was checked. What is given back too soon is only fetched again: 10 ms instead of
//! 100 cost an RSA signature some 15 µs.
//!
//! It also asks the system for huge pages. The system then fills what was given back: it makes one page of 2 MiB of
//! wherever a single page of 4 KiB is left in use, so that a server under load grows for minutes, by half of what it had,
//! with nothing in it. Single calls and batches were measured to take no more of the processor without.
#![expect(unsafe_code, reason = "mimalloc's options are set through its C interface")]

use std::{ffi::c_long, time::Duration};

use libmimalloc_sys::{mi_collect, mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` (mimalloc.h), which the crate does not name.
const PURGE_DELAY: mi_option_t = 15;

/// In milliseconds.
const SOON: c_long = 100;

/// How often somebody looks for what is free for that long, also where nobody frees more.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What every command does.
pub(crate) fn take_no_huge_pages() {
    // Where the system has no such switch the process is only larger.
    let _as_before = rustix::thread::disable_transparent_huge_pages(true);
}

/// To be called before there is a second thread, by what goes on for long. A client's command ends, and what it gives back it
/// fetches again: files of Parquet take a tenth less of the processor with mimalloc's own second.
pub(crate) fn give_back_soon() {
    // SAFETY: the function sets one number; it is documented to be no thread's friend, and there is one thread.
    unsafe { mi_option_set(PURGE_DELAY, SOON) }
}

/// Gives back again and again what is free.
pub(crate) async fn give_back_in_turn() {
    let mut turn = tokio::time::interval(LOOK_EVERY);
    loop {
        turn.tick().await;
        give_back();
    }
}

fn give_back() {
    // SAFETY: the function may be called from every thread at any time.
    unsafe { mi_collect(false) }
}

#[cfg(test)]
mod tests {
    use libmimalloc_sys::mi_option_get;

    use super::*;

    /// One test: what it looks at belongs to the process.
    #[test]
    fn the_option_is_the_one_that_is_meant_and_there_are_no_huge_pages() {
        // SAFETY: the function reads one number.
        let delay = || unsafe { mi_option_get(PURGE_DELAY) };
        assert_eq!(delay(), 1_000, "mimalloc's own");
        take_no_huge_pages();
        give_back_soon();
        assert_eq!(delay(), SOON);
        assert!(rustix::thread::transparent_huge_pages_are_disabled().unwrap());
    }
}
