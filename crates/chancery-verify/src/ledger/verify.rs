//! Compares a copy of the ledger with itself, with its signatures, and with what a witness has.

use std::collections::HashMap;

use chancery_x509::time::parse_rfc3339;

use super::{
    archives,
    checkpoint::LedgerCheckpoint,
    copy::{LedgerCopy, Record},
    demand::{Demand, Witnessed},
    fault::LedgerFault,
    journals,
};
use crate::log::{
    LogKey,
    tree::{self, Hash, Tiles},
};

/// How much older than the checkpoint before it a record may be, in milliseconds: far more than any transaction takes from
/// its record to its commit, and the sequencer after that. One that is older yet was inserted, or its server's clock was
/// wrong.
pub const TOLERANCE_MS: i64 = 60_000;

/// What was found in a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerState {
    /// Records.
    pub records: u64,
    /// So many leaves, the first ones, may have no records any more, since their time was over.
    pub removed: u64,
    /// Those of a store at work that came after the newest checkpoint: nothing proves them yet.
    pub newer: u64,
    /// The newest checkpoint that is believed.
    pub newest: Option<LedgerCheckpoint>,
    /// The newest one that as many witnesses have cosigned as are demanded.
    pub witnessed: Option<Witnessed>,
    /// What is not as it was; nothing where all is.
    pub faults: Vec<LedgerFault>,
}

impl LedgerState {
    /// That of a store that cannot be read for these faults.
    #[must_use]
    pub fn unread(mut faults: Vec<LedgerFault>) -> Self {
        faults.push(LedgerFault::Unread);
        Self { records: 0, removed: 0, newer: 0, newest: None, witnessed: None, faults }
    }
}

/// Goes through a copy of the ledger, and compares it with checkpoints that somebody kept, and with what is demanded of witnesses.
#[must_use]
pub fn verify_ledger(
    copy: LedgerCopy,
    key: &LogKey,
    (witnesses, demand): (&[String], &Demand),
    tolerance_ms: i64,
) -> LedgerState {
    let LedgerCopy { mut records, hashes, checkpoints: notes, unreadable: mut faults, archives, is_live, .. } = copy;
    let checkpoints = chain(&notes, key, &mut faults);
    let newest = checkpoints.last().cloned();
    let size = newest.as_ref().map_or(0, |newest| newest.head.size);
    if size != hashes.len() as u64 {
        faults.push(LedgerFault::Cut { size, leaves: hashes.len() as u64 });
    }
    let time_ms = newest.as_ref().and_then(|newest| parse_rfc3339(&newest.time)).unwrap_or(i64::MAX);
    records.sort_by_key(|record| (record.leaf, record.number));
    let (newer, leaves): (Vec<_>, Vec<_>) =
        records.iter().partition(|record| record.leaf.is_none_or(|leaf| leaf >= hashes.len() as u64));
    let (removed, kept) = newest.as_ref().map_or((0, 0), |newest| (newest.removed, newest.kept));
    compare(&leaves, &hashes, removed, &mut faults);
    archives::compare(&leaves, &archives, &mut faults);
    let found = stayed(&leaves, &hashes, removed);
    faults.extend((found < kept).then_some(LedgerFault::Kept { removed, kept, found }));
    out_of_time(&leaves, (&checkpoints, &hashes), tolerance_ms, &mut faults);
    let is_outside = |record: &&Record| !is_live || record.time_ms < time_ms.saturating_sub(tolerance_ms);
    let (outside, waiting): (Vec<_>, Vec<_>) = newer.iter().copied().partition(is_outside);
    faults.extend(outside.iter().map(|record| LedgerFault::Outside { number: record.number }));
    faults.extend(waiting_long(&waiting, tolerance_ms));
    journals::compare(&leaves, &checkpoints, removed, tolerance_ms, &mut faults);
    let tree = Tree::of(&hashes);
    roots(&checkpoints, &tree, &mut faults);
    compare_with_witnesses(witnesses, key, &checkpoints, &tree, &mut faults);
    let witnessed = demand.newest(notes.iter().chain(witnesses), key, &mut faults);
    // The same line again, such as of an archive that is still in the export, counts once.
    let same =
        |one: &Record, other: &Record| (one.leaf, one.number, one.hash) == (other.leaf, other.number, other.hash);
    let count = records.chunk_by(same).count() as u64;
    LedgerState { records: count, removed, newer: newer.len() as u64, newest, witnessed, faults }
}

/// The first of records that are no leaves yet, where they have come for longer than a server at work leaves one so.
fn waiting_long(waiting: &[&Record], tolerance_ms: i64) -> Option<LedgerFault> {
    let first = waiting.iter().min_by_key(|record| (record.time_ms, record.number))?;
    let last_ms = waiting.iter().map(|record| record.time_ms).max()?;
    let waited_ms = last_ms.saturating_sub(first.time_ms);
    let seconds = waited_ms.unsigned_abs().div_ceil(1_000);
    (waited_ms > tolerance_ms).then_some(LedgerFault::Waiting { number: first.number, seconds })
}

