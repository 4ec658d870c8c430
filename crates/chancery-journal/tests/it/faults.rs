//! Each single change of a journal is found, and its place is named.

use std::{fs, path::PathBuf};

use chancery_journal::{Fault, Head, Problem};

use super::*;

/// A journal of three segments with a few records each, all raw: `(folder, its head, the records of each segment)`.
struct Kept {
    folder: tempfile::TempDir,
    head: Head,
}

impl Kept {
    fn new() -> Self {
        loop {
            let kept = Self::made();
            // The journal compresses the ones before where it is open for a second.
            if (1..=3).all(|segment| kept.path(segment).exists()) {
                return kept;
            }
        }
    }

    /// Each opening begins a segment.
    fn made() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut head = None;
        for segment in 0..3 {
            let journal = open(folder.path()).journal;
            for record in 0..4 {
                journal.append(&reads(&journal, &format!("{segment} {record}"))).unwrap();
            }
            head = Some(journal.head());
        }
        Self { folder, head: head.unwrap() }
    }

    fn path(&self, segment: u64) -> PathBuf {
        self.folder.path().join(format!("{segment:016}.journal"))
    }

    fn faults(&self) -> Vec<Fault> {
        let what = Walk { begins: Some(1), heads: vec![self.head], ..Walk::default() };
        walked(self.folder.path(), &what, &mut Vec::new()).faults
    }

    /// Where the records of a segment are, with their lengths and MACs.
    fn records(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
        let sealed = u16::from_be_bytes([bytes[80], bytes[81]]);
        let (mut at, mut records) = (82 + usize::from(sealed) + 16, Vec::new());
        while at + 4 <= bytes.len() {
            let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            if length == 0 {
                break;
            }
            records.push(at..at + 4 + length + 16);
            at += 4 + length + 16;
        }
        records
    }

    /// The first fault after one file was changed.
    fn after(&self, segment: u64, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Fault {
        let bytes = fs::read(self.path(segment)).unwrap();
        fs::write(self.path(segment), change(bytes.clone())).unwrap();
        let faults = self.faults();
        fs::write(self.path(segment), bytes).unwrap();
        assert_eq!(self.faults(), [], "put back");
        *faults.first().expect("it is found")
    }
}

const fn fault(segment: u64, record: u64, problem: Problem) -> Fault {
    Fault { segment, record, problem }
}

#[test]
fn every_single_bit_of_a_record_counts() {
    let kept = Kept::new();
    let bytes = fs::read(kept.path(2)).unwrap();
    let records = Kept::records(&bytes);
    assert_eq!(records.len(), 5, "four calls and the end");
    for (number, record) in (6..).zip(records) {
        // The length first: a wrong one may also lead behind the end of the file.
        for place in record.clone() {
            let found = kept.after(2, |mut bytes| {
                bytes[place] ^= 1 << (place % 8);
                bytes
            });
            assert_eq!((found.segment, found.record), (2, number), "{place} in {record:?}: {found}");
        }
    }
}

#[test]
fn what_is_removed_swapped_or_added_is_found_where_it_was() {
    let kept = Kept::new();
    let records = Kept::records(&fs::read(kept.path(2)).unwrap());
    for (place, record) in records.iter().enumerate() {
        let number = 6 + place as u64;
        let removed = kept.after(2, |bytes| [&bytes[..record.start], &bytes[record.end..]].concat());
        let expected = if place == 4 { Problem::CutOff } else { Problem::Changed };
        assert_eq!(removed, fault(2, number, expected));
        let twice = kept.after(2, |bytes| [&bytes[..record.end], &bytes[record.start..]].concat());
        let expected = if place == 4 { Problem::BehindEnd } else { Problem::Changed };
        assert_eq!(twice, fault(2, number + 1, expected));
        let cut = kept.after(2, |bytes| bytes[..record.start].to_vec());
        assert_eq!(cut, fault(2, number, Problem::CutOff));
        let zero = kept.after(2, |mut bytes| {
            bytes[record.start..record.start + 4].fill(0);
            bytes
        });
        assert_eq!(zero, fault(2, number, Problem::CutOff));
        if let Some(next) = records.get(place + 1) {
            let swapped = kept.after(2, |bytes| {
                [&bytes[..record.start], &bytes[next.clone()], &bytes[record.clone()], &bytes[next.end..]].concat()
            });
            assert_eq!(swapped, fault(2, number, Problem::Changed));
        }
    }
    let behind = kept.after(3, |bytes| [&bytes[..], &[0, 0, 0, 9]].concat());
    assert_eq!((behind.segment, behind.record), (3, 16));
}

