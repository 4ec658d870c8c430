//! How far the journals of the data plane went, from checkpoint to checkpoint: never less far than before, unless a record
//! says that a part is missing.

use std::collections::BTreeMap;

use chancery_x509::time::parse_rfc3339;

use super::{
    checkpoint::{JournalAnchor, LedgerCheckpoint},
    copy::Record,
    fault::LedgerFault,
};

impl JournalAnchor {
    /// Segment and record; none where it is no head.
    #[must_use]
    pub fn place(&self) -> Option<(u64, u64)> {
        let mut parts = self.head.split(':');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    /// Whether this head of a journal may come after that one.
    #[must_use]
    pub fn follows(&self, before: &Self) -> bool {
        self.place() > before.place() || self == before
    }
}

/// Says which checkpoints have less of a journal than one before them. `records` are leaves, in their order. Of what was
/// before the first `removed` of them ended no record needs to be there any more.
pub(super) fn compare(
    records: &[&Record],
    checkpoints: &[LedgerCheckpoint],
    removed: u64,
    tolerance_ms: i64,
    faults: &mut Vec<LedgerFault>,
) {
    let mut known: BTreeMap<&str, (&JournalAnchor, &LedgerCheckpoint)> = BTreeMap::new();
    for checkpoint in checkpoints {
        let mut now: BTreeMap<_, _> = checkpoint.journals.iter().map(|one| (one.journal.as_str(), one)).collect();
        known.retain(|journal, (anchor, before)| {
            let next = now.remove(journal);
            let follows = next.is_some_and(|next| next.follows(anchor));
            if !follows && before.head.size >= removed && !is_told(journal, records, (before, checkpoint), tolerance_ms)
            {
                faults.push(LedgerFault::Journal {
                    number: checkpoint.number,
                    journal: (*journal).to_owned(),
                    before: before.number,
                });
            }
            // What is told once is not told of each checkpoint after it.
            next.map(|next| (*anchor, *before) = (next, checkpoint)).is_some()
        });
        known.extend(now.into_iter().map(|(journal, anchor)| (journal, (anchor, checkpoint))));
    }
}

/// Whether a record says so: it is made before the store learns how far the journal goes now.
fn is_told(
    journal: &str,
    records: &[&Record],
    (before, now): (&LedgerCheckpoint, &LedgerCheckpoint),
    tolerance_ms: i64,
) -> bool {
    let from_ms = parse_rfc3339(&before.time).unwrap_or(i64::MAX).saturating_sub(tolerance_ms);
    let is_between =
        |record: &&&Record| record.time_ms >= from_ms && record.leaf.is_some_and(|leaf| leaf < now.head.size);
    records.iter().filter(is_between).any(|record| record.missed.as_deref() == Some(journal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::leaf_hash;

    const JOURNAL: &str = "0b5c2d3e-1111-4111-8111-000000000001";

    fn checkpoints(heads: &[Option<&str>]) -> Vec<LedgerCheckpoint> {
        let made = heads.iter().zip(0..).map(|(head, number)| {
            let mut made = LedgerCheckpoint::first("example/audit", format!("2026-06-21T12:0{number}:00Z"));
            (made.number, made.head.size) = (number, 10 * number);
            let anchor = |head: &str| JournalAnchor { journal: JOURNAL.to_owned(), head: head.to_owned() };
            made.journals = head.map(anchor).into_iter().collect();
            made
        });
        made.collect()
    }

    fn found(heads: &[Option<&str>], missed: Option<(u64, &str)>) -> Vec<(u64, u64)> {
        found_behind(0, heads, missed)
    }

    fn found_behind(removed: u64, heads: &[Option<&str>], missed: Option<(u64, &str)>) -> Vec<(u64, u64)> {
        let record = missed.map(|(leaf, time)| Record {
            archive: None,
            stays: true,
            number: 1,
            time_ms: parse_rfc3339(time).unwrap(),
            leaf: Some(leaf),
            hash: leaf_hash(b""),
            missed: Some(JOURNAL.to_owned()),
        });
        let (records, mut faults): (Vec<_>, _) = (record.iter().collect(), Vec::new());
        compare(&records, &checkpoints(heads), removed, 1_000, &mut faults);
        let places = faults.into_iter().map(|fault| {
            let LedgerFault::Journal { number, before, .. } = fault else { panic!("{fault}") };
            (number, before)
        });
        places.collect()
    }

    #[test]
    fn a_journal_that_goes_less_far_than_before_is_named_once() {
        assert_eq!(found(&[None, Some("1:5:aa"), Some("1:5:aa"), Some("2:6:bb")], None), []);
        assert_eq!(found(&[Some("2:6:bb"), Some("1:5:aa"), Some("1:5:aa"), Some("1:7:cc")], None), [(1, 0)]);
        assert_eq!(found(&[Some("1:5:aa"), Some("1:5:ab")], None), [(1, 0)], "the same place with other records");
        assert_eq!(found(&[Some("1:5:aa"), None, None], None), [(1, 0)]);
        assert_eq!(found(&[Some("1:5:aa"), Some("none")], None), [(1, 0)]);
    }

    #[test]
    fn what_a_record_between_them_tells_is_no_fault() {
        let set_back = [Some("2:6:bb"), Some("1:5:aa")];
        assert_eq!(found(&set_back, Some((9, "2026-06-21T12:00:30Z"))), []);
        assert_eq!(found(&set_back, Some((9, "2026-06-21T11:59:30Z"))), [(1, 0)], "told of another loss, before");
        assert_eq!(found(&set_back, Some((10, "2026-06-21T12:02:00Z"))), [(1, 0)], "told afterwards");
    }

    #[test]
    fn nothing_is_missed_of_what_was_removed() {
        let set_back = [Some("2:6:bb"), Some("1:5:aa"), Some("3:1:cc"), Some("2:1:dd")];
        assert_eq!(found_behind(0, &set_back, None), [(1, 0), (3, 2)]);
        assert_eq!(found_behind(5, &set_back, None), [(3, 2)]);
        assert_eq!(found_behind(25, &set_back, None), []);
    }
}
