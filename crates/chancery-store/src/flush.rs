//! The flush of SQLite's log, beside the writer: while one group is flushed, the next one is written.
//!
//! SQLite itself would flush in each commit, and the writer could do nothing meanwhile; on a disk that takes milliseconds
//! that is most of its time. So its commits do not flush. Its works are answered when the log has been flushed here, and
//! whoever reads a commit is answered when that commit has been flushed too.
//!
//! With [`SqliteFlush::Library`](crate::SqliteFlush) SQLite flushes in each commit after all, and here nothing is left to do.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::StoreError;
use crate::sqlite::{Connection, WAIT, micros};
use crate::work::Job;

/// From here on a flush takes longer than what else is to be done meanwhile.
const LONG_FLUSH_US: u64 = 1_000;

/// How many commits there have been, and how many of them are on the disk. Clones share it.
#[derive(Clone)]
pub(crate) struct Durability(Arc<Counts>);

struct Counts {
    committed: AtomicU64,
    flushed: watch::Sender<u64>,
    /// How long the last flush took.
    flush_us: AtomicU64,
    /// A flush failed. The system may have forgotten then what it could not write, so that a later flush would say nothing
    /// of it: nothing is flushed until the writer has found another way.
    has_failed: AtomicBool,
}

impl Durability {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Counts {
            committed: AtomicU64::new(0),
            flushed: watch::Sender::new(0),
            flush_us: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
        }))
    }

    /// Before a commit, since whoever sees what it wrote must find it counted; its number.
    fn committing(&self) -> u64 {
        self.0.committed.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The commits up to this one are on the disk.
    fn reached(&self, commit: u64) {
        self.0.flushed.send_replace(commit);
    }

    fn committed(&self) -> u64 {
        self.0.committed.load(Ordering::SeqCst)
    }

    /// Flushes the log, which has everything up to this commit. Without one SQLite has flushed the commit already.
    fn flush(&self, log: Option<&File>, commit: u64) -> Result<(), StoreError> {
        let Some(log) = log else {
            self.reached(commit);
            return Ok(());
        };
        if self.0.has_failed.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("the log was not flushed before".into()));
        }
        let began = Instant::now();
        let outcome = log.sync_data();
        self.0.flush_us.store(micros(began.elapsed()), Ordering::Relaxed);
        if let Err(error) = outcome {
            self.0.has_failed.store(true, Ordering::SeqCst);
            return Err(StoreError::Unavailable(format!("the log was not flushed: {error}")));
        }
        self.reached(commit);
        Ok(())
    }

    /// After a look at the database: returns when all that it may have seen is on the disk.
    pub(crate) async fn of_what_was_seen(&self) -> Result<(), StoreError> {
        let seen = self.committed();
        if *self.0.flushed.borrow() >= seen {
            return Ok(());
        }
        let mut flushed = self.0.flushed.subscribe();
        let reached = timeout(WAIT, flushed.wait_for(|flushed| *flushed >= seen)).await;
        reached.map_err(|_| StoreError::Unavailable("the disk does not flush".into()))?.map_err(|_| ended())?;
        Ok(())
    }
}

/// Works that ran in one transaction.
pub(crate) type Group = Vec<Box<dyn Job>>;

/// A transaction that may be committed, but not yet on the disk.
struct Committed {
    /// The last commit that its answers rest on.
    commit: u64,
    group: Group,
}

/// The thread that flushes, as the writer sees it.
pub(crate) struct Flusher {
    groups: Sender<Committed>,
    ends: Receiver<Result<(), StoreError>>,
    /// Groups that it has not answered.
    waiting: usize,
    log: Option<Arc<File>>,
    durability: Durability,
}

impl Flusher {
    pub(crate) fn start(log: Option<File>, durability: Durability) -> io::Result<Self> {
        let (groups, committed) = channel::<Committed>();
        let (ended, ends) = channel();
        let (runtime, log) = (Handle::current(), log.map(Arc::new));
        let flusher = Self { groups, ends, waiting: 0, log: log.clone(), durability: durability.clone() };
        let Some(log) = log else { return Ok(flusher) };
        thread::Builder::new().name("store flusher".into()).spawn(move || {
            let _entered = runtime.enter();
            while let Ok(first) = committed.recv() {
                // All that were committed by now, with one flush.
                let groups: Vec<_> = std::iter::once(first).chain(committed.try_iter()).collect();
                let last = groups.last().map_or(0, |committed| committed.commit);
                let outcome = durability.flush(Some(&log), last);
                for Committed { group, .. } in groups {
                    answer(group, &outcome);
                    // A writer that has ended needs no word.
                    let _ = ended.send(outcome.clone());
                }
            }
        })?;
        Ok(flusher)
    }

