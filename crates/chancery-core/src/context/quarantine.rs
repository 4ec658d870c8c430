//! Objects that cannot be read from the store: calls to each are Unavailable until it can be, and nothing else stops.
//!
//! Whoever reads an object that the compiled state keeps, and finds its row damaged or foreign, puts it here. The
//! object is then missing from the compiled state, so that a forgotten check grants nothing; the check only says why.

use std::{
    collections::BTreeMap,
    error::Error as StdError,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tracing::{error, info};
use uuid::Uuid;

use super::{changes::ChangeKind, rows::is_unauthentic};
use crate::{Error, Meaning, Result, base::error::reason};

/// A kind of object, as in `changes`, and which one; none where there is only one.
pub(crate) type Object = (&'static str, Option<Uuid>);

/// The objects that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Quarantine {
    /// How many there are: while there is none, a check reads this number and nothing else.
    count: AtomicUsize,
    /// Why each is here.
    objects: Mutex<BTreeMap<Object, String>>,
}

impl Quarantine {
    /// Closes an object. The log says why, once for each reason.
    pub(crate) fn put(&self, (kind, id): Object, why: &(dyn StdError + 'static)) {
        let reason = reason(why);
        let mut objects = self.objects();
        if objects.insert((kind, id), reason.clone()).as_ref() == Some(&reason) {
            return;
        }
        self.count.store(objects.len(), Ordering::Relaxed);
        drop(objects);
        error!(kind, object = %shown(id), error = reason, "an object cannot be read: calls to it are refused");
    }

    /// Opens an object that can be read again, or is gone.
    pub(crate) fn lift(&self, (kind, id): Object) {
        if self.count() == 0 {
            return;
        }
        let mut objects = self.objects();
        let was_closed = objects.remove(&(kind, id)).is_some();
        self.count.store(objects.len(), Ordering::Relaxed);
        drop(objects);
        if was_closed {
            info!(kind, object = %shown(id), "the object can be read again");
        }
    }

    /// Unavailable where the object is closed.
    pub(crate) fn check(&self, object: Object) -> Result<()> {
        if self.count() > 0 && self.objects().contains_key(&object) { Err(closed()) } else { Ok(()) }
    }

    /// Opens what could be read, closes what could not be; an error where it may be read later.
    pub(crate) fn sort_out<T>(&self, object: Object, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(found) => {
                self.lift(object);
                Ok(Some(found))
            }
            Err(failure) if is_lasting(&failure) => {
                self.put(object, &failure);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The ids of a kind as they are stored. One that is none names no object, and closes nothing but itself.
    pub(crate) fn ids(&self, kind: ChangeKind, stored: Vec<String>) -> Vec<Uuid> {
        let id = |text: String| text.parse::<Uuid>().map_err(|failure| self.put((kind.as_str(), None), &failure)).ok();
        stored.into_iter().filter_map(id).collect()
    }

    /// How many objects are closed.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// All of them, to be looked at again.
    pub(crate) fn all(&self) -> Vec<Object> {
        self.objects().keys().copied().collect()
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<Object, String>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The refusal of a call to an object that is closed.
pub(crate) fn closed() -> Error {
    const MESSAGE: &str =
        "What the storage holds of this cannot be read, so it cannot be used; the server's log tells why.";
    Error::out_of_reach(MESSAGE, 10)
}

/// Whether a failure lies in what is stored, and not in the way to it: to try again gives the same.
pub(crate) fn is_lasting(failure: &Error) -> bool {
    is_unauthentic(failure) || !matches!(failure.meaning(), Meaning::Unavailable | Meaning::Busy)
}

fn shown(id: Option<Uuid>) -> String {
    id.map_or_else(|| "-".to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_closed_until_it_is_lifted_and_no_other_is() {
        let quarantine = Quarantine::default();
        let (bad, good) = (("role", Some(Uuid::from_u128(1))), ("role", Some(Uuid::from_u128(2))));
        quarantine.check(bad).unwrap();
        quarantine.put(bad, &Error::internal("a role without a name"));
        quarantine.put(bad, &Error::internal("a role without a name"));
        assert_eq!(quarantine.check(bad).unwrap_err().meaning(), Meaning::Unavailable);
        quarantine.check(good).unwrap();
        assert_eq!((quarantine.count(), quarantine.all()), (1, vec![bad]));
        quarantine.lift(good);
        quarantine.lift(bad);
        quarantine.check(bad).unwrap();
        assert_eq!(quarantine.count(), 0);
    }

    #[test]
    fn a_store_that_is_out_of_reach_is_no_fault_of_the_object() {
        assert!(!is_lasting(&Error::unavailable("the network")));
        assert!(!is_lasting(&Error::busy("too many", 1)));
        assert!(is_lasting(&Error::internal("column kind: NULL")));
    }
}
