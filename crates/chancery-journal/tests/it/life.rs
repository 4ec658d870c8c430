//! What is recorded, kept, compressed and removed.

use std::{fs, os::unix::fs::PermissionsExt as _};

use chancery_journal::{Event, Failed, Found, Journal, OpenError, Problem, Records, Removed, Walk};
use chancery_keys::{Custodian, RootKey};
use futures::executor::block_on;

use super::{keys::KeysUnder, *};

#[test]
fn what_is_recorded_is_found_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let opened = open(folder.path());
    assert_eq!((opened.found, opened.first, opened.fault), (None, 1, None));
    let journal = opened.journal;
    let expected: Vec<_> = ["4111111111111111", "x", ""].map(|token| journal.tag(token)).into();
    assert_eq!(journal.append(&reads(&journal, "4111111111111111")), Ok(Records { first: 1, last: 1 }));
    assert_eq!(tags_in(folder.path()), expected[..1], "while it is written");
    drop(journal);
    let opened = open(folder.path());
    assert_eq!(opened.found.map(|head| (head.segment, head.record)), Some((1, 2)), "a call, and the end");
    let journal = opened.journal;
    let [_, records] = ["x", ""].map(|token| journal.append(&reads(&journal, token)).unwrap());
    assert_eq!(tags_in(folder.path()), expected);
    assert_eq!((journal.numbers().records, journal.head().record), (2, 4));
    assert_eq!((records.last, block_on(journal.flushed(records))), (4, Ok(())));
}

/// What the mapped files of a folder have in this process's memory, in KiB.
fn mapped_kib(folder: &std::path::Path) -> u64 {
    let maps = fs::read_to_string("/proc/self/smaps").unwrap();
    let (mut is_of_folder, mut kib) = (false, 0);
    for line in maps.lines() {
        match line.strip_prefix("Rss:") {
            Some(rss) if is_of_folder => kib += rss.trim().trim_end_matches(" kB").parse::<u64>().unwrap(),
            Some(_) => {}
            None if line.contains('/') => is_of_folder = line.contains(folder.to_str().unwrap()),
            None => {}
        }
    }
    kib
}

#[test]
fn what_is_written_does_not_stay_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_bytes: 16 << 20, ..options(folder.path(), &Time::default()) };
    let journal = Journal::open(options, &TestKeys).unwrap().journal;
    // Few enough of them that a record is written to the mapping.
    let tags: Vec<u8> = (0..800_u32).flat_map(|number| u64::from(number).to_be_bytes()).collect();
    let mut most = 0;
    for number in 0..15_000 {
        journal.append(&Call { tags: tags.clone(), total: 800, ..call() }).unwrap();
        if number % 100 == 0 {
            most = most.max(mapped_kib(folder.path()));
        }
    }
    assert!(journal.head().segment > 5, "{:?}", journal.head());
    // A kernel may map what lies behind a page along with it, up to the segment's end; a segment has 16,384 KiB.
    assert!((16..24_000).contains(&most), "{most} KiB of 97,000");
}

#[test]
fn a_batch_is_there_in_its_order_across_segments() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    let tokens: Vec<String> = (0..200_000).map(|number| format!("{number:016}")).collect();
    let tags = journal.tags(tokens.iter().map(|token| Some(token.as_str())));
    let records = journal.append(&Call { tags, total: 200_000, ..call() }).unwrap();
    assert!(records.first == 1 && records.last >= 13 && journal.head().segment > 5, "{:?}", journal.head());
    let expected: Vec<_> = tokens.iter().map(|token| journal.tag(token)).collect();
    assert_eq!(tags_in(folder.path()), expected);
    until("they are done with", || {
        fs::read_dir(folder.path())
            .unwrap()
            .filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "full"))
            .count()
            > 5
    });
    assert_eq!(tags_in(folder.path()), expected);
    drop(journal);
    assert_eq!(open(folder.path()).fault, None);
    assert_eq!(tags_in(folder.path()), expected);
}

#[test]
fn records_whose_time_is_over_are_removed_with_their_segments() {
    let (folder, time) = (tempfile::tempdir().unwrap(), Time::default());
    let journal = Journal::open(options(folder.path(), &time), &TestKeys).unwrap().journal;
    let fill = || while_same_segment(&journal);
    fill();
    time.set(HOUR_MS);
    fill();
    fill();
    assert!(journal.take_events().is_empty());
    // The second segment was made after the first one's last record.
    time.set(2 * HOUR_MS + 1);
    let mut events = Vec::new();
    until("the old ones are removed", || {
        events.extend(journal.take_events());
        !events.is_empty()
    });
    let Event::Removed(Removed { from: 1, to }) = events[0] else { panic!("{events:?}") };
    let walked = walked(folder.path(), &Walk { begins: Some(to + 1), ..Walk::default() }, &mut Vec::new());
    assert_eq!(walked.faults, [], "what is left is whole");
    assert!(walked.segments >= 1);
}

