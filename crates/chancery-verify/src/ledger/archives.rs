//! Archives that were downloaded before they were removed: whatever belongs into one must be in it, or have stayed.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{copy::Record, fault::LedgerFault};

/// Over which leaves an archive goes is what the record of its making or removal says. Where that is not among the records any
/// more, it is from the first to the last leaf that the archive has. The records are in the order of their leaves, all of which
/// the ledger has.
pub(super) fn compare(leaves: &[&Record], archives: &[Range<u64>], removed: u64, faults: &mut Vec<LedgerFault>) {
    let mut given: BTreeMap<usize, Range<u64>> = BTreeMap::new();
    for record in leaves {
        if let (Some(archive), Some(leaf)) = (record.archive, record.leaf) {
            given.entry(archive).or_insert(leaf..leaf).end = leaf + 1;
        }
    }
    let mut expected = BTreeSet::new();
    for Range { start, end } in given.into_values() {
        let whole = archives.iter().find(|archive| archive.contains(&start));
        let (start, end) = whole.map_or((start, end), |whole| (whole.start, whole.end.max(end)));
        // Whatever was not removed is missed already.
        expected.extend(start..end.min(removed));
    }
    for leaf in leaves.iter().filter_map(|record| record.leaf) {
        expected.remove(&leaf);
    }
    let missing: Vec<_> = expected.into_iter().collect();
    for run in missing.chunk_by(|one, next| one + 1 == *next) {
        let before = leaves.partition_point(|record| record.leaf < Some(run[0]));
        let after = before.checked_sub(1).and_then(|before| leaves.get(before)).map(|record| record.number);
        faults.push(LedgerFault::Missing { leaf: run[0], count: run.len() as u64, after });
    }
}
