//! A journal that is gone through piece by piece.

use std::{fs, ops::RangeInclusive};

use chancery_journal::{Place, Problem, walk_while};

use super::*;

/// The tags in a folder, in walks that are left after so many records or passed segments; and how many walks it took.
fn in_pieces(folder: &Path, records: usize, what: &Walk) -> (Vec<[u8; 8]>, usize) {
    let (mut tags, mut walks, mut after) = (Vec::new(), 0, None);
    loop {
        let walked = piece(folder, records, &Walk { after, ..what.clone() }, &mut tags);
        assert_eq!(walked.faults, []);
        walks += 1;
        // As a caller hands it back.
        after = walked.left.map(|place| Place::of_bytes(&place.to_bytes()).unwrap());
        if after.is_none() {
            return (tags, walks);
        }
    }
}

fn piece(folder: &Path, records: usize, what: &Walk, tags: &mut Vec<[u8; 8]>) -> Walked {
    let mut left = records;
    let mut goes_on = || {
        left -= 1;
        left > 0
    };
    let mut visit = |found: chancery_journal::Found<'_>| {
        tags.extend(found.call.tags.chunks_exact(8).map(|tag| <[u8; 8]>::try_from(tag).unwrap()));
    };
    walk_while(folder, &TestKeys, what, &mut visit, &mut goes_on).unwrap()
}

/// A journal whose segments were made an hour after each other, with so many records each. The last one is still written.
fn hourly(folder: &Path, segments: i64, records: usize) -> (Journal, Time) {
    let time = Time::default();
    let mut journal = None;
    for segment in 0..segments {
        drop(journal.take());
        time.set(segment * HOUR_MS);
        let options = Options { keep_ms: i64::MAX, ..options(folder, &time) };
        let open = Journal::open(options, &TestKeys).unwrap().journal;
        for record in 0..records {
            open.append(&reads(&open, &format!("{segment} {record}"))).unwrap();
        }
        journal = Some(open);
    }
    (journal.unwrap(), time)
}

#[test]
fn pieces_together_are_the_whole_however_small_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = hourly(folder.path(), 4, 3);
    let what = Walk { begins: Some(1), heads: vec![journal.head()], ..Walk::default() };
    let whole = tags_in(folder.path());
    assert_eq!(whole.len(), 12);
    for records in [1, 2, 3, 4, 5, 100] {
        let (tags, walks) = in_pieces(folder.path(), records, &what);
        assert_eq!(tags, whole, "{records}");
        assert!(walks >= 15 / records, "{records}: {walks}");
    }
}

#[test]
fn a_walk_goes_on_in_a_segment_that_was_compressed_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = hourly(folder.path(), 2, 3);
    let mut tags = Vec::new();
    let left = piece(folder.path(), 2, &Walk::default(), &mut tags).left;
    assert_eq!(left.unwrap().segment, 1);
    until("the first segment is compressed", || !folder.path().join("0000000000000001.journal").exists());
    let rest = piece(folder.path(), 100, &Walk { after: left, ..Walk::default() }, &mut tags);
    assert_eq!((rest.faults.as_slice(), rest.left), (&[][..], None));
    assert_eq!(tags, tags_in(folder.path()));
    // What came since is found from the same place, too.
    journal.append(&reads(&journal, "later")).unwrap();
    let mut later = Vec::new();
    piece(folder.path(), 100, &Walk { after: left, ..Walk::default() }, &mut later);
    assert_eq!(later.last(), Some(&journal.tag("later")));
}

#[test]
fn what_is_gone_or_another_one_at_the_place_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = hourly(folder.path(), 4, 3);
    let left = piece(folder.path(), 6, &Walk::default(), &mut Vec::new()).left.unwrap();
    assert_eq!(left.segment, 2);
    drop(journal);
    let fault = |what: &Walk| {
        let faults = piece(folder.path(), 100, what, &mut Vec::new()).faults;
        faults.first().map(|fault| (fault.segment, fault.problem))
    };
    let after = Walk { after: Some(left), ..Walk::default() };
    assert_eq!(fault(&after), None);
    let mut other = left;
    other.read.as_mut().unwrap().hash = [0; 32];
    assert_eq!(fault(&Walk { after: Some(other), ..Walk::default() }), Some((2, Problem::Changed)));
    for name in ["0000000000000002.journal", "0000000000000002.journal.zst"] {
        let _other_form = fs::remove_file(folder.path().join(name));
    }
    assert_eq!(fault(&after), Some((2, Problem::Gone)));
    // Its time was over, and the store knows it.
    assert_eq!(fault(&Walk { begins: Some(3), ..after }), None);
}

/// The tags of the calls in segments that may be of this time.
fn of_time(folder: &Path, records: usize, time_ms: RangeInclusive<i64>, head: chancery_journal::Head) -> usize {
    let what = Walk { time_ms: Some(time_ms), heads: vec![head], ..Walk::default() };
    in_pieces(folder, records, &what).0.len()
}

