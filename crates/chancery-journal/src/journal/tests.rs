use std::{error::Error, time::Instant};

use chancery_keys::{Custodian, KeyRef, KeySpec, Purpose, RootKey};
use chancery_types::KeyId;
use futures::executor::block_on;

use super::*;
use crate::{Keys, NewKey, SEGMENT_BYTES_MIN, View};

struct TestKeys(Custodian);

impl Keys for TestKeys {
    fn make(&self) -> Result<NewKey, Box<dyn Error + Send + Sync>> {
        let id = Uuid::from_u128(7);
        let of = KeyRef { id: KeyId::from(id), version: 1, purpose: Purpose::Journal, spec: KeySpec::Hmac256 };
        let sealed = self.0.generate(of)?.sealed;
        let key = self.0.open_journal_key(&sealed)?;
        Ok(NewKey { id, sealed: sealed.into_bytes(), key })
    }

    fn open(&self, _id: Uuid, _sealed: &[u8]) -> Result<JournalKey, Box<dyn Error + Send + Sync>> {
        unreachable!("the journal is new")
    }
}

fn open(folder: &Path) -> Journal {
    let root = RootKey::create_file(&folder.join("root.key")).unwrap();
    let options = Options {
        folder: folder.join("journal"),
        segment_bytes: SEGMENT_BYTES_MIN,
        keep_ms: 3_600_000,
        steady: Duration::ZERO,
        now_ms: Arc::new(|| 1_000),
    };
    std::fs::create_dir(&options.folder).unwrap();
    Journal::open(options, &TestKeys(Custodian::new(root).unwrap())).unwrap().journal
}

/// Appends a call of so many values.
fn append(journal: &Journal, values: u32) -> Result<Records, Failed> {
    let tags = journal.tags((0..values).map(|_| Some("x")));
    let (first, total, view, members) = (0, values, View::Full, Vec::new());
    let (time_ms, request, key_version) = (1_000, 7, 1);
    let (session, profile, source) = (Uuid::nil(), Uuid::nil(), "192.0.2.1".parse().unwrap());
    let (action, outcome) = ("Detokenize", "Success");
    journal.append(&Call {
        time_ms,
        request,
        session,
        source,
        profile,
        key_version,
        first,
        total,
        view,
        members,
        action,
        outcome,
        tags,
    })
}

fn live(journal: &Journal) -> Option<u64> {
    journal.shared.written().live.as_ref().map(|live| live.number)
}

fn flushed(journal: &Journal, records: Records) -> Result<(), Failed> {
    block_on(journal.flushed(records))
}

/// The disk fails while others go on writing: their records are in the file that could not be flushed, too.
#[test]
fn what_came_while_a_flush_failed_is_not_said_to_be_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path());
    let (first, last) = {
        // Nobody else flushes meanwhile.
        let _turn = journal.shared.flushing.write().unwrap();
        let live = live(&journal);
        let (first, last) = (append(&journal, 1).unwrap(), append(&journal, 1).unwrap());
        journal.shared.end_flush(live, first.last, &Err(io::ErrorKind::Other.into()));
        (first, last)
    };
    assert_eq!([first, last].map(|records| flushed(&journal, records)), [Err(Failed::NotFlushed); 2]);
    // The next segment is begun soon, and is another file.
    let end = Instant::now() + Duration::from_secs(60);
    let next = loop {
        match append(&journal, 1) {
            Ok(next) => break next,
            Err(failed) => assert!(failed == Failed::NotWritten && Instant::now() < end, "{failed:?}"),
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert!(next.first > last.last);
    assert_eq!(flushed(&journal, next), Ok(()));
    assert_eq!(flushed(&journal, last), Err(Failed::NotFlushed));
}

/// The same where the segment is full before its flush has failed: the next flush would hear nothing of it.
#[test]
fn what_came_into_a_segment_that_was_ended_while_its_flush_failed_is_lost_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path());
    let (before, across, next) = {
        let _turn = journal.shared.flushing.write().unwrap();
        let failing = live(&journal);
        let (first, before) = (append(&journal, 1).unwrap(), append(&journal, 1).unwrap());
        // More than one segment takes.
        let across = append(&journal, 30_000).unwrap();
        assert!(live(&journal) > failing, "{across:?}");
        let next = append(&journal, 1).unwrap();
        journal.shared.end_flush(failing, first.last, &Err(io::ErrorKind::Other.into()));
        (before, across, next)
    };
    assert_eq!(flushed(&journal, next), Ok(()));
    assert_eq!(flushed(&journal, before), Err(Failed::NotFlushed));
    assert_eq!(flushed(&journal, across), Err(Failed::NotFlushed), "its first record is lost");
}
