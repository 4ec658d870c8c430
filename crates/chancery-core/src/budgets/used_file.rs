//! How much of its leases a server has given out, in a file beside an SQLite store. A process that is killed loses no count:
//! what it wrote is the kernel's already, and each count is written before the value leaves. One that goes down with its
//! machine may have lost counts, so they are believed only by the boot of the kernel that they are of.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use uuid::Uuid;

use super::ledger::{Part, Slot};

const MAGIC: &[u8; 8] = b"CHBUDG2\n";
/// The kernel's own name of its boot; random where it has none, so that nothing is believed later.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
const BOOT_LEN: usize = 36;
/// Magic, boot, whose file it is, and up to when windows that ended were forgotten.
const FORGOTTEN_AT: usize = MAGIC.len() + BOOT_LEN + 16;
const HEAD: usize = FORGOTTEN_AT + 8;
/// A slot's key, and its count.
const RECORD: usize = 88;
const COUNT_AT: usize = 80;
/// In the place of an operation: it is of a signing policy.
const SIGNATURES: u8 = u8::MAX;

/// Slots, and how much of each was given out.
type Counts = Vec<(Slot, i64)>;

/// What a file says.
struct Content {
    lessee: Uuid,
    forgotten_ms: i64,
    counts: Counts,
}

impl Content {
    /// Of somebody new, who has forgotten nothing since there is nothing.
    fn begin() -> Self {
        let lessee = Uuid::from_bytes(chancery_keys::random());
        Self { lessee, forgotten_ms: i64::MIN, counts: Vec::new() }
    }
}

/// The file. While it is open no other server has it.
pub(super) struct UsedFile {
    file: File,
    /// Who the leases are of that it counts: servers that run one after the other.
    pub(super) lessee: Uuid,
    /// No window that ended later was forgotten.
    pub(super) forgotten_ms: i64,
    records: u64,
    /// Places of windows that are over.
    free: Vec<u64>,
}

impl UsedFile {
    /// Opens the file, or begins it. What it had counted in windows that are still open comes with it. None where another
    /// server has it.
    pub(super) fn open(store: &Path, now_ms: i64) -> io::Result<Option<(Self, Counts)>> {
        let path = beside(store, "-budgets");
        let lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path)?;
        // Who had it may have put another in its place since it was opened: then the lock is of a file that is nowhere.
        if lock.try_lock().is_err() || !is_at(&lock, &path)? {
            return Ok(None);
        }
        let boot = boot();
        let Content { lessee, mut forgotten_ms, mut counts } = read(&lock, &boot)?.unwrap_or_else(Content::begin);
        counts.retain(|(slot, _)| {
            let is_open = slot.ends_at_ms > now_ms;
            if !is_open {
                forgotten_ms = forgotten_ms.max(slot.ends_at_ms);
            }
            is_open
        });
        let mut text = [MAGIC, boot.as_slice(), lessee.as_bytes(), &forgotten_ms.to_le_bytes()].concat();
        for (slot, used) in &counts {
            text.extend(record(slot, *used));
        }
        // As a whole or not at all: somebody may be killed in the midst of this, too.
        let next = beside(store, "-budgets.next");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(&next)?;
        file.try_lock().map_err(|_| io::Error::from(io::ErrorKind::ResourceBusy))?;
        file.write_all(&text)?;
        fs::rename(&next, &path)?;
        let records = counts.len() as u64;
        Ok(Some((Self { file, lessee, forgotten_ms, records, free: Vec::new() }, counts)))
    }

    /// Windows that ended until then are forgotten.
    pub(super) fn forget(&mut self, forgotten_ms: i64) -> io::Result<()> {
        self.forgotten_ms = forgotten_ms;
        self.file.write_all_at(&forgotten_ms.to_le_bytes(), FORGOTTEN_AT as u64)
    }

    /// Finds a place for a slot.
    pub(super) fn add(&mut self, slot: &Slot, used: i64) -> io::Result<u64> {
        let place = self.free.pop().unwrap_or(self.records);
        self.file.write_all_at(&record(slot, used), HEAD as u64 + place * RECORD as u64)?;
        self.records = self.records.max(place + 1);
        Ok(place)
    }

    /// Writes how much of a slot was given out.
    pub(super) fn count(&self, place: u64, used: i64) -> io::Result<()> {
        self.file.write_all_at(&used.to_le_bytes(), HEAD as u64 + place * RECORD as u64 + COUNT_AT as u64)
    }

    /// The window of the slot there is over.
    pub(super) fn release(&mut self, place: u64) {
        self.free.push(place);
    }
}

fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn boot() -> [u8; BOOT_LEN] {
    let read = fs::read(BOOT_ID).ok().and_then(|text| text.get(..BOOT_LEN)?.try_into().ok());
    read.unwrap_or_else(chancery_keys::random)
}

/// Whether this is the file that is there.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let (here, there) = (file.metadata()?, fs::metadata(path)?);
    Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
}

