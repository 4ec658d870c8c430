//! Bytes that are held for those who send them: so many in all, and so many for each, so that nobody's share is another's.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

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
    each: HashMap<K, usize>,
}

/// What one body holds; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Copy + Eq + Hash> {
    of: Arc<Inner<K>>,
    who: K,
    bytes: usize,
}

impl<K: Copy + Eq + Hash> Shares<K> {
    pub(crate) fn new(max: usize, each_max: usize) -> Self {
        Self(Arc::new(Inner { max, each_max, held: Mutex::new(Held { all: 0, each: HashMap::new() }) }))
    }

    /// A share that holds nothing yet.
    pub(crate) fn of(&self, who: K) -> Share<K> {
        Share { of: Arc::clone(&self.0), who, bytes: 0 }
    }
}

impl<K: Copy + Eq + Hash> Share<K> {
    /// Holds so many bytes more; says whether there was room for them.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let mut held = self.of.held.lock().unwrap_or_else(PoisonError::into_inner);
        let of_all = held.all.saturating_add(bytes);
        let of_each = held.each.get(&self.who).copied().unwrap_or_default().saturating_add(bytes);
        if of_all > self.of.max || of_each > self.of.each_max {
            return false;
        }
        held.all = of_all;
        held.each.insert(self.who, of_each);
        self.bytes += bytes;
        true
    }
}

impl<K: Copy + Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.of.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.all -= self.bytes;
        if let Some(of_each) = held.each.get_mut(&self.who) {
            *of_each -= self.bytes;
            if *of_each == 0 {
                held.each.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(shares.0.held.lock().unwrap().all, 0);
        assert!(shares.0.held.lock().unwrap().each.is_empty(), "nothing is kept of who is gone");
    }
}
