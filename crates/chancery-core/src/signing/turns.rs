//! At most one signature at a time is made for one request, on this node. It only saves work: what decides is the
//! compare-and-swap of the transaction that stores the signature.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use chancery_types::SigningRequestId;
use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

/// The requests that somebody works on, each with those who wait for it.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<SigningRequestId, Weak<Queue<()>>>>);

/// The right to work on one request; the next one's turn begins when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    // Before `_place`: the queue must be free when the place looks whether anybody still needs it.
    _guard: OwnedMutexGuard<()>,
    _place: Place<'a>,
}

impl Turns {
    /// Waits until nobody else works on the request.
    pub(crate) async fn take(&self, id: SigningRequestId) -> Turn<'_> {
        let queue = self.queue(id);
        let place = Place { turns: self, id, queue: Some(Arc::clone(&queue)) };
        Turn { _guard: queue.lock_owned().await, _place: place }
    }

    fn queue(&self, id: SigningRequestId) -> Arc<Queue<()>> {
        let mut queues = self.queues();
        if let Some(queue) = queues.get(&id).and_then(Weak::upgrade) {
            return queue;
        }
        let queue = Arc::default();
        queues.insert(id, Arc::downgrade(&queue));
        queue
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<SigningRequestId, Weak<Queue<()>>>> {
        // No code under this lock can leave the map half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who works or waits; the last one to leave forgets the queue, also when it gave up waiting.
#[derive(Debug)]
struct Place<'a> {
    turns: &'a Turns,
    id: SigningRequestId,
    queue: Option<Arc<Queue<()>>>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut queues = self.turns.queues();
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
        let turns = Arc::new(Turns::default());
        let (inside, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let workers: Vec<_> = (0..64)
            .map(|n| {
                let (turns, inside, most) = (Arc::clone(&turns), Arc::clone(&inside), Arc::clone(&most));
                tokio::spawn(async move {
                    let turn = turns.take(SigningRequestId::from_u128(1));
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
        assert!(turns.queues().is_empty());
    }

    #[tokio::test]
    async fn different_requests_do_not_wait_for_each_other() {
        let turns = Turns::default();
        let _first = turns.take(SigningRequestId::from_u128(1)).await;
        let _second = turns.take(SigningRequestId::from_u128(2)).await;
        assert_eq!(turns.queues().len(), 2);
    }
}