/// What it says; none where it is none, or of another boot.
fn read(mut file: &File, boot: &[u8; BOOT_LEN]) -> io::Result<Option<Content>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let Some((head, records)) = bytes.split_at_checked(HEAD) else { return Ok(None) };
    let Some(rest) = head.strip_prefix(MAGIC).and_then(|rest| rest.strip_prefix(boot)) else { return Ok(None) };
    let Some((lessee, forgotten)) = rest.split_first_chunk::<16>() else { return Ok(None) };
    let Ok(forgotten) = forgotten.try_into() else { return Ok(None) };
    let counts = records.chunks_exact(RECORD).filter_map(slot_of).collect();
    let (lessee, forgotten_ms) = (Uuid::from_bytes(*lessee), i64::from_le_bytes(forgotten));
    Ok(Some(Content { lessee, forgotten_ms, counts }))
}

fn record(slot: &Slot, used: i64) -> [u8; RECORD] {
    let Slot { object, part, identity, per, starts_at_ms, ends_at_ms } = slot;
    let (role, operation) = match part {
        Part::Rule(role, operation) => (*role, *operation as u8),
        Part::Signatures => (Uuid::nil(), SIGNATURES),
    };
    let mut record = [0; RECORD];
    record[..16].copy_from_slice(object.as_bytes());
    record[16..32].copy_from_slice(role.as_bytes());
    record[32..48].copy_from_slice(identity.unwrap_or_default().as_bytes());
    record[48] = operation;
    record[49] = *per as u8;
    record[50] = u8::from(identity.is_some());
    record[56..64].copy_from_slice(&starts_at_ms.to_le_bytes());
    record[64..72].copy_from_slice(&ends_at_ms.to_le_bytes());
    record[COUNT_AT..].copy_from_slice(&used.to_le_bytes());
    record
}

fn slot_of(record: &[u8]) -> Option<(Slot, i64)> {
    let number = |at: usize| Some(i64::from_le_bytes(record.get(at..at + 8)?.try_into().ok()?));
    let uuid = |at: usize| Uuid::from_slice(record.get(at..at + 16)?).ok();
    let part = match record[48] {
        SIGNATURES => Part::Signatures,
        operation => Part::Rule(uuid(16)?, *chancery_types::Operation::ALL.get(usize::from(operation))?),
    };
    let slot = Slot {
        object: uuid(0)?,
        part,
        identity: if record[50] == 1 { Some(uuid(32)?) } else { None },
        per: *chancery_types::BudgetPeriod::ALL.get(usize::from(record[49]))?,
        starts_at_ms: number(56)?,
        ends_at_ms: number(64)?,
    };
    Some((slot, number(COUNT_AT)?))
}

#[cfg(test)]
mod tests {
    use chancery_types::{BudgetPeriod, Operation};

    use super::*;

    fn slot(identity: Option<u128>, ends_at_ms: i64) -> Slot {
        Slot {
            object: Uuid::from_u128(1),
            part: Part::Rule(Uuid::from_u128(2), Operation::PartialDetokenize),
            per: BudgetPeriod::Month,
            identity: identity.map(Uuid::from_u128),
            starts_at_ms: -5,
            ends_at_ms,
        }
    }

    #[test]
    fn counts_outlive_their_process_as_long_as_their_window() {
        let folder = chancery_testkit::temp_dir();
        let store = folder.path().join("chancery.db");
        let (mut file, counts) = UsedFile::open(&store, 0).unwrap().unwrap();
        assert!(counts.is_empty() && UsedFile::open(&store, 0).unwrap().is_none(), "one server has it");
        let lessee = file.lessee;
        let signatures = Slot { part: Part::Signatures, ..slot(Some(0), 300) };
        let all = [slot(None, 100), slot(Some(7), 200), signatures];
        let places = all.clone().map(|slot| file.add(&slot, 1).unwrap());
        file.count(places[1], 41).unwrap();
        drop(file);
        let (mut file, counts) = UsedFile::open(&store, 150).unwrap().unwrap();
        assert_eq!((file.lessee, counts), (lessee, vec![(all[1].clone(), 41), (all[2].clone(), 1)]));
        assert_eq!(file.forgotten_ms, 100, "the first is over");
        file.release(0);
        assert_eq!(file.add(&all[0], 3).unwrap(), 0, "a place is used again");
    }

    #[test]
    fn a_file_that_was_replaced_before_it_was_locked_is_nobodys() {
        let folder = chancery_testkit::temp_dir();
        let path = folder.path().join("one");
        fs::write(&path, "1").unwrap();
        let opened = File::open(&path).unwrap();
        assert!(is_at(&opened, &path).unwrap());
        fs::write(folder.path().join("two"), "2").unwrap();
        fs::rename(folder.path().join("two"), &path).unwrap();
        assert!(!is_at(&opened, &path).unwrap());
    }

    #[test]
    fn what_another_boot_wrote_is_not_believed() {
        let folder = chancery_testkit::temp_dir();
        let store = folder.path().join("chancery.db");
        let (mut file, _) = UsedFile::open(&store, 0).unwrap().unwrap();
        file.add(&slot(None, 100), 1).unwrap();
        let lessee = file.lessee;
        drop(file);
        let mut bytes = fs::read(beside(&store, "-budgets")).unwrap();
        bytes[MAGIC.len()] ^= 1;
        fs::write(beside(&store, "-budgets"), bytes).unwrap();
        let (file, counts) = UsedFile::open(&store, 0).unwrap().unwrap();
        assert!(counts.is_empty() && file.lessee != lessee);
    }
}
