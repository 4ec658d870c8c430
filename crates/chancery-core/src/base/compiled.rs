//! Parts of the compiled state that are made when they are first needed, and forgotten when the store changes.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Parts of one kind that are kept: more than installations have authorities and profiles.
const PARTS_MAX: usize = 1_024;

/// What was made from the store, by id.
pub(crate) struct Compiled<K, V>(Mutex<Parts<K, V>>);

struct Parts<K, V> {
    made: HashMap<K, Arc<V>>,
    /// Counts how often something was forgotten. What was read from the store before a change is not kept after it.
    generation: u64,
}

/// The state of the store that a part is made from.
#[derive(Clone, Copy)]
pub(crate) struct Generation(u64);

impl<K, V> Default for Compiled<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Parts { made: HashMap::new(), generation: 0 }))
    }
}

impl<K: Eq + Hash, V> Compiled<K, V> {
    fn parts(&self) -> MutexGuard<'_, Parts<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, id: &K) -> Option<Arc<V>> {
        self.parts().made.get(id).map(Arc::clone)
    }

    /// To be called before the store is read.
    pub(crate) fn generation(&self) -> Generation {
        Generation(self.parts().generation)
    }

    /// Keeps a part, unless something was forgotten since the store was read.
    pub(crate) fn keep(&self, read: Generation, id: K, part: &Arc<V>) {
        let mut parts = self.parts();
        if parts.generation != read.0 {
            return;
        }
        if parts.made.len() >= PARTS_MAX {
            parts.made.clear();
        }
        parts.made.insert(id, Arc::clone(part));
    }

    /// Forgets the parts that a change makes stale.
    pub(crate) fn forget(&self, is_stale: impl Fn(&K, &V) -> bool) {
        let mut parts = self.parts();
        parts.generation += 1;
        parts.made.retain(|id, part| !is_stale(id, part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stale_is_forgotten_and_nothing_else() {
        let compiled = Compiled::default();
        for id in [1, 2] {
            compiled.keep(compiled.generation(), id, &Arc::new(id * 10));
        }
        compiled.forget(|id, part| *id == 1 && *part == 10);
        assert_eq!((compiled.find(&1), compiled.find(&2)), (None, Some(Arc::new(20))));
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let compiled = Compiled::default();
        let read = compiled.generation();
        compiled.forget(|_: &u32, _: &u32| false);
        compiled.keep(read, 1, &Arc::new(1));
        assert_eq!(compiled.find(&1), None);
    }

    #[test]
    fn no_more_is_kept_than_the_maximum() {
        let compiled = Compiled::default();
        for id in 0..=PARTS_MAX {
            compiled.keep(compiled.generation(), id, &Arc::new(()));
        }
        assert_eq!(compiled.parts().made.len(), 1);
    }
}
