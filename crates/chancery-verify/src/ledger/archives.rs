//! Archives that are given beside a copy: whatever belongs into one must be in it, or have stayed. So a download can be checked
//! while the archive is still here.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use chancery_types::Action;

use super::{copy::Record, fault::LedgerFault};

/// Records that the server itself looks for, whatever their age: they are few, and stay at hand. In no archive is one of them.
pub const STAYS: [Action; 5] = [
    Action::JournalMiss,
    Action::JournalFail,
    Action::JournalResume,
    Action::TokenProfileDelete,
    Action::SettingsChange,
];

/// Over which leaves an archive goes is what the record of its making or removal says, of each of which something is in a file.
/// Where that is not among the records any more, it is from the first to the last leaf that the file has. The records are in the
/// order of their leaves, all of which the ledger has.
pub(super) fn compare(leaves: &[&Record], archives: &[Range<u64>], faults: &mut Vec<LedgerFault>) {
    let (mut given, mut stayed) = (BTreeMap::<usize, BTreeSet<u64>>::new(), BTreeSet::new());
    for record in leaves {
        match (record.archive, record.leaf) {
            (Some(archive), Some(leaf)) => _ = given.entry(archive).or_default().insert(leaf),
            (None, Some(leaf)) if record.stays => _ = stayed.insert(leaf),
            (_, _) => {}
        }
    }
    let mut expected = BTreeSet::new();
    for file in given.values() {
        let touched = archives.iter().filter(|archive| file.range((*archive).clone()).next().is_some());
        expected.extend(touched.flat_map(Clone::clone));
        let unknown = |leaf: &&u64| !archives.iter().any(|archive| archive.contains(*leaf));
        if let (Some(first), Some(last)) = (file.iter().find(unknown), file.iter().rfind(unknown)) {
            expected.extend(*first..=*last);
        }
    }
    let is_there = |leaf: &u64| stayed.contains(leaf) || given.values().any(|file| file.contains(leaf));
    let missing: Vec<_> = expected.into_iter().filter(|leaf| !is_there(leaf)).collect();
    for run in missing.chunk_by(|one, next| one + 1 == *next) {
        faults.push(LedgerFault::ArchiveCut { leaf: run[0], count: run.len() as u64 });
    }
}
