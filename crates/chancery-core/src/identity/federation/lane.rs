//! Calls to providers that somebody waits for who is not known yet: so many at a time, on threads that nothing else needs, and
//! so many of one source.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    Error, Limits, Result, Source,
    base::pool::{Pool, Work},
};

/// Calls at a time, and those of one source.
const CALLS_MAX: usize = 8;
const CALLS_OF_SOURCE_MAX: u32 = 4;

/// The calls of one kind.
pub(super) struct Lane {
    pool: Pool,
    of_source: Mutex<HashMap<Source, u32>>,
}

impl Lane {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { pool: Pool::with_slots(CALLS_MAX, limits), of_source: Mutex::default() }
    }

    fn of_source(&self) -> MutexGuard<'_, HashMap<Source, u32>> {
        self.of_source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more call of this source, which is free again when the answer is dropped.
    pub(super) fn place(&self, source: Source) -> Result<Place<'_>> {
        let mut of_source = self.of_source();
        let taken = of_source.entry(source).or_default();
        if *taken >= CALLS_OF_SOURCE_MAX {
            return Err(Error::busy("Too many logins by a provider wait for this address; try again.", 1));
        }
        *taken += 1;
        Ok(Place { lane: self, source })
    }
}

/// A place in a lane.
pub(super) struct Place<'a> {
    lane: &'a Lane,
    source: Source,
}

impl Place<'_> {
    /// Makes the call.
    pub(super) async fn run<T: Send + 'static>(&self, call: impl Work<Output = T>) -> Result<T> {
        self.lane.pool.run(call).await
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut of_source = self.lane.of_source();
        if let Some(taken) = of_source.get_mut(&self.source) {
            *taken -= 1;
            if *taken == 0 {
                of_source.remove(&self.source);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_its_places_and_gives_them_back() {
        let lane = Lane::new(&Limits::default());
        let source = |last| Source::from(std::net::IpAddr::from([192, 0, 2, last]));
        let held: Vec<_> = (0..CALLS_OF_SOURCE_MAX).map(|_| lane.place(source(1)).unwrap()).collect();
        assert_eq!(lane.place(source(1)).err().map(|error| error.meaning()), Some(crate::Meaning::Busy));
        drop(lane.place(source(2)).unwrap());
        drop(held);
        drop(lane.place(source(1)).unwrap());
        assert!(lane.of_source().is_empty());
    }
}
