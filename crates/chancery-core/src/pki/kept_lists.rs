//! Revocation lists in memory: what was signed last, and whether anything can have changed since it was looked at.
//!
//! A list of 100,000 certificates takes a third of a second to read and sign, and has some megabytes; nearly all who ask for
//! it have it already. So a request for a list that did not change touches neither the store nor the key.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chancery_types::CertificateId;

use super::lists::{ListKind, ListVersion};

/// The lists of all authorities.
pub(crate) struct KeptLists {
    bytes_max: usize,
    kept: Mutex<Kept>,
    /// Held while lists are made: their entries are read from the store, which others want to read, too.
    pub(super) making: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    by_issuer: HashMap<CertificateId, Known>,
    bytes: usize,
    /// Counts the changes. What was read from the store before one says nothing about the time after it.
    generation: u64,
    turns: HashMap<CertificateId, Arc<tokio::sync::Mutex<()>>>,
}

/// What is known of an authority's lists.
struct Known {
    version: ListVersion,
    /// Where nothing was revoked or released since.
    is_newest: bool,
    /// Where there is room for them.
    lists: Option<Lists>,
}

/// Both lists of an authority, in DER.
#[derive(Clone)]
pub(super) struct Lists {
    pub(super) complete: Arc<[u8]>,
    pub(super) delta: Arc<[u8]>,
}

impl Lists {
    pub(super) fn of(&self, kind: ListKind) -> Arc<[u8]> {
        Arc::clone(match kind {
            ListKind::Complete => &self.complete,
            ListKind::Delta => &self.delta,
        })
    }

    fn bytes(&self) -> usize {
        self.complete.len() + self.delta.len()
    }
}

/// The state of the store that something was read from.
#[derive(Clone, Copy)]
pub(super) struct Generation(u64);

impl KeptLists {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, kept: Mutex::default(), making: tokio::sync::Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called before the store is read.
    pub(super) fn generation(&self) -> Generation {
        Generation(self.kept().generation)
    }

    /// Which lists of an authority are the newest, as far as is known without asking the store.
    pub(super) fn newest(&self, issuer: CertificateId) -> Option<ListVersion> {
        self.kept().by_issuer.get(&issuer).filter(|known| known.is_newest).map(|known| known.version)
    }

    /// The lists of this number.
    pub(super) fn lists(&self, issuer: CertificateId, number: i64) -> Option<Lists> {
        let kept = self.kept();
        kept.by_issuer.get(&issuer).filter(|known| known.version.number == number)?.lists.clone()
    }

    /// Keeps that these are the newest, unless something changed since the store was read.
    pub(super) fn note(&self, read: Generation, issuer: CertificateId, version: ListVersion) {
        let mut kept = self.kept();
        let is_newest = kept.generation == read.0;
        let same = kept.by_issuer.get(&issuer).is_some_and(|known| known.version == version);
        if !same {
            kept.forget_lists(issuer);
            kept.by_issuer.insert(issuer, Known { version, is_newest, lists: None });
        } else if let Some(known) = kept.by_issuer.get_mut(&issuer) {
            known.is_newest = is_newest;
        }
    }

    /// Keeps lists of the number that was noted, where they are not too large. Where there is no room, those of others go.
    pub(super) fn keep(&self, issuer: CertificateId, number: i64, lists: &Lists) {
        let mut kept = self.kept();
        let bytes = lists.bytes();
        let is_noted = kept.by_issuer.get(&issuer).is_some_and(|known| known.version.number == number);
        if !is_noted || bytes > self.bytes_max {
            return;
        }
        kept.forget_lists(issuer);
        if kept.bytes + bytes > self.bytes_max {
            kept.by_issuer.values_mut().for_each(|known| known.lists = None);
            kept.bytes = 0;
        }
        kept.bytes += bytes;
        if let Some(known) = kept.by_issuer.get_mut(&issuer) {
            known.lists = Some(lists.clone());
        }
    }

    /// The turn to make an authority's lists. Only of authorities that there are: they are never forgotten.
    pub(super) fn turn(&self, issuer: CertificateId) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(self.kept().turns.entry(issuer).or_default())
    }

    /// Something was revoked or released, or an authority is trusted no longer: the store is asked before any list is given
    /// out again.
    pub(crate) fn look_again(&self) {
        let mut kept = self.kept();
        kept.generation += 1;
        kept.by_issuer.values_mut().for_each(|known| known.is_newest = false);
    }
}

impl Kept {
    fn forget_lists(&mut self, issuer: CertificateId) {
        let lists = self.by_issuer.get_mut(&issuer).and_then(|known| known.lists.take());
        self.bytes -= lists.map_or(0, |lists| lists.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CertificateId = CertificateId::from_u128(1);
    const OTHER: CertificateId = CertificateId::from_u128(2);

    fn version(number: i64) -> ListVersion {
        ListVersion { number, signed_s: 100 * number }
    }

    fn lists(bytes: usize) -> Lists {
        Lists { complete: vec![0; bytes].into(), delta: Arc::default() }
    }

    #[test]
    fn after_a_change_the_store_is_asked_and_the_lists_stay_for_as_long_as_their_number() {
        let kept = KeptLists::new(100);
        kept.note(kept.generation(), ONE, version(1));
        kept.keep(ONE, 1, &lists(10));
        kept.keep(ONE, 2, &lists(20));
        assert_eq!((kept.newest(ONE), kept.newest(OTHER)), (Some(version(1)), None));
        let read = kept.generation();
        kept.look_again();
        assert_eq!(kept.newest(ONE), None);
        kept.note(read, ONE, version(1));
        assert_eq!(kept.newest(ONE), None, "it was read before the change");
        kept.note(kept.generation(), ONE, version(1));
        assert_eq!(kept.newest(ONE), Some(version(1)));
        assert_eq!(kept.lists(ONE, 1).map(|lists| lists.complete.len()), Some(10));
        kept.note(kept.generation(), ONE, version(2));
        assert!(kept.lists(ONE, 1).is_none() && kept.lists(ONE, 2).is_none());
        assert_eq!(kept.kept().bytes, 0);
    }

    #[test]
    fn no_more_is_kept_than_fits() {
        let kept = KeptLists::new(100);
        for issuer in [ONE, OTHER] {
            kept.note(kept.generation(), issuer, version(1));
            for bytes in [60, 101, 70] {
                kept.keep(issuer, 1, &lists(bytes));
                assert!(kept.kept().bytes <= 100);
            }
            assert_eq!(kept.lists(issuer, 1).map(|lists| lists.complete.len()), Some(70));
        }
        assert!(kept.lists(ONE, 1).is_none(), "there was no room for both");
        assert_eq!(kept.kept().bytes, 70);
        assert_eq!(kept.newest(ONE), Some(version(1)));
    }
}