/// The checkpoints that are believed, in the order in which they stand; each must be signed, in its place, and have the
/// hash of the one before.
fn chain(notes: &[String], key: &LogKey, faults: &mut Vec<LedgerFault>) -> Vec<LedgerCheckpoint> {
    if notes.is_empty() {
        faults.push(LedgerFault::NoCheckpoint);
    }
    let (mut checkpoints, mut expected, mut before) = (Vec::new(), 0, Some([0; 32]));
    for note in notes {
        let checkpoint = match LedgerCheckpoint::open(note, key) {
            Ok(checkpoint) => checkpoint,
            Err(why) => {
                faults.push(LedgerFault::Unsigned { number: expected, why });
                (expected, before) = (expected + 1, None);
                continue;
            }
        };
        let number = checkpoint.number;
        if number != expected {
            faults.push(LedgerFault::Place { expected, found: number });
        } else if before.is_some_and(|before| before != checkpoint.previous) {
            faults.push(LedgerFault::Link { number });
        }
        let LedgerCheckpoint { removed, .. } = checkpoint;
        let fewest = checkpoints.last().map_or(0, |before: &LedgerCheckpoint| before.removed);
        if removed < fewest || removed > checkpoint.head.size {
            faults.push(LedgerFault::Removed { number, removed });
        }
        (expected, before) = (number.saturating_add(1), Some(checkpoint.hash()));
        checkpoints.push(checkpoint);
    }
    checkpoints
}

/// Each leaf's record must be there once, and as it was; of the first ones, which were removed, it may be. The records are in
/// the order of their leaves, all of which have a hash.
fn compare(records: &[&Record], hashes: &[Hash], removed: u64, faults: &mut Vec<LedgerFault>) {
    let (mut next, mut before) = (0, None);
    for same in records.chunk_by(|one, other| one.leaf == other.leaf) {
        let Some(leaf) = same[0].leaf else { continue };
        // What an archive beside the copy has is not missed in the copy only where it was removed.
        let is_there = leaf < removed || same.iter().any(|record| record.archive.is_none());
        if is_there {
            missing(next.max(removed), leaf, before, faults);
            next = leaf + 1;
        }
        let is_right = |record: &&Record| hashes.get(leaf as usize) == Some(&record.hash);
        let right = same.iter().position(is_right);
        for (place, record) in same.iter().enumerate() {
            let number = record.number;
            // The same line again, such as of an archive that is still in the export, adds nothing.
            let is_again = right.is_some_and(|right| same[right].hash == record.hash);
            if is_again && place != right.unwrap_or(0) {
                continue;
            }
            if place != right.unwrap_or(0) {
                faults.push(LedgerFault::Twice { leaf, number });
            } else if right.is_none() {
                faults.push(LedgerFault::Changed { leaf, number });
            }
            before = if is_there { Some(number) } else { before };
        }
    }
    missing(next.max(removed), hashes.len() as u64, before, faults);
    name_moved(records, hashes, faults);
}

/// How many of the first leaves have their record in the copy itself, of those records that stay: any other one there is no proof
/// that none of them is gone.
fn stayed(records: &[&Record], hashes: &[Hash], removed: u64) -> u64 {
    let right = |record: &&&Record| {
        record.archive.is_none()
            && record.stays
            && record.leaf.is_some_and(|leaf| leaf < removed && hashes.get(leaf as usize) == Some(&record.hash))
    };
    let mut leaves: Vec<_> = records.iter().filter(right).filter_map(|record| record.leaf).collect();
    leaves.dedup();
    leaves.len() as u64
}

fn missing(from: u64, until: u64, after: Option<i64>, faults: &mut Vec<LedgerFault>) {
    if from < until {
        faults.push(LedgerFault::Missing { leaf: from, count: until - from, after });
    }
}