    /// Commits on this connection; answers the number of the commit.
    pub(crate) fn commit(&mut self, connection: &mut Connection) -> Result<u64, StoreError> {
        let commit = self.durability.committing();
        if let Err(failure) = connection.run("COMMIT") {
            // Nobody has seen what it wrote: with the ones before it all that was seen is on the disk.
            self.wait()?;
            self.durability.reached(commit);
            return Err(failure);
        }
        Ok(commit)
    }

    /// Whether flushes take so long that a thread for them is worth what it costs.
    fn flushes_are_long(&self) -> bool {
        self.durability.0.flush_us.load(Ordering::Relaxed) > LONG_FLUSH_US
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.durability.0.has_failed.load(Ordering::SeqCst)
    }

    /// All that was committed is on the disk after all.
    pub(crate) fn repaired(&self) {
        self.durability.reached(self.durability.committed());
        self.durability.0.has_failed.store(false, Ordering::SeqCst);
    }

    /// Whether it has nothing to do, after so much time at the most; or the failure of a flush.
    pub(crate) fn is_free(&mut self, within: Duration) -> Result<bool, StoreError> {
        let end = Instant::now() + within;
        while self.waiting > 0 {
            match self.ends.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(outcome) => {
                    self.waiting -= 1;
                    outcome?;
                }
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                Err(RecvTimeoutError::Disconnected) => {
                    // What became of its groups nobody knows.
                    self.waiting = 0;
                    self.durability.0.has_failed.store(true, Ordering::SeqCst);
                    return Err(ended());
                }
            }
        }
        Ok(true)
    }

    /// Returns when it has nothing to do, with the first failure.
    pub(crate) fn wait(&mut self) -> Result<(), StoreError> {
        while !self.is_free(WAIT)? {}
        Ok(())
    }

    /// Returns when it has nothing to do, whatever became of what it had.
    pub(crate) fn drain(&mut self) {
        // Nothing more comes of a thread that is gone.
        while self.waiting > 0 && self.ends.recv().is_ok() {
            self.waiting -= 1;
        }
        self.waiting = 0;
    }

    /// Answers a group when all up to this commit is on the disk. A single one is flushed on this thread, since nobody else
    /// is there for it to do anything meanwhile, and so are all where that does not take long, or where the next ones are
    /// to gather first.
    pub(crate) fn flush(&mut self, commit: u64, group: Group, next_gather: bool) -> Result<(), StoreError> {
        let committed = Committed { commit, group };
        let is_worth_it = committed.group.len() > 1 && self.flushes_are_long() && !next_gather;
        if self.waiting > 0 || is_worth_it {
            self.waiting += 1;
            let Err(refused) = self.groups.send(committed) else { return Ok(()) };
            // The thread is gone.
            self.waiting -= 1;
            return self.flush_here(refused.0);
        }
        self.flush_here(committed)
    }

    fn flush_here(&self, Committed { commit, group }: Committed) -> Result<(), StoreError> {
        let outcome = self.durability.flush(self.log.as_deref(), commit);
        answer(group, &outcome);
        outcome
    }

    /// Answers a group that changed nothing. A refusal may rest on what the groups before it wrote.
    pub(crate) fn refuse(&mut self, group: Group) -> Result<(), StoreError> {
        match self.is_free(Duration::ZERO) {
            Ok(false) => self.flush(self.durability.committed(), group, false),
            outcome => {
                let outcome = outcome.map(drop);
                answer(group, &outcome);
                outcome
            }
        }
    }

    /// Whether it has so many groups before it that one more would only wait.
    pub(crate) const fn is_full(&self) -> bool {
        self.waiting > 1
    }
}

/// Answers a group, in a task of the runtime where there are several: each answer from here would wake a thread of it, which
/// would often interrupt this one between two of them.
pub(crate) fn answer(mut group: Group, ended: &Result<(), StoreError>) {
    if group.len() > 1 {
        let ended = ended.clone();
        tokio::spawn(async move { group.into_iter().for_each(|job| job.answer(ended.clone())) });
    } else if let Some(job) = group.pop() {
        job.answer(ended.clone());
    }
}

fn ended() -> StoreError {
    StoreError::Unavailable("the thread that flushes ended".into())
}