/// What a wrong clock would have removed is there when it is right again.
#[test]
fn nothing_is_removed_by_a_clock_that_jumped() {
    let steady = Duration::from_secs(3);
    let (_folder, time, journal) = loop {
        let (folder, time) = (tempfile::tempdir().unwrap(), Time::default());
        let options = Options { steady, ..options(folder.path(), &time) };
        let journal = Journal::open(options, &TestKeys).unwrap().journal;
        std::thread::sleep(Duration::from_secs(4));
        time.set(HOUR_MS);
        std::thread::sleep(Duration::from_millis(1_500));
        while_same_segment(&journal);
        let jumped = Instant::now();
        time.set(500 * 24 * HOUR_MS);
        while_same_segment(&journal);
        std::thread::sleep(Duration::from_millis(1_500));
        let events = journal.take_events();
        time.set(HOUR_MS + 3_000);
        // On a machine that is so busy that the wrong clock was steady, once more.
        if jumped.elapsed() < steady {
            assert!(events.is_empty(), "{events:?}");
            break (folder, time, journal);
        }
    };
    std::thread::sleep(Duration::from_secs(6));
    assert!(journal.take_events().is_empty());
    // A clock that stays where it is, is believed.
    time.set(500 * 24 * HOUR_MS);
    until("the old ones are removed", || {
        while_same_segment(&journal);
        !journal.take_events().is_empty()
    });
}

fn while_same_segment(journal: &Journal) {
    let segment = journal.head().segment;
    while journal.head().segment == segment {
        journal.append(&reads(journal, "x")).unwrap();
    }
}

#[test]
fn somebody_who_takes_files_away_is_noticed_and_calls_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    journal.append(&reads(&journal, "x")).unwrap();
    fs::remove_file(folder.path().join("0000000000000001.journal")).unwrap();
    let mut events = Vec::new();
    until("it is noticed", || {
        events.extend(journal.take_events());
        events.contains(&Event::Gone(vec![1]))
    });
    until("calls go on", || journal.append(&reads(&journal, "y")).is_ok());
    let walked = walked(folder.path(), &Walk { begins: Some(1), ..Walk::default() }, &mut Vec::new());
    assert_eq!(walked.faults.len(), 1, "{:?}", walked.faults);
    assert_eq!((walked.faults[0].segment, walked.faults[0].problem), (1, chancery_journal::Problem::Gone));
    drop(journal);
    assert!(!events.contains(&Event::Well));
}

#[test]
fn a_segment_that_was_taken_away_while_nobody_looked_is_noticed_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    (0..3).for_each(|_| while_same_segment(&journal));
    drop(journal);
    let of_second = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let of_second: Vec<_> = of_second.filter(|path| path.to_string_lossy().contains("/0000000000000002.")).collect();
    of_second.iter().for_each(|path| fs::remove_file(path).unwrap());
    assert_eq!(of_second.len(), 1);
    let journal = open(folder.path()).journal;
    let mut events = Vec::new();
    until("it is noticed", || {
        events.extend(journal.take_events());
        !events.is_empty()
    });
    assert_eq!(events, [Event::Gone(vec![2])]);
}

/// Writes into a file at a place, as `dd conv=notrunc` does: it stays the same file, as long as before.
fn write_over(path: &std::path::Path, at: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt as _;
    fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, at).unwrap();
}

#[test]
fn a_live_segment_that_is_written_over_in_its_place_is_noticed_and_calls_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    let live = folder.path().join("0000000000000001.journal");
    let early = fs::read(&live).unwrap();
    journal.append(&reads(&journal, "x")).unwrap();
    // An earlier state of the same file: its header is right.
    write_over(&live, 0, &early);
    let mut events = Vec::new();
    until("it is noticed", || {
        events.extend(journal.take_events());
        events.contains(&Event::Gone(vec![1]))
    });
    until("calls go on", || journal.append(&reads(&journal, "y")).is_ok());
    assert_eq!(journal.head().segment, 2);
    write_over(&folder.path().join("0000000000000002.journal"), 0, b"something else");
    until("that is noticed too", || {
        events.extend(journal.take_events());
        events.contains(&Event::Gone(vec![2]))
    });
}

/// What was written by a release whose bodies were all hashed by SHA-256, with the head that it printed.
#[test]
fn a_journal_of_an_older_release_is_read_and_what_is_changed_in_it_shows() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sha256-bodies");
    // A checkout makes files that others may read, and a root key is refused then.
    let own = tempfile::tempdir().unwrap();
    let root_key = own.path().join("root.key");
    fs::copy(data.join("root.key"), &root_key).unwrap();
    fs::set_permissions(&root_key, fs::Permissions::from_mode(0o600)).unwrap();
    let custodian = Custodian::new(RootKey::from_file(&root_key).unwrap()).unwrap();
    let head = "1:3:ff9b147c52a16b650d3cc7e104f0fe3578ce89e10190c22fae2db65cc1ef0c6f".parse().unwrap();
    let what = Walk { begins: Some(1), heads: vec![head], ..Walk::default() };
    let mut actions = Vec::new();
    let mut visit = |found: Found<'_>| actions.push(found.call.action.to_owned());
    let walked = walk(&data, &KeysUnder(&custodian), &what, &mut visit).unwrap();
    assert_eq!((walked.head, walked.unchecked, walked.faults), (Some(head), 0, vec![]));
    assert_eq!(actions, ["Tokenize", "Detokenize"]);
    let copy = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(data.join("0000000000000001.journal")).unwrap();
    bytes[7] = b'2';
    fs::write(copy.path().join("0000000000000001.journal"), &bytes).unwrap();
    let walked = walk(copy.path(), &KeysUnder(&custodian), &what, &mut |_| {}).unwrap();
    assert_eq!(walked.faults.first().map(|fault| fault.problem), Some(Problem::Foreign), "said to be of another form");
}