#[test]
fn segments_that_are_gone_moved_or_foreign_are_named() {
    let kept = Kept::new();
    let bytes: Vec<_> = (1..=3).map(|segment| fs::read(kept.path(segment)).unwrap()).collect();
    let gone = |segment: u64| {
        fs::remove_file(kept.path(segment)).unwrap();
        let faults = kept.faults();
        fs::write(kept.path(segment), &bytes[segment as usize - 1]).unwrap();
        faults
    };
    assert_eq!(gone(1), [fault(1, 0, Problem::Gone)]);
    assert_eq!(gone(2), [fault(2, 6, Problem::Gone)]);
    assert_eq!(gone(3), [fault(2, 11, Problem::CutOff)], "against the head that was kept");
    assert_eq!(kept.after(2, |_| bytes[2].clone()), fault(2, 6, Problem::Foreign));
    let other = Kept::new();
    assert_eq!(kept.after(2, |_| fs::read(other.path(2)).unwrap()), fault(2, 6, Problem::Foreign));
    for place in 0..Kept::records(&bytes[1])[0].start {
        let found = kept.after(2, |mut bytes| {
            bytes[place] ^= 1;
            bytes
        });
        assert_eq!(found, fault(2, 6, Problem::Foreign), "{place} of the header");
    }
}

#[test]
fn archives_are_as_well_guarded() {
    let kept = Kept::new();
    let journal = open(kept.folder.path()).journal;
    let archive = kept.folder.path().join("0000000000000002.journal.zst");
    until("it is compressed", || archive.exists() && !kept.path(2).exists());
    drop(journal);
    assert_eq!(kept.faults(), []);
    let bytes = fs::read(&archive).unwrap();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        fs::write(&archive, changed).unwrap();
        let faults = kept.faults();
        // Some bits of the frame's header mean nothing.
        assert!(place < 8 || faults.first().is_some_and(|fault| fault.segment == 2), "{place}: {faults:?}");
    }
    for length in 0..bytes.len() {
        fs::write(&archive, &bytes[..length]).unwrap();
        let faults = kept.faults();
        // The checksum at the end is over what has MACs anyway.
        assert!(length + 8 > bytes.len() || !faults.is_empty(), "{length}: {faults:?}");
    }
}

#[test]
fn a_journal_rewritten_with_its_own_key_is_another_one_than_the_head_that_was_kept() {
    let kept = Kept::new();
    let other = tempfile::tempdir().unwrap();
    fs::copy(kept.path(1), other.path().join("0000000000000001.journal")).unwrap();
    for segment in 0..2 {
        let journal = open(other.path()).journal;
        for record in 0..4 {
            journal.append(&reads(&journal, &format!("forged {segment} {record}"))).unwrap();
        }
    }
    let what = Walk { begins: Some(1), ..Walk::default() };
    assert_eq!(walked(other.path(), &what, &mut Vec::new()).faults, [], "it is whole in itself");
    let what = Walk { heads: vec![kept.head], ..what };
    let faults = walked(other.path(), &what, &mut Vec::new()).faults;
    assert_eq!(faults, [fault(3, kept.head.record, Problem::OtherHead)]);
    // An older copy of the whole folder.
    fs::remove_file(other.path().join("0000000000000003.journal")).unwrap();
    let faults = walked(other.path(), &what, &mut Vec::new()).faults;
    assert_eq!(faults.first().map(|fault| fault.problem), Some(Problem::CutOff));
}

#[test]
fn a_damaged_end_is_told_at_the_next_start_and_nothing_is_written_over_it() {
    let kept = Kept::new();
    let mut bytes = fs::read(kept.path(3)).unwrap();
    let third = Kept::records(&bytes)[2].clone();
    bytes[third.start + 20] ^= 1;
    fs::write(kept.path(3), &bytes).unwrap();
    let opened = open(kept.folder.path());
    assert_eq!(opened.fault, Some(fault(3, 13, Problem::Changed)));
    assert_eq!(opened.found.map(|head| head.record), Some(12));
    opened.journal.append(&reads(&opened.journal, "x")).unwrap();
    drop(opened);
    assert_eq!(fs::read(kept.path(3)).unwrap(), bytes);
    assert_eq!(kept.faults()[0], fault(3, 13, Problem::Changed), "and it stays told");
}
