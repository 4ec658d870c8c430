//! One lock for each request and each proposal: on this node one approval of it at a time is worked on, so that no signature
//! and no certificate is made twice. That only saves work: what decides is the compare-and-swap of the transaction that stores
//! what became of it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::sync::{Mutex as Queue, OwnedMutexGuard};
use uuid::Uuid;

/// The requests and proposals that somebody works on, each with those who wait for it.
#[derive(Debug, Default)]
pub(crate) struct IdLocks(Mutex<HashMap<Uuid, Weak<Queue<()>>>>);

/// The right to work on one of them; the next one's turn begins when it is dropped.
#[derive(Debug)]
pub(crate) struct IdLock<'a> {
    // Before `_waiter`: the queue must be free when the waiter looks whether anybody still needs it.
    _guard: OwnedMutexGuard<()>,
    _waiter: Waiter<'a>,
}

impl IdLocks {
    /// Waits until nobody else works on it.
    pub(crate) async fn lock(&self, id: Uuid) -> IdLock<'_> {
        let queue = self.queue(id);
        let waiter = Waiter { locks: self, id, queue: Some(Arc::clone(&queue)) };
        IdLock { _guard: queue.lock_owned().await, _waiter: waiter }
    }

    fn queue(&self, id: Uuid) -> Arc<Queue<()>> {
        let mut queues = self.queues();
        if let Some(queue) = queues.get(&id).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Arc::default();
        queues.insert(id, Arc::downgrade(&queue));
        queue
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<Uuid, Weak<Queue<()>>>> {
        // No code under this lock can leave the map half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who works or waits; the last one to leave forgets the queue, also when it gave up waiting.
#[derive(Debug)]
struct Waiter<'a> {
    locks: &'a IdLocks,
    id: Uuid,
    queue: Option<Arc<Queue<()>>>,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut queues = self.locks.queues();
        self.queue = None;
        if queues.get(&self.id).is_some_and(|queue| queue.strong_count() == 0) {
            queues.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicU32, Ordering},
        time::Duration,
    };

    use super::*;

    #[tokio::test]
    async fn one_at_a_time_for_each_request_and_nothing_is_left() {
        let locks = Arc::new(IdLocks::default());
        let (inside, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let workers: Vec<_> = (0..64)
            .map(|n| {
                let (locks, inside, most) = (Arc::clone(&locks), Arc::clone(&inside), Arc::clone(&most));
                tokio::spawn(async move {
                    let turn = locks.lock(Uuid::from_u128(1));
                    if n % 8 == 7 {
                        // Gives up after a while, whether or not its turn came.
                        let _ = tokio::time::timeout(Duration::from_millis(1), turn).await;
                        return;
                    }
                    let _turn = turn.await;
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_micros(200)).await;
                    inside.fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for worker in workers {
            worker.await.unwrap();
        }
        assert_eq!(most.load(Ordering::SeqCst), 1);
        assert!(locks.queues().is_empty());
    }

    #[tokio::test]
    async fn different_requests_do_not_wait_for_each_other() {
        let locks = IdLocks::default();
        let _first = locks.lock(Uuid::from_u128(1)).await;
        let _second = locks.lock(Uuid::from_u128(2)).await;
        assert_eq!(locks.queues().len(), 2);
    }
}