#[test]
fn segments_of_another_time_are_passed_over_and_a_walk_can_be_left_between_them() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = hourly(folder.path(), 5, 3);
    let head = journal.head();
    for records in [1, 2, 100] {
        // And the newest one, which has no end yet: whoever's clock was wrong still writes it.
        assert_eq!(of_time(folder.path(), records, 2 * HOUR_MS + 600_000..=3 * HOUR_MS - 600_000, head), 6);
        assert_eq!(of_time(folder.path(), records, 0..=HOUR_MS / 2, head), 6);
        assert_eq!(of_time(folder.path(), records, 9 * HOUR_MS..=i64::MAX, head), 3, "the newest one has no end yet");
        assert_eq!(of_time(folder.path(), records, i64::MIN..=i64::MAX, head), 15);
    }
    // Nobody vouches for the time in a header that was changed: it is read, and told.
    drop(journal);
    let newest = folder.path().join("0000000000000005.journal");
    let mut bytes = fs::read(&newest).unwrap();
    bytes[40] ^= 1;
    fs::write(&newest, bytes).unwrap();
    let what = Walk { time_ms: Some(0..=1), ..Walk::default() };
    let walked = piece(folder.path(), 100, &what, &mut Vec::new());
    assert_eq!(walked.faults.first().map(|fault| (fault.segment, fault.problem)), Some((5, Problem::Foreign)));
}

#[test]
fn a_tail_that_is_gone_shows_also_where_only_a_time_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = hourly(folder.path(), 3, 3);
    let head = journal.head();
    drop(journal);
    fs::remove_file(folder.path().join("0000000000000003.journal")).unwrap();
    let what = Walk { time_ms: Some(0..=HOUR_MS / 2), heads: vec![head], ..Walk::default() };
    let walked = piece(folder.path(), 100, &what, &mut Vec::new());
    assert_eq!(walked.faults.first().map(|fault| fault.problem), Some(Problem::CutOff));
}

/// What is wrong where only a time is asked for.
fn faults_of_time(folder: &Path, time_ms: RangeInclusive<i64>) -> Vec<(u64, Problem)> {
    let what = Walk { time_ms: Some(time_ms), ..Walk::default() };
    let walked = piece(folder, usize::MAX, &what, &mut Vec::new());
    walked.faults.iter().map(|fault| (fault.segment, fault.problem)).collect()
}

#[test]
fn a_segment_of_the_time_that_is_gone_or_cut_shows_by_the_one_behind_it_that_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, _) = hourly(folder.path(), 5, 3);
    drop(journal);
    let second = folder.path().join("0000000000000002.journal");
    let archive = folder.path().join("0000000000000002.journal.zst");
    let asked = HOUR_MS + 600_000..=2 * HOUR_MS - 600_000;
    assert_eq!(faults_of_time(folder.path(), asked.clone()), []);
    let whole = fs::read(&second).or_else(|_| zstd::decode_all(fs::File::open(&archive)?)).unwrap();
    let _either = (fs::remove_file(&second), fs::remove_file(&archive));
    assert_eq!(faults_of_time(folder.path(), asked.clone()), [(2, Problem::Gone)]);
    assert_eq!(faults_of_time(folder.path(), 0..=HOUR_MS / 2), [(2, Problem::Gone)], "no more than that is known");
    // Up to behind its first record.
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    for left in [end - 40, end / 2 + 60] {
        fs::write(&second, &whole[..left]).unwrap();
        let faults = faults_of_time(folder.path(), asked.clone());
        assert_eq!(faults.first().map(|(segment, _)| *segment), Some(2), "{left} of {end}: {faults:?}");
    }
}

#[test]
fn a_clock_that_is_set_back_begins_another_segment() {
    let (folder, time) = (tempfile::tempdir().unwrap(), Time::default());
    time.set(9 * HOUR_MS);
    let journal =
        Journal::open(Options { keep_ms: i64::MAX, ..options(folder.path(), &time) }, &TestKeys).unwrap().journal;
    journal.append(&reads(&journal, "ahead")).unwrap();
    time.set(HOUR_MS);
    until("another segment is begun", || journal.head().segment == 2);
    journal.append(&reads(&journal, "set right")).unwrap();
    time.set(12 * HOUR_MS);
    drop(journal);
    let journal =
        Journal::open(Options { keep_ms: i64::MAX, ..options(folder.path(), &time) }, &TestKeys).unwrap().journal;
    // Whoever asks for the time of the second one does not miss it, nor what the first one had before its end.
    assert_eq!(of_time(folder.path(), 100, HOUR_MS..=HOUR_MS + 1, journal.head()), 2);
}
