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

/// The disk fails while others go on writing: their records are in the file that could not be flushed, too.
#[test]
fn what_came_while_a_flush_failed_is_not_said_to_be_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let root = RootKey::create_file(&folder.path().join("root.key")).unwrap();
    let options = Options {
        folder: folder.path().join("journal"),
        segment_bytes: SEGMENT_BYTES_MIN,
        keep_ms: 3_600_000,
        steady: Duration::ZERO,
        now_ms: Arc::new(|| 1_000),
    };
    std::fs::create_dir(&options.folder).unwrap();
    let journal = Journal::open(options, &TestKeys(Custodian::new(root).unwrap())).unwrap().journal;
    let append = || {
        let (first, total, view, members) = (0, 1, View::Full, Vec::new());
        let (time_ms, request, key_version, tags) = (1_000, 7, 1, journal.tag("x").to_vec());
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
    };
    let (first, last) = {
        // Nobody else flushes meanwhile.
        let _turn = journal.shared.flushing.write().unwrap();
        let live = journal.shared.written().live.as_ref().map(|live| live.number);
        let (first, last) = (append().unwrap(), append().unwrap());
        journal.shared.end_flush(live, first, &Err(io::ErrorKind::Other.into()));
        (first, last)
    };
    assert_eq!([first, last].map(|record| block_on(journal.flushed(record))), [Err(Failed::NotFlushed); 2]);
    // The next segment is begun soon, and is another file.
    let end = Instant::now() + Duration::from_secs(60);
    let next = loop {
        match append() {
            Ok(next) => break next,
            Err(failed) => assert!(failed == Failed::NotWritten && Instant::now() < end, "{failed:?}"),
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert!(next > last);
    assert_eq!(block_on(journal.flushed(next)), Ok(()));
    assert_eq!(block_on(journal.flushed(last)), Err(Failed::NotFlushed));
}
