//! The bounded pool: what would hold an async thread (RSA, Argon2, key generation, large batches) runs here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use tokio::{
    sync::{Semaphore, oneshot},
    task, time,
};

use crate::{Error, Limits, Result};

/// How often a job that nobody waits for looks whether others are done.
const ASIDE_LOOK: Duration = Duration::from_millis(50);

/// The lowest priority that a thread can have.
const NICEST: i32 = 19;

/// As many jobs at a time as there are cores; a bounded number of others waits, a bounded time.
#[derive(Debug)]
pub(crate) struct Pool {
    slots: Arc<Semaphore>,
    cores: usize,
    waiting: AtomicUsize,
    queue_max: usize,
    wait_max: Duration,
}

impl Pool {
    /// A pool with a slot for every core.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::with_slots(std::thread::available_parallelism().map_or(1, usize::from), limits)
    }

    /// A pool for so many jobs at a time.
    pub(crate) fn with_slots(slots: usize, limits: &Limits) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(slots)),
            cores: slots,
            waiting: AtomicUsize::new(0),
            queue_max: limits.pool_queue_max,
            wait_max: limits.pool_wait_max,
        }
    }

    /// How many jobs run at a time.
    pub(crate) const fn cores(&self) -> usize {
        self.cores
    }

    /// Runs a job on a blocking thread. RateLimited when too many wait already, or when this one waited too long.
    /// Once started a job runs to its end, whether or not somebody still waits for its result.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let slot = {
            let _place = Place::take(&self.waiting, self.queue_max)?;
            let slot = time::timeout(self.wait_max, Arc::clone(&self.slots).acquire_owned()).await;
            slot.map_err(|_| too_busy())?.map_err(Error::internal)?
        };
        let job = task::spawn_blocking(move || {
            let result = job();
            drop(slot);
            result
        });
        job.await.map_err(Error::internal)
    }

    /// Runs a job that nobody waits for. It begins when no other runs or waits, takes no slot, and has the cores only as
    /// far as nothing else wants them; the end of the process does not wait for it.
    pub(crate) async fn run_aside<T, F>(&self, job: F) -> Result<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        while !self.is_idle() {
            time::sleep(ASIDE_LOOK).await;
        }
        let (sender, result) = oneshot::channel();
        let aside = move || {
            // On Linux a thread has a niceness of its own. Where it may not be nice the job runs all the same.
            if let Err(error) = rustix::process::nice(NICEST) {
                tracing::debug!(%error, "a job aside runs at the priority of others");
            }
            // Where nobody is there any more to take it, the result is not needed.
            let _ = sender.send(job());
        };
        thread::Builder::new().name("aside".to_owned()).spawn(aside).map_err(Error::internal)?;
        result.await.map_err(Error::internal)
    }

    fn is_idle(&self) -> bool {
        self.slots.available_permits() == self.cores && self.waiting.load(Ordering::Relaxed) == 0
    }
}

fn too_busy() -> Error {
    Error::busy("Too much work is waiting already; try again.", 1)
}

/// A place in the queue, given back when dropped, also when the caller goes away while waiting.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, max: usize) -> Result<Self> {
        if waiting.fetch_add(1, Ordering::Relaxed) >= max {
            waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(too_busy());
        }
        Ok(Self(waiting))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[tokio::test]
    async fn a_full_queue_refuses_and_recovers() {
        let limits = Limits { pool_queue_max: 1, pool_wait_max: Duration::from_millis(20), ..Limits::default() };
        let pool = Pool::new(&limits);
        let all = pool.slots.clone().acquire_many_owned(pool.slots.available_permits() as u32).await.unwrap();
        let (first, second) = tokio::join!(pool.run(|| 1), pool.run(|| 2));
        assert_eq!(first.unwrap_err().meaning(), Meaning::Busy, "waited too long");
        assert_eq!(second.unwrap_err().meaning(), Meaning::Busy, "found the queue full");
        drop(all);
        assert_eq!(pool.run(|| 3).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_begins_when_all_others_are_done_and_is_in_nobodys_way() {
        let pool = Arc::new(Pool::new(&Limits::default()));
        let one = Arc::clone(&pool.slots).acquire_owned().await.unwrap();
        let (started, mut begun) = oneshot::channel();
        let (end, ended) = std::sync::mpsc::channel();
        let aside = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move {
                pool.run_aside(move || {
                    started.send(()).unwrap();
                    ended.recv().unwrap()
                })
                .await
            }
        });
        time::sleep(4 * ASIDE_LOOK).await;
        assert!(begun.try_recv().is_err(), "another job runs");
        drop(one);
        begun.await.unwrap();
        assert_eq!(pool.slots.available_permits(), pool.cores, "it takes no slot");
        assert_eq!(pool.run(|| 1).await.unwrap(), 1);
        end.send(2).unwrap();
        assert_eq!(aside.await.unwrap().unwrap(), 2);
    }
}