/// Batches of so many different tokens become no smaller.
#[test]
fn a_full_segment_of_batches_stays_as_it_is_under_a_name_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    let tokens: String = (0..9_000).map(|number| format!("{number:016}")).collect();
    let batch = || Call { tags: journal.tags_of_even(&tokens, 16, 9_000), total: 9_000, ..call() };
    while journal.head().segment < 3 {
        journal.append(&batch()).unwrap();
    }
    let full = |number: u64| folder.path().join(format!("{number:016}.journal.full"));
    until("they are done with", || full(1).exists() && full(2).exists());
    assert!(!folder.path().join("0000000000000001.journal").exists());
    let head = journal.head();
    drop(journal);
    let what = Walk { begins: Some(1), heads: vec![head], ..Walk::default() };
    let faults = || walked(folder.path(), &what, &mut Vec::new()).faults;
    assert_eq!(faults(), []);
    // One that is done with is ended: what comes behind is no rest of a segment that is still written.
    let bytes = fs::read(full(1)).unwrap();
    for changed in [bytes[..bytes.len() - 33].to_vec(), [&bytes[..], &[0; 9]].concat(), [&bytes[..], &[0]].concat()] {
        fs::write(full(1), changed).unwrap();
        assert_eq!(faults().first().map(|fault| fault.segment), Some(1));
    }
    fs::write(full(1), &bytes).unwrap();
    assert_eq!(faults(), []);
}

#[test]
fn a_full_segment_that_was_changed_is_told_once_and_left() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    journal.append(&reads(&journal, "x")).unwrap();
    let first = folder.path().join("0000000000000001.journal");
    let at = fs::read(&first).unwrap().iter().rposition(|byte| *byte != 0).unwrap();
    journal.append(&reads(&journal, "x")).unwrap();
    // A byte of a record that is not the newest.
    write_over(&first, at as u64, b"\xff\xfe");
    while_same_segment(&journal);
    let mut events = Vec::new();
    until("it is told", || {
        events.extend(journal.take_events());
        events.contains(&Event::Changed(1))
    });
    while_same_segment(&journal);
    until("the next one is compressed", || folder.path().join("0000000000000002.journal.zst").exists());
    assert!(first.exists());
    events.extend(journal.take_events());
    assert_eq!(events, [Event::Changed(1)]);
}

/// What took the place of the space for the next segment, as in a folder that was exchanged for a copy, gets no name.
#[test]
fn a_copy_of_the_next_segments_space_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    journal.append(&reads(&journal, "x")).unwrap();
    let spare = || {
        let mut there = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        there.find(|path| path.to_str().unwrap().contains("/spare-"))
    };
    until("there is space", || spare().is_some());
    let path = spare().unwrap();
    let copy = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, copy).unwrap();
    while_same_segment(&journal);
    let record = journal.append(&reads(&journal, "y")).unwrap().last;
    drop(journal);
    let walked = walked(folder.path(), &Walk { begins: Some(1), ..Walk::default() }, &mut Vec::new());
    assert_eq!(walked.faults, []);
    assert!(walked.head.is_some_and(|head| head.record >= record), "{record}");
}

#[test]
fn a_folder_that_goes_away_ends_the_calls_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let (there, away) = (folder.path().join("journal"), folder.path().join("away"));
    let journal = open(&there).journal;
    fs::rename(&there, &away).unwrap();
    until("calls fail", || journal.append(&reads(&journal, "x")) == Err(Failed::NotWritten));
    let failures = journal.numbers().failures;
    assert!(failures > 0);
    fs::rename(&away, &there).unwrap();
    until("calls go on", || journal.append(&reads(&journal, "x")).is_ok());
    let mut events = Vec::new();
    until("both are told", || {
        events.extend(journal.take_events());
        events.last() == Some(&Event::Well)
    });
    assert!(events.iter().any(|event| matches!(event, Event::Trouble(_))), "{events:?}");
}

#[test]
fn one_process_writes_and_no_foreign_journal_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path()).journal;
    let second = Journal::open(options(folder.path(), &Time::default()), &TestKeys).err();
    assert!(matches!(second, Some(OpenError::InUse(_))), "{second:?}");
    drop(journal);
    fs::write(folder.path().join("0000000000000002.journal"), "something else").unwrap();
    let refused = Journal::open(options(folder.path(), &Time::default()), &TestKeys).err();
    assert!(matches!(refused, Some(OpenError::Foreign(..))), "{refused:?}");
}
