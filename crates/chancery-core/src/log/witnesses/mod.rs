//! Witnesses (c2sp.org/tlog-witness): servers elsewhere that remember the trees of the transparency log and of the audit ledger,
//! and put a cosignature under each checkpoint that only adds to what they have seen. So nobody can be shown another history than
//! others, not even by whoever has the keys of this installation.
//!
//! `ask` sends each witness the newest checkpoint of a tree with the proof that it adds to the last one (`request`), and reads what
//! comes back (`answer`). `notes` puts cosignatures under the checkpoints that are shown.

mod answer;
mod ask;
mod notes;
mod request;

#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use chancery_store::tables::tiles::Tree;
use chancery_verify::log::WitnessKey;

pub(super) use self::notes::shown;
pub(crate) use self::notes::{Shown, cosigned, with_cosignatures};
use crate::{Limits, Log, Visitor, base::pool::Pool};

/// Witnesses that are asked at a time.
const ASKED_MAX: usize = 4;

/// Both trees, in the words of the audit records.
const TREES: [(Tree, &str); 2] = [(Tree::Log, "Log"), (Tree::Ledger, "Ledger")];

/// A witness, as whoever starts the server names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Its key, with its name.
    pub key: WitnessKey,
    /// What stands before `/add-checkpoint`: an https address without a slash at its end.
    pub url: String,
}

/// What asking them needs while the server runs.
pub(crate) struct Witnesses {
    configured: Vec<Witness>,
    pool: Pool,
    /// Which are just being asked, by the place of the tree and the witness's.
    busy: Mutex<HashSet<(usize, usize)>>,
    cosigned: AtomicU64,
    failed: AtomicU64,
    failing: AtomicU64,
}

/// Figures for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WitnessCounts {
    /// Cosignatures that this server got.
    pub cosigned: u64,
    /// Attempts of this server that failed.
    pub failed: u64,
    /// Witnesses that do not cosign, each tree by itself.
    pub failing: u64,
}

impl Witnesses {
    pub(crate) fn new(configured: Vec<Witness>, limits: &Limits) -> Self {
        Self {
            configured,
            pool: Pool::with_slots(ASKED_MAX, limits),
            busy: Mutex::default(),
            cosigned: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            failing: AtomicU64::new(0),
        }
    }

    fn busy(&self) -> MutexGuard<'_, HashSet<(usize, usize)>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// What became of asking witnesses; none where none are named.
    #[must_use]
    pub fn witness_counts(&self, _visitor: &Visitor) -> Option<WitnessCounts> {
        let Witnesses { configured, cosigned, failed, failing, .. } = &self.witnesses;
        let [cosigned, failed, failing] = [cosigned, failed, failing].map(|count| count.load(Ordering::Relaxed));
        (!configured.is_empty()).then_some(WitnessCounts { cosigned, failed, failing })
    }
}
