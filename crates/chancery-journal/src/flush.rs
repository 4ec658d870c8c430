//! Waiting for the disk, together: one flush answers all who waited when it began. Two may be under way: whoever has just
//! missed one need not wait for its end.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use crate::failed::Failed;

/// Flushes that may be under way.
pub(crate) const FLUSHERS: usize = 2;

/// After a flush the next one waits until as many as were answered have come again, but no longer than this part of the
/// time that a flush takes: otherwise whoever is answered by one would miss the next.
const GATHER: u32 = 4;
const GATHER_MAX: Duration = Duration::from_millis(2);

/// Who waits for the disk.
#[derive(Default)]
pub(crate) struct Flush {
    waiting: Mutex<Waiting>,
    asks: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// Records up to this one are on the disk, but for those that failed.
    flushed: u64,
    /// Records whose flush failed: the last by the first.
    failed: BTreeMap<u64, u64>,
    /// The newest record that somebody waits for.
    wanted: u64,
    /// The newest one that was waited for when a flush began.
    begun: u64,
    /// How many have asked since the last flush began.
    asked: usize,
    /// With the record that each one waits for.
    wakers: Vec<(u64, Waker)>,
    ends: bool,
}

/// The records of a call: those from its first to its last, and maybe some of others between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Records {
    /// The number of its first one.
    pub first: u64,
    /// The number of its last one.
    pub last: u64,
}

/// Ends when the records of a call are on the disk.
#[must_use = "it waits only when it is awaited"]
pub struct Flushed<'j> {
    flush: &'j Flush,
    records: Records,
    has_asked: bool,
}

impl Flush {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) const fn wait(&self, records: Records) -> Flushed<'_> {
        Flushed { flush: self, records, has_asked: false }
    }

    /// Whether this record was flushed, well or not.
    pub(crate) fn has_reached(&self, record: u64) -> bool {
        self.waiting().flushed >= record
    }

    /// Records up to this one are on the disk; or those that were not before are not, and it cannot be told.
    pub(crate) fn reached(&self, record: u64, is_good: bool) {
        let mut waiting = self.waiting();
        if !is_good && record > waiting.flushed {
            let first = waiting.flushed + 1;
            waiting.failed.insert(first, record);
        }
        let flushed = waiting.flushed.max(record);
        waiting.flushed = flushed;
        // Those of the other flush sleep on.
        waiting.wakers.extract_if(.., |(record, _)| *record <= flushed).for_each(|(_, waker)| waker.wake());
    }

    /// Nobody is answered any more who is not answered yet.
    pub(crate) fn end(&self) {
        let mut waiting = self.waiting();
        waiting.ends = true;
        waiting.wakers.drain(..).for_each(|(_, waker)| waker.wake());
        self.asks.notify_all();
    }

    /// Flushes whenever somebody waits, until the end. For each of [`FLUSHERS`] threads.
    pub(crate) fn run(&self, flush: impl Fn()) {
        let mut answered = 0;
        let mut took = Duration::ZERO;
        loop {
            let waiting = self.waiting();
            let rests = |waiting: &mut Waiting| !waiting.is_wanted() && !waiting.ends;
            let waiting = self.asks.wait_while(waiting, rests).unwrap_or_else(PoisonError::into_inner);
            let gather = (took / GATHER).min(GATHER_MAX);
            let few = |waiting: &mut Waiting| waiting.is_wanted() && waiting.asked < answered && !waiting.ends;
            let gathered = self.asks.wait_timeout_while(waiting, gather, few);
            let mut waiting = gathered.unwrap_or_else(PoisonError::into_inner).0;
            if waiting.ends {
                return;
            }
            if !waiting.is_wanted() {
                // Another thread flushes for them.
                continue;
            }
            waiting.begun = waiting.wanted;
            answered = std::mem::take(&mut waiting.asked);
            drop(waiting);
            let began = Instant::now();
            flush();
            took = began.elapsed();
        }
    }
}

impl Waiting {
    /// Whether somebody waits for whom no flush has begun.
    fn is_wanted(&self) -> bool {
        self.wanted > self.flushed.max(self.begun)
    }

    /// Whether one of these failed: the first ones may lie in a segment that could not be flushed, and the last in the next.
    fn has_failed(&self, records: Records) -> bool {
        self.failed.range(..=records.last).next_back().is_some_and(|(_, last)| records.first <= *last)
    }
}

impl Future for Flushed<'_> {
    type Output = Result<(), Failed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let (flush, last) = (self.flush, self.records.last);
        let mut waiting = flush.waiting();
        if waiting.has_failed(self.records) {
            return Poll::Ready(Err(Failed::NotFlushed));
        }
        if waiting.flushed >= last {
            return Poll::Ready(Ok(()));
        }
        if waiting.ends {
            return Poll::Ready(Err(Failed::NotFlushed));
        }
        waiting.wakers.push((last, context.waker().clone()));
        if !self.has_asked {
            waiting.wanted = waiting.wanted.max(last);
            waiting.asked += 1;
            flush.asks.notify_all();
        }
        drop(waiting);
        self.has_asked = true;
        Poll::Pending
    }
}

#[cfg(test)]
mod tests;
