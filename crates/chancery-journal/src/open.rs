//! Opening a journal, or beginning one. What an earlier process left is read to its end, and a new segment goes on from
//! there: nothing that is written is ever written over.

use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::Duration,
};

use chancery_keys::JournalKey;
use uuid::Uuid;

use crate::{
    chain::Head,
    fault::Fault,
    files::{Folder, Kept},
    journal::Journal,
    keys::{Keys, NewKey, OpenError},
    read::{Next, Reading},
    shared::Options,
};

/// How often a lock that somebody else has is tried, and how long after each try: where the program that had it starts another
/// one, that one has it too for a moment.
const LOCK_TRIES: u32 = 20;
const LOCK_EACH: Duration = Duration::from_millis(50);

/// What was found when a journal was opened.
pub struct Opened {
    /// The journal.
    pub journal: Journal,
    /// How far it went; none where it begins now.
    pub found: Option<Head>,
    /// The first segment that is there.
    pub first: u64,
    /// What is wrong with the newest segment.
    pub fault: Option<Fault>,
}

impl Journal {
    /// Opens the journal in a folder, or begins one where there is none.
    pub fn open(options: Options, keys: &dyn Keys) -> Result<Opened, OpenError> {
        let path = options.folder.clone();
        let of_file = |error| OpenError::File(path.clone(), error);
        let folder = Folder::make(&path).map_err(of_file)?;
        let lock = folder.lock_file().map_err(of_file)?;
        match try_lock(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse(path)),
            Err(TryLockError::Error(error)) => return Err(of_file(error)),
        }
        folder.tidy().map_err(of_file)?;
        let segments = folder.segments().map_err(of_file)?;
        let (Some((first, _)), Some((number, newest))) = (segments.first_key_value(), segments.last_key_value()) else {
            let NewKey { id, sealed, key } = keys.make().map_err(OpenError::Key)?;
            let head = Head { segment: 0, record: 0, hash: [0; 32] };
            let journal = Self::begin((options, folder, lock), (id, sealed, key), head).map_err(of_file)?;
            return Ok(Opened { journal, found: None, first: 1, fault: None });
        };
        let (key, head, fault) = recover(&path, *number, newest, keys)?;
        let journal = Self::begin((options, folder, lock), key, head).map_err(of_file)?;
        Ok(Opened { journal, found: Some(head), first: *first, fault })
    }
}

fn try_lock(file: &File) -> Result<(), TryLockError> {
    for _ in 1..LOCK_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_EACH),
            locked => return locked,
        }
    }
    file.try_lock()
}

type Known = (Uuid, Vec<u8>, JournalKey);

/// Reads the newest segment to its end.
fn recover(path: &Path, number: u64, kept: &Kept, keys: &dyn Keys) -> Result<(Known, Head, Option<Fault>), OpenError> {
    let of_file = |error| OpenError::File(path.to_owned(), error);
    let foreign = |why: String| OpenError::Foreign(path.to_owned(), why);
    let reading = Reading::of(kept).map_err(of_file)?;
    let mut reading = reading.ok_or_else(|| foreign(format!("segment {number} is no segment of a journal")))?;
    let (id, sealed) = (reading.header.journal, reading.header.sealed.clone());
    let key = keys.open(id, &sealed).map_err(|error| foreign(error.to_string()))?;
    if reading.header.segment != number || !reading.is_authentic(&key) {
        return Err(foreign(format!("segment {number} is not as it was written")));
    }
    let mut buffer = Vec::new();
    let fault = loop {
        match reading.next(&key, &mut buffer).map_err(of_file)? {
            Ok(Next::Nothing) => break None,
            Ok(Next::Call(_) | Next::End) => {}
            Err(problem) => {
                let record = reading.head().record + 1;
                break Some(Fault { segment: number, record, problem });
            }
        }
    };
    Ok(((id, sealed, key), reading.head(), fault))
}
