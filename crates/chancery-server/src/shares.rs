//! Bytes that are held for those who send them: so many in all, and so many for each, so that nobody's share is another's.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::Notify;

/// What all may hold together, and what each may.
#[derive(Debug)]
pub(crate) struct Shares<K>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    max: usize,
    each_max: usize,
    held: Mutex<Held<K>>,
}

#[derive(Debug)]
struct Held<K> {
    all: usize,
    each: HashMap<K, Each>,
}

/// What one sender holds.
#[derive(Debug, Default)]
struct Each {
    bytes: usize,
    /// Its bodies, the oldest first.
    bodies: VecDeque<Arc<Body>>,
}

/// What one body holds. The number changes only under the lock.
#[derive(Debug, Default)]
struct Body {
    bytes: AtomicUsize,
    taken_back: Notify,
}

/// What one body holds; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Copy + Eq + Hash> {
    of: Arc<Inner<K>>,
    who: K,
    body: Arc<Body>,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    pub(crate) fn new(max: usize, each_max: usize) -> Self {
        Self(Arc::new(Inner { max, each_max, held: Mutex::new(Held { all: 0, each: HashMap::new() }) }))
    }

    /// A share that holds nothing yet.
    pub(crate) fn of(&self, who: K) -> Share<K> {
        Share { of: Arc::clone(&self.0), who, body: Arc::default() }
    }
}

impl<K> Inner<K> {
    fn lock(&self) -> MutexGuard<'_, Held<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Held<K> {
    fn bytes_of(&self, who: &K) -> usize {
        self.each.get(who).map_or(0, |each| each.bytes)
    }

    /// Takes the oldest body of whoever holds most, and more than so much, back from them; says whether there was one.
    fn take_back(&mut self, more_than: usize) -> bool {
        let Some(most) = self.each.values_mut().max_by_key(|each| each.bytes) else { return false };
        if most.bytes <= more_than {
            return false;
        }
        let Some(body) = most.bodies.pop_front() else { return false };
        let bytes = body.bytes.swap(0, Ordering::Relaxed);
        most.bytes -= bytes;
        self.all -= bytes;
        // It is told even if it waits only later.
        body.taken_back.notify_one();
        true
    }
}

impl<K: Copy + Eq + Hash> Share<K> {
    /// Holds so many bytes more; says whether there was room for them.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        self.grow_within(&mut self.of.lock(), bytes)
    }

    /// [`grow`](Self::grow), where those who hold most make room for those who hold little: so many senders together may
    /// have taken all there is. Their oldest bodies are [taken back](Self::taken_back).
    #[must_use]
    pub(crate) fn grow_fairly(&mut self, bytes: usize) -> bool {
        let mut held = self.of.lock();
        loop {
            if self.grow_within(&mut held, bytes) {
                return true;
            }
            let own = held.bytes_of(&self.who).saturating_add(bytes);
            if own > self.of.each_max || !held.take_back(own) {
                return false;
            }
        }
    }

    fn grow_within(&self, held: &mut Held<K>, bytes: usize) -> bool {
        let of_all = held.all.saturating_add(bytes);
        let of_each = held.bytes_of(&self.who).saturating_add(bytes);
        if of_all > self.of.max || of_each > self.of.each_max {
            return false;
        }
        held.all = of_all;
        let each = held.each.entry(self.who).or_default();
        each.bytes = of_each;
        if self.body.bytes.fetch_add(bytes, Ordering::Relaxed) == 0 {
            each.bodies.push_back(Arc::clone(&self.body));
        }
        true
    }

    /// Waits until the share is taken back, if ever.
    pub(crate) fn taken_back(&self) -> impl Future<Output = ()> + use<K> {
        let body = Arc::clone(&self.body);
        async move { body.taken_back.notified().await }
    }
}

impl<K: Copy + Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut held = self.of.lock();
        let bytes = self.body.bytes.swap(0, Ordering::Relaxed);
        held.all -= bytes;
        if let Some(each) = held.each.get_mut(&self.who) {
            each.bytes -= bytes;
            each.bodies.retain(|body| !Arc::ptr_eq(body, &self.body));
            if each.bytes == 0 {
                held.each.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn each_has_a_share_and_all_together_no_more_than_there_is() {
        let shares = Shares::new(10, 6);
        let (mut one, mut another, mut two) = (shares.of(1), shares.of(1), shares.of(2));
        assert!(one.grow(4) && !another.grow(3) && another.grow(2));
        assert!(!two.grow(5) && two.grow(4), "ten in all");
        drop(one);
        assert!(two.grow(2) && !two.grow(1));
        drop((another, two));
        assert_eq!(shares.0.lock().all, 0);
        assert!(shares.0.lock().each.is_empty(), "nothing is kept of who is gone");
    }

    #[test]
    fn who_holds_most_makes_room_for_who_holds_little() {
        let shares = Shares::new(10, 6);
        let (mut first, mut second, mut other) = (shares.of(1), shares.of(1), shares.of(2));
        assert!(first.grow_fairly(3) && second.grow_fairly(3) && other.grow_fairly(4));
        let mut late = shares.of(3);
        assert!(late.grow_fairly(2));
        assert!(first.taken_back().now_or_never().is_some(), "the oldest of whoever holds most");
        assert!(second.taken_back().now_or_never().is_none() && other.taken_back().now_or_never().is_none());
        assert!(!late.grow_fairly(3), "five would be more than anybody else has");
        assert!(late.grow_fairly(1), "there is room");
        drop((first, second, other, late));
        assert_eq!(shares.0.lock().all, 0);
        assert!(shares.0.lock().each.is_empty());
    }
}
