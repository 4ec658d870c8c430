//! Group commit on SQLite: one writer, one flush for all works that wait.
//!
//! A durable commit costs a flush of the disk, some milliseconds; SQLite has one writer at a time. So the writer, a
//! thread of its own, takes what has queued up, runs each work in the same transaction, commits once, and lets the flusher
//! flush that and answer all. What arrives while one group is flushed joins the next one. Nobody waits for company that may
//! never come, unless many are announced: then the writer waits a little for some of them before it commits, since each
//! commit costs as much as several works, and wakes somebody.

use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use crate::authority::Authenticator;
use crate::backend::Backend;
use crate::flush::{Durability, Flusher, Group, answer};
use crate::sqlite::{Connection, DatabaseFile};
use crate::wal::Log;
use crate::work::{Job, Verdict, WORK_TIME};
use crate::{StoreError, Tx};

/// Works that may wait; more are refused as Busy.
const QUEUE: usize = 4096;

/// Works in one transaction: above this the flush costs next to nothing per work.
const GROUP: usize = 512;

/// After this time no more works join: the first one waits for its answer all the while.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// So many works are company enough: more save little.
const COMPANY: usize = 24;

/// Works that must be announced for anybody to wait: with fewer the cores would soon have nothing to do.
const ANNOUNCED_MIN: usize = 24;

/// How long the first work waits for company: as long as two cores make so many signatures.
const COMPANY_TIME: Duration = Duration::from_millis(12);

/// While the flusher has something to do, the writer looks so often for more works.
const BREATH: Duration = Duration::from_millis(1);

/// Between two attempts to write a log again that could not be flushed.
const REPAIR_PAUSE: Duration = Duration::from_millis(100);

/// How many works are announced.
#[derive(Clone, Default)]
pub(crate) struct Coming(Arc<AtomicUsize>);

impl Coming {
    pub(crate) fn announce(&self) -> Announced {
        self.0.fetch_add(1, Ordering::Relaxed);
        Announced(Some(self.clone()))
    }

    fn are_many(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= ANNOUNCED_MIN
    }
}

/// A work that is on its way, until this is dropped.
#[must_use]
pub struct Announced(Option<Coming>);

