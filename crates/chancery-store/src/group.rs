//! Group commit: one writer, one flush for all works that wait.
//!
//! A durable commit costs a flush of the disk, some milliseconds; SQLite has one writer at a time. So the writer takes
//! what has queued up, runs each work in the same transaction, commits once, then answers all. Nobody waits for
//! company: the first work starts at once, and what arrives meanwhile joins.

use std::time::{Duration, Instant};

use sqlx::AnyPool;
use tokio::sync::mpsc;

use crate::work::{Job, Verdict};
use crate::{StoreError, Tx};

/// Works that may wait; more are refused as Busy.
const QUEUE: usize = 4096;

/// Works in one transaction: above this the flush costs next to nothing per work.
const GROUP: usize = 512;

/// After this time no more works join: the first one waits for its answer all the while.
const GROUP_TIME: Duration = Duration::from_millis(50);

pub(crate) type Queue = mpsc::Sender<Box<dyn Job>>;

/// Starts the writer. It ends when the queue's last sender is gone and all that was queued is answered.
pub(crate) fn start(pool: AnyPool, begin: &'static str) -> Queue {
    let (sender, queue) = mpsc::channel(QUEUE);
    tokio::spawn(Writer { queue, pool, begin }.serve());
    sender
}

struct Writer {
    queue: mpsc::Receiver<Box<dyn Job>>,
    pool: AnyPool,
    begin: &'static str,
}

impl Writer {
    async fn serve(mut self) {
        while let Some(first) = self.queue.recv().await {
            let mut done = Vec::new();
            let ended = self.group(first, &mut done).await;
            if let Err(error) = &ended {
                tracing::error!(%error, works = done.len(), "a group of writes failed");
            }
            for job in done {
                job.answer(ended.clone());
            }
        }
    }

    /// Runs and commits one group. Every job taken from the queue is in `done`, whatever happens.
    async fn group(&mut self, first: Box<dyn Job>, done: &mut Vec<Box<dyn Job>>) -> Result<(), StoreError> {
        done.push(first);
        let mut tx = match self.open().await {
            Ok(tx) => tx,
            Err(failure) => {
                // The others would only wait for the same failure.
                done.extend(std::iter::from_fn(|| self.queue.try_recv().ok()).take(QUEUE));
                return Err(failure);
            }
        };
        if self.fill(&mut tx, done).await? { tx.commit().await } else { tx.rollback().await }
    }

    async fn open(&self) -> Result<Tx, StoreError> {
        let connection = self.pool.acquire().await?;
        Tx::begin(connection, self.begin).await
    }

    /// Runs jobs until none waits; whether there is something to commit.
    async fn fill(&mut self, tx: &mut Tx, done: &mut Vec<Box<dyn Job>>) -> Result<bool, StoreError> {
        let started = Instant::now();
        let mut kept = 0_usize;
        let mut savepoint = false;
        let mut next = done.pop();
        while let Some(mut job) = next {
            if job.is_abandoned() {
                next = self.queue.try_recv().ok();
                continue;
            }
            // The first work needs no savepoint: to undo it is to undo everything.
            if kept > 0 {
                let marked = tx.savepoint(savepoint).await;
                if let Err(failure) = marked {
                    done.push(job);
                    return Err(failure);
                }
                savepoint = true;
            }
            let verdict = job.run(tx).await;
            done.push(job);
            match verdict {
                Verdict::Keep => kept += 1,
                Verdict::Undo if kept == 0 => return Ok(false),
                Verdict::Undo => tx.undo().await?,
            }
            next = if done.len() < GROUP && started.elapsed() < GROUP_TIME { self.queue.try_recv().ok() } else { None };
        }
        Ok(kept > 0)
    }
}
