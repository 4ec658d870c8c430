//! The identities of a session as those who submit requests: one set, that all of their requests name. It is stored with
//! the first of them, and called after what it has, so that every node calls it the same.

use std::{
    array,
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chancery_store::tables::submitter_sets::Submitter;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use crate::{Caller, Member};

/// Sets that are remembered: more than sessions submit at a time.
const SETS_MAX: usize = 4_096;

/// What the set of a caller's identities, with their names as they are, is called: the beginning of a SHA-256 as a
/// version 8 UUID (RFC 9562).
pub(super) fn set_id(caller: &Caller) -> Uuid {
    id_of(caller.members())
}

fn id_of(members: &[Member]) -> Uuid {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_unstable_by_key(|member| member.id);
    let hash = members.iter().fold(Sha256::new(), |hash, member| {
        let length = (member.name.len() as u64).to_be_bytes();
        hash.chain_update(member.id.as_bytes()).chain_update(length).chain_update(&member.name)
    });
    let hash: [u8; 32] = hash.finalize().into();
    Builder::from_custom_bytes(array::from_fn(|byte| hash[byte])).into_uuid()
}

/// Its members.
pub(super) fn members(caller: &Caller) -> Vec<Submitter> {
    let submitter = |member: &Member| Submitter { id: member.id.into(), name: member.name.clone() };
    caller.members().iter().map(submitter).collect()
}

/// Sets that this node has seen committed. Nothing deletes one, so they need not be stored again.
#[derive(Debug, Default)]
pub(crate) struct StoredSubmitters(Mutex<HashSet<Uuid>>);

impl StoredSubmitters {
    fn sets(&self) -> MutexGuard<'_, HashSet<Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has(&self, set: Uuid) -> bool {
        self.sets().contains(&set)
    }

    /// Whether a request of this set was committed. Where it was not, the set is stored again with the next one: a
    /// database that came back with less than it had, as a replica may, refuses requests of a set that it has not.
    pub(super) fn learn(&self, set: Uuid, is_committed: bool) {
        let mut sets = self.sets();
        if !is_committed {
            sets.remove(&set);
        } else if !sets.contains(&set) {
            if sets.len() >= SETS_MAX {
                sets.clear();
            }
            sets.insert(set);
        }
    }
}

#[cfg(test)]
mod tests;