impl Announced {
    /// Where nobody listens.
    pub(crate) const fn to_nobody() -> Self {
        Self(None)
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        if let Some(coming) = &self.0 {
            coming.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What the writer is asked for.
pub(crate) enum Order {
    Run(Box<dyn Job>),
    /// To end its connection and itself; dropped when that is done.
    Close(oneshot::Sender<()>),
}

pub(crate) type Queue = mpsc::Sender<Order>;

/// Starts the writer. It ends when it is told to, or when the queue's last sender is gone and all that was queued is
/// answered.
pub(crate) fn start(
    file: DatabaseFile,
    log: Log,
    coming: Coming,
    durability: Durability,
    authenticator: Authenticator,
) -> io::Result<Queue> {
    let (sender, queue) = mpsc::channel(QUEUE);
    let Log { file: flushed, anchor } = log;
    let (runtime, flusher) = (Handle::current(), Flusher::start(flushed, durability)?);
    thread::Builder::new().name("store writer".into()).spawn(move || {
        // A work may use the runtime's clock.
        let _entered = runtime.enter();
        Writer { queue, coming, file, authenticator, flusher, anchor, idle: None, last: None }.serve();
    })?;
    Ok(sender)
}

struct Writer {
    queue: mpsc::Receiver<Order>,
    coming: Coming,
    file: DatabaseFile,
    authenticator: Authenticator,
    flusher: Flusher,
    /// Keeps the log where it is.
    anchor: Connection,
    /// Between two transactions; after one that did not end well a new one is made.
    idle: Option<Connection>,
    /// What ends the writer after this group.
    last: Option<oneshot::Sender<()>>,
}

impl Writer {
    fn serve(mut self) {
        while self.last.is_none() {
            let mut group = Vec::new();
            let outcome = match self.order() {
                Ok(Some(order)) => match self.job(order) {
                    Some(first) => {
                        wait_for_company(&self.coming, || self.queue.len() + 1);
                        self.run(first, &mut group)
                    }
                    None => break,
                },
                Ok(None) => break,
                Err(failure) => Err(failure),
            };
            if let Err(error) = outcome {
                tracing::error!(%error, works = group.len(), "a group of writes failed");
                answer(group, &Err(error));
                self.repair_until_it_works();
            }
        }
        // The file is closed before anybody is told so, and nothing is closed before it is flushed.
        self.flusher.drain();
        drop((self.idle, self.anchor));
        drop(self.last);
    }

    /// The next order, if any more come; or that a flush failed meanwhile.
    fn order(&mut self) -> Result<Option<Order>, StoreError> {
        loop {
            match self.queue.try_recv() {
                Ok(order) => return Ok(Some(order)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) if self.flusher.is_free(BREATH)? => return Ok(self.queue.blocking_recv()),
                Err(TryRecvError::Empty) => {}
            }
        }
    }

    /// At once, not with the next work: who has read what was not flushed waits for it.
    fn repair_until_it_works(&mut self) {
        while self.flusher.has_failed()
            && self.last.is_none()
            && !self.queue.is_closed()
            && let Err(error) = self.repair()
        {
            tracing::error!(%error, "the log could not be written again either");
            // Those that came meanwhile would only wait for the same failure.
            let waiting = std::iter::from_fn(|| self.next()).take(QUEUE).collect();
            answer(waiting, &Err(error));
            thread::sleep(REPAIR_PAUSE);
        }
    }

    /// Writes the log once more, and flushes it: after a power failure nothing behind what was not flushed would be found.
    fn repair(&mut self) -> Result<(), StoreError> {
        self.flusher.drain();
        self.file.rewrite_log(&mut self.anchor)?;
        self.flusher.repaired();
        Ok(())
    }

    fn job(&mut self, order: Order) -> Option<Box<dyn Job>> {
        match order {
            Order::Run(job) => Some(job),
            Order::Close(told) => {
                self.last = Some(told);
                None
            }
        }
    }

    fn next(&mut self) -> Option<Box<dyn Job>> {
        if self.last.is_some() {
            return None;
        }
        let order = self.queue.try_recv().ok()?;
        self.job(order)
    }

    /// Runs and commits one group. Every job taken from the queue is in `group` until it is answered.
    fn run(&mut self, first: Box<dyn Job>, group: &mut Group) -> Result<(), StoreError> {
        group.push(first);
        let mut tx = match self.begin() {
            Ok(tx) => tx,
            Err(failure) => {
                // The others would only wait for the same failure.
                group.extend(std::iter::from_fn(|| self.next()).take(QUEUE));
                return Err(failure);
            }
        };
        let is_kept = self.fill(&mut tx, group)?;
        let mut connection = tx.into_sqlite()?;
        connection.limit(None);
        if is_kept {
            let commit = self.flusher.commit(&mut connection)?;
            self.idle = Some(connection);
            return self.flusher.flush(commit, mem::take(group), self.coming.are_many());
        }
        connection.run("ROLLBACK")?;
        self.idle = Some(connection);
        self.flusher.refuse(mem::take(group))
    }

    fn begin(&mut self) -> Result<Tx, StoreError> {
        if self.flusher.has_failed() {
            return Err(StoreError::Unavailable("the log was not flushed".into()));
        }
        if self.idle.is_none() {
            // With the last connection SQLite may have removed its log.
            self.file.place.forget_log();
        }
        self.file.place.check().map_err(StoreError::Unavailable)?;
        let connection = self.idle.take().map_or_else(|| self.file.connect_writer(), Ok)?;
        Tx::on_sqlite(connection, Backend::Sqlite.begin_write(), self.authenticator.clone())
    }

    /// Runs jobs until none waits and they are many, or the groups before are on the disk; whether there is something to
    /// commit.
    fn fill(&mut self, tx: &mut Tx, group: &mut Group) -> Result<bool, StoreError> {
        let started = Instant::now();
        let may_join = |group: &Group| group.len() < GROUP && started.elapsed() < GROUP_TIME;
        let mut kept = 0_usize;
        let mut next = group.pop();
        loop {
            while let Some(mut job) = next {
                if job.is_abandoned() {
                    next = self.next();
                    continue;
                }
                let connection = tx.sqlite()?;
                connection.limit(Some(WORK_TIME));
                connection.begin_work(kept == 0);
                let verdict = job.run(tx);
                group.push(job);
                match verdict {
                    Verdict::Keep => kept += 1,
                    Verdict::Undo if kept == 0 => return Ok(false),
                    Verdict::Undo => tx.undo()?,
                }
                next = if may_join(group) { self.next() } else { None };
            }
            if (group.len() >= COMPANY && !self.flusher.is_full()) || self.flusher.is_free(BREATH)? {
                return Ok(kept > 0);
            }
            next = if may_join(group) { self.next() } else { None };
        }
    }
}

/// Waits until enough works are here, as long as many are announced, but not for long.
fn wait_for_company(coming: &Coming, here: impl Fn() -> usize) {
    let end = Instant::now() + COMPANY_TIME;
    while coming.are_many()
        && let Some(left) = end.checked_duration_since(Instant::now())
        && let Some(missing) = COMPANY.checked_sub(here()).filter(|missing| *missing > 0)
    {
        // Asleep, for as long as so many may take: to be woken for each that comes would cost what this saves.
        thread::sleep(left.min(COMPANY_TIME.mul_f64(missing as f64 / COMPANY as f64)));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often it is looked whether company is here, where so many works are announced and one more comes at each look.
    fn looks(announced: usize, here: usize) -> usize {
        let coming = Coming::default();
        let all: Vec<_> = (0..announced).map(|_| coming.announce()).collect();
        let looks = Cell::new(0);
        let look = || {
            looks.set(looks.get() + 1);
            here + looks.get()
        };
        wait_for_company(&coming, look);
        drop(all);
        assert_eq!(coming.0.load(Ordering::Relaxed), 0);
        looks.get()
    }

    #[test]
    fn a_work_waits_for_company_only_where_many_are_announced() {
        assert_eq!(looks(0, 0), 0);
        assert_eq!(looks(ANNOUNCED_MIN - 1, 0), 0);
        assert_eq!(looks(ANNOUNCED_MIN, COMPANY), 1, "enough are here");
        assert!(looks(ANNOUNCED_MIN, COMPANY - 3) <= 3, "soon enough are here");
        let (started, coming) = (Instant::now(), Coming::default());
        let _all: Vec<_> = (0..ANNOUNCED_MIN).map(|_| coming.announce()).collect();
        wait_for_company(&coming, || 1);
        assert!(started.elapsed() >= COMPANY_TIME, "nobody comes");
    }
}
