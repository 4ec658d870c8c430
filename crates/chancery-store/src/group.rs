//! Group commit on SQLite: one writer, one flush for all works that wait.
//!
//! A durable commit costs a flush of the disk, some milliseconds; SQLite has one writer at a time. So the writer, a
//! thread of its own, takes what has queued up, runs each work in the same transaction, commits once, then answers all.
//! What arrives meanwhile joins. Nobody waits for company that may never come: the first work starts at once, unless many
//! more are announced. Then it waits a little for some of them, since each commit costs the writer as much as several
//! works, and wakes somebody.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::backend::Backend;
use crate::sqlite::{Connection, DatabaseFile};
use crate::work::{Job, Verdict, WORK_TIME};
use crate::{StoreError, Tx};

/// Works that may wait; more are refused as Busy.
const QUEUE: usize = 4096;

/// Works in one transaction: above this the flush costs next to nothing per work.
const GROUP: usize = 512;

/// After this time no more works join: the first one waits for its answer all the while.
const GROUP_TIME: Duration = Duration::from_millis(50);

/// So many works are company enough: more save little.
const COMPANY: usize = 12;

/// Works that must be announced for anybody to wait: of fewer callers too many would wait at the same time.
const ANNOUNCED_MIN: usize = 2 * COMPANY;

/// How long the first work waits for company: a few flushes of a disk.
const COMPANY_TIME: Duration = Duration::from_millis(6);

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
pub(crate) fn start(file: DatabaseFile, coming: Coming) -> io::Result<Queue> {
    let (sender, queue) = mpsc::channel(QUEUE);
    let runtime = Handle::current();
    thread::Builder::new().name("store writer".into()).spawn(move || {
        // A work may use the runtime's clock.
        let _entered = runtime.enter();
        Writer { queue, coming, file, connection: None, last: None }.serve();
    })?;
    Ok(sender)
}

struct Writer {
    queue: mpsc::Receiver<Order>,
    coming: Coming,
    file: DatabaseFile,
    /// Between two transactions; after one that did not end well a new one is made.
    connection: Option<Connection>,
    /// What ends the writer after this group.
    last: Option<oneshot::Sender<()>>,
}

impl Writer {
    fn serve(mut self) {
        while self.last.is_none()
            && let Some(order) = self.queue.blocking_recv()
        {
            let Some(first) = self.job(order) else { break };
            wait_for_company(&self.coming, || self.queue.len() + 1);
            let mut done = Vec::new();
            let ended = self.group(first, &mut done);
            if let Err(error) = &ended {
                tracing::error!(%error, works = done.len(), "a group of writes failed");
            }
            answer(done, ended);
        }
        // The file is closed before anybody is told so.
        drop(self.connection);
        drop(self.last);
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
        let order = self.queue.try_recv().ok()?;
        self.job(order)
    }

    /// Runs and commits one group. Every job taken from the queue is in `done`, whatever happens.
    fn group(&mut self, first: Box<dyn Job>, done: &mut Vec<Box<dyn Job>>) -> Result<(), StoreError> {
        done.push(first);
        let mut tx = match self.begin() {
            Ok(tx) => tx,
            Err(failure) => {
                // The others would only wait for the same failure.
                done.extend(std::iter::from_fn(|| self.next()).take(QUEUE));
                return Err(failure);
            }
        };
        let how = if self.fill(&mut tx, done)? { "COMMIT" } else { "ROLLBACK" };
        let mut connection = tx.into_sqlite()?;
        connection.limit(None);
        connection.run(how)?;
        self.connection = Some(connection);
        Ok(())
    }

    fn begin(&mut self) -> Result<Tx, StoreError> {
        let connection = self.connection.take().map_or_else(|| self.file.connect_writer(), Ok)?;
        Tx::on_sqlite(connection, Backend::Sqlite.begin_write())
    }

    /// Runs jobs until none waits; whether there is something to commit.
    fn fill(&mut self, tx: &mut Tx, done: &mut Vec<Box<dyn Job>>) -> Result<bool, StoreError> {
        let started = Instant::now();
        let mut kept = 0_usize;
        let mut next = done.pop();
        while let Some(mut job) = next {
            if job.is_abandoned() {
                next = self.next();
                continue;
            }
            let connection = tx.sqlite()?;
            connection.limit(Some(WORK_TIME));
            connection.begin_work(kept == 0);
            let verdict = job.run(tx);
            done.push(job);
            match verdict {
                Verdict::Keep => kept += 1,
                Verdict::Undo if kept == 0 => return Ok(false),
                Verdict::Undo => tx.undo()?,
            }
            next = if done.len() < GROUP && started.elapsed() < GROUP_TIME { self.next() } else { None };
        }
        Ok(kept > 0)
    }
}

/// Answers a group, in a task of the runtime where there are several: each answer from here would wake a thread of it, which
/// would often interrupt this one between two of them.
fn answer(mut done: Vec<Box<dyn Job>>, ended: Result<(), StoreError>) {
    if done.len() > 1 {
        tokio::spawn(async move { done.into_iter().for_each(|job| job.answer(ended.clone())) });
    } else if let Some(job) = done.pop() {
        job.answer(ended);
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
        wait_for_company(&coming, || {
            looks.set(looks.get() + 1);
            here + looks.get()
        });
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