/// No record is older than the checkpoints that were there before it became a leaf, or newer than the first one over it.
/// Records from before there was a ledger are older, and come first. Of what was changed no time is believed.
fn out_of_time(
    records: &[&Record],
    (checkpoints, hashes): (&[LedgerCheckpoint], &[Hash]),
    tolerance_ms: i64,
    faults: &mut Vec<LedgerFault>,
) {
    let time_of = |checkpoint: &LedgerCheckpoint| parse_rfc3339(&checkpoint.time).unwrap_or(i64::MIN);
    let Some(begin_ms) = checkpoints.first().map(time_of) else { return };
    let (mut before, mut has_begun) = (checkpoints.iter().peekable(), false);
    let mut newest = (i64::MIN, 0);
    for record in records {
        let Some(leaf) = record.leaf else { continue };
        while let Some(passed) = before.next_if(|checkpoint| checkpoint.head.size <= leaf) {
            newest = newest.max((time_of(passed), passed.number));
        }
        if hashes.get(leaf as usize) != Some(&record.hash) {
            continue;
        }
        has_begun |= record.time_ms >= begin_ms.saturating_sub(tolerance_ms);
        if let Some(over) = before.peek()
            && record.time_ms > time_of(over).saturating_add(tolerance_ms)
        {
            let seconds = record.time_ms.abs_diff(time_of(over)).div_ceil(1_000);
            faults.push(LedgerFault::Early { leaf, number: record.number, checkpoint: over.number, seconds });
        }
        if has_begun && record.time_ms < newest.0.saturating_sub(tolerance_ms) {
            let seconds = newest.0.abs_diff(record.time_ms).div_ceil(1_000);
            faults.push(LedgerFault::Late { leaf, number: record.number, checkpoint: newest.1, seconds });
        }
    }
}

/// What looks changed may be another leaf's record.
fn name_moved(records: &[&Record], hashes: &[Hash], faults: &mut [LedgerFault]) {
    if !faults.iter().any(|fault| matches!(fault, LedgerFault::Changed { .. })) {
        return;
    }
    let places: HashMap<&Hash, u64> = hashes.iter().zip(0..).collect();
    let by_number: HashMap<i64, &Hash> = records.iter().map(|record| (record.number, &record.hash)).collect();
    for fault in faults {
        let LedgerFault::Changed { leaf, number } = *fault else { continue };
        if let Some(belongs) = by_number.get(&number).and_then(|hash| places.get(hash)).copied() {
            *fault = LedgerFault::Moved { leaf, number, belongs };
        }
    }
}

/// The tree over the hashes that were stored.
struct Tree {
    tiles: Tiles,
    size: u64,
}

impl Tree {
    fn of(hashes: &[Hash]) -> Self {
        let mut tiles = Tiles::new();
        let appended = tree::append(&mut tiles, 0, hashes);
        Self { tiles, size: appended.map_or(0, |_| hashes.len() as u64) }
    }

    /// The root over the first so many leaves.
    fn root(&self, size: u64) -> Option<Hash> {
        (size <= self.size).then(|| tree::range_hash(0..size, &self.tiles)).flatten()
    }
}

/// Each checkpoint must have the root of its leaves. Only the first that has not is told: those after it have neither.
fn roots(checkpoints: &[LedgerCheckpoint], tree: &Tree, faults: &mut Vec<LedgerFault>) {
    let mut from = 0;
    for LedgerCheckpoint { head, number, .. } in checkpoints {
        match tree.root(head.size) {
            // The end was cut off, which is told already.
            None => return,
            Some(root) if root == head.root => from = head.size,
            Some(_) => {
                faults.push(LedgerFault::Root { number: *number, from, to: head.size.saturating_sub(1) });
                return;
            }
        }
    }
}

fn compare_with_witnesses(
    witnesses: &[String],
    key: &LogKey,
    checkpoints: &[LedgerCheckpoint],
    tree: &Tree,
    faults: &mut Vec<LedgerFault>,
) {
    let opened = witnesses.iter().map(|note| LedgerCheckpoint::open(note, key));
    let (mut seen, unsigned): (Vec<_>, Vec<_>) = opened.partition(Result::is_ok);
    faults.extend(unsigned.into_iter().filter_map(Result::err).map(LedgerFault::Witness));
    seen.sort_by_key(|witness| witness.as_ref().map_or(0, |witness| witness.head.size));
    let newest = checkpoints.last().map_or(0, |newest| newest.number);
    let mut from = 0;
    for LedgerCheckpoint { head, number, .. } in seen.iter().filter_map(|witness| witness.as_ref().ok()) {
        match tree.root(head.size) {
            None => {
                faults.push(LedgerFault::SetBack { number: *number, size: head.size, newest, leaves: tree.size });
            }
            Some(root) if root != head.root => {
                faults.push(LedgerFault::WrittenAnew { number: *number, size: head.size, from });
            }
            Some(_) => from = head.size,
        }
    }
    for witness in seen.into_iter().flatten() {
        let ours = checkpoints.iter().find(|ours| ours.number == witness.number);
        match ours {
            Some(ours) if *ours != witness => {
                faults.push(LedgerFault::OtherCheckpoint { number: witness.number });
            }
            // The records are all there, and this checkpoint over them is not.
            None if tree.root(witness.head.size) == Some(witness.head.root) => {
                faults.push(LedgerFault::OtherCheckpoint { number: witness.number });
            }
            Some(_) | None => {}
        }
    }
}
