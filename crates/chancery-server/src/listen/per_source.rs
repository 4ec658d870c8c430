//! How many connections each source has.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chancery_core::Source;

/// The connections of one socket, by their sources.
#[derive(Clone, Debug, Default)]
pub(super) struct ConnectionsPerSource(Arc<Mutex<HashMap<Source, usize>>>);

/// The place of one connection, given back when it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    of: Source,
    all: ConnectionsPerSource,
}

impl ConnectionsPerSource {
    /// A place for one connection more of this source; none where it has `max` already.
    pub(super) fn take(&self, of: Source, max: usize) -> Option<ConnectionSlot> {
        let mut taken = self.lock();
        let of_source = taken.entry(of).or_default();
        if *of_source >= max {
            return None;
        }
        *of_source += 1;
        Some(ConnectionSlot { of, all: self.clone() })
    }

    /// How many this source has.
    pub(super) fn of(&self, source: Source) -> usize {
        self.lock().get(&source).copied().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Source, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.all.lock();
        if let Some(of_source) = taken.get_mut(&self.of) {
            *of_source -= 1;
            if *of_source == 0 {
                taken.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_source_has_so_many_and_others_are_not_its() {
        let places = ConnectionsPerSource::default();
        let (one, two) = (Source::from(IpAddr::from([192, 0, 2, 1])), Source::from(IpAddr::from([192, 0, 2, 2])));
        let held: Vec<_> = (0..3).map_while(|_| places.take(one, 2)).collect();
        assert_eq!(held.len(), 2);
        assert!(places.take(two, 2).is_some());
        drop(held);
        assert!(places.lock().is_empty(), "nothing is kept of who is gone");
    }
}
