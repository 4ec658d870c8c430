//! Something that every thread has for itself, or nearly: what two cores change by turns costs each of them the way to
//! the other's cache, for every call. Two cores that also run the client show nothing of it; it is here for the many of a
//! server (decision 0158).

use std::{
    array,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Threads spread over so many.
const SHARDS: usize = 16;

/// One for each of a few groups of threads.
#[derive(Debug)]
pub(crate) struct Sharded<T>(Box<[Shard<T>; SHARDS]>);

impl<T: Default> Default for Sharded<T> {
    fn default() -> Self {
        Self(Box::new(array::from_fn(|_| Shard(Mutex::default()))))
    }
}

/// On cache lines of its own: processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Shard<T>(Mutex<T>);

impl<T> Sharded<T> {
    /// The calling thread's.
    pub(crate) fn own(&self) -> MutexGuard<'_, T> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS;
        }
        self.0[OWN.with(|own| *own)].lock()
    }

    /// All of them, one after the other.
    pub(crate) fn all(&self) -> impl Iterator<Item = MutexGuard<'_, T>> {
        self.0.iter().map(Shard::lock)
    }
}

impl<T> Shard<T> {
    /// What a thread that panicked leaves behind is sound: each change is one step.
    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_threads_do_at_once_is_all_there() {
        let counts = Sharded::<u64>::default();
        thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| (0..1_000).for_each(|_| *counts.own() += 1));
            }
        });
        assert_eq!(counts.all().map(|count| *count).sum::<u64>(), 2_000 * SHARDS as u64);
    }
}
