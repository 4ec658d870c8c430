//! Tells whether the log beside a database file is that file's own, and whether there is one: that says how it may be read alone.
//!
//! SQLite believes any log of the right name: where a backup is put in the place of a file whose server was killed, the old
//! log is played into it, and the database is malformed. So each file carries a number in its header (`user_version`), a new
//! one whenever it is opened without a log, and another file beside it, `-stamp`, has the same number. A file that was put in
//! the place of another has another number.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use url::Url;

use crate::in_place::InPlace;
use crate::sqlite::DatabaseFile;
use crate::url::SqliteFlush;
use crate::{OpenError, StoreError};

/// Where the header has the number, and where it says what the file is.
const AT: u64 = 60;
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What connections may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read and write.
    Writing,
    /// Read, beside whoever writes.
    Reading,
    /// Read what nobody writes: there is no log, and none is made.
    Still,
}

impl DatabaseFile {
    /// As it is, to be read alone: nothing is made.
    pub(crate) fn look(path: &Path) -> Result<Self, OpenError> {
        let place = InPlace::of(path).map_err(|cause| OpenError::File { path: path.display().to_string(), cause })?;
        let access = if look(path)? { Access::Reading } else { Access::Still };
        Ok(Self { path: path.to_owned(), flush: SqliteFlush::Library, place: Arc::new(place), access })
    }

    /// The file's name as one that nobody writes. Somebody who has begun to has made a log.
    pub(crate) fn still(&self) -> Result<PathBuf, StoreError> {
        let unavailable = |why: &str| StoreError::Unavailable(format!("{}: {why}", self.path.display()));
        if fs::exists(log_of(&self.path)).map_err(|error| unavailable(&error.to_string()))? {
            return Err(unavailable("somebody has begun to write it meanwhile; try again"));
        }
        let path = fs::canonicalize(&self.path).map_err(|error| unavailable(&error.to_string()))?;
        let mut url = Url::from_file_path(path).map_err(|()| unavailable("no path of a file"))?;
        url.set_query(Some("immutable=1"));
        Ok(PathBuf::from(String::from(url)))
    }
}

/// The stamp beside a database file. Nobody else opens the file until it is dropped.
pub(crate) struct Stamp {
    database: PathBuf,
    /// Locked.
    file: File,
}

/// Whether there is a log, without anything being made or waited for. Refuses one that belongs to another file.
pub(crate) fn look(database: &Path) -> Result<bool, OpenError> {
    if !fs::exists(log_of(database)).map_err(|cause| at(database, cause))? {
        return Ok(false);
    }
    match File::open(beside(database, "-stamp")) {
        Ok(file) => Stamp { database: database.to_owned(), file }.check_log().map(|_| true),
        Err(_) => Ok(true),
    }
}

/// SQLite's log of this file.
pub(crate) fn log_of(database: &Path) -> PathBuf {
    beside(database, "-wal")
}

impl Stamp {
    /// Waits until no other process is opening the file.
    pub(crate) fn lock(database: &Path) -> Result<Self, OpenError> {
        let path = beside(database, "-stamp");
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = opened.and_then(|file| file.lock().map(|()| file)).map_err(|cause| at(&path, cause))?;
        Ok(Self { database: database.to_owned(), file })
    }

    /// Whether there is a log. Refuses one that belongs to another file.
    pub(crate) fn check_log(&self) -> Result<bool, OpenError> {
        if fs::metadata(log_of(&self.database)).map_or(0, |log| log.len()) == 0 {
            return Ok(false);
        }
        let known = self.known().map_err(|cause| at(&self.database, cause))?;
        let own = number_of(&self.database).map_err(|cause| at(&self.database, cause))?;
        // Nothing is known where an earlier release was killed.
        if known.is_empty() || known.contains(&own) {
            return Ok(true);
        }
        Err(OpenError::OtherLog(self.database.display().to_string()))
    }

    /// Gives the file a new number, which `write` puts into it; whether it is in the file itself then, and not in a log.
    pub(crate) fn renew<E>(&self, write: impl FnOnce(u32) -> Result<bool, E>) -> Result<(), OpenError>
    where
        OpenError: From<E>,
    {
        let note = |numbers: &[u32]| self.note(numbers).map_err(|cause| at(&self.database, cause));
        let (old, new) = (number_of(&self.database).map_err(|cause| at(&self.database, cause))?, random());
        // Either may be in the file when the power fails now.
        note(&[old, new])?;
        if write(new)? {
            note(&[new])?;
        }
        Ok(())
    }

    fn known(&self) -> io::Result<Vec<u32>> {
        let text = io::read_to_string(&self.file)?;
        Ok(text.split_whitespace().filter_map(|number| number.parse().ok()).collect())
    }

    fn note(&self, numbers: &[u32]) -> io::Result<()> {
        let text: Vec<_> = numbers.iter().map(ToString::to_string).collect();
        // Of one length: no number is ever half there.
        let text = format!("{:<31}\n", text.join(" "));
        self.file.write_all_at(text.as_bytes(), 0)?;
        self.file.sync_all()
    }
}

/// Gives a copy, which nobody has opened, a number of its own.
pub(crate) fn give_another(copy: &File) -> io::Result<()> {
    copy.write_all_at(&random().to_be_bytes(), AT)
}

fn number_of(database: &Path) -> io::Result<u32> {
    let file = File::open(database)?;
    let (mut magic, mut number) = ([0; MAGIC.len()], [0; 4]);
    match file.read_exact_at(&mut magic, 0).and_then(|()| file.read_exact_at(&mut number, AT)) {
        Ok(()) if magic == *MAGIC => Ok(u32::from_be_bytes(number)),
        // A new file is empty. What is no database is refused by SQLite.
        Ok(()) => Ok(0),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(error),
    }
}

/// Any but 0, which files of earlier releases have, and positive, as SQLite reads it.
fn random() -> u32 {
    let bits = RandomState::new().build_hasher().finish();
    ((bits >> 33) as u32).max(1)
}

/// SQLite's names for what lies beside a file: whatever links lead there.
fn beside(database: &Path, what: &str) -> PathBuf {
    let mut path: OsString = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned()).into_os_string();
    path.push(what);
    path.into()
}

fn at(path: &Path, cause: io::Error) -> OpenError {
    OpenError::File { path: path.display().to_string(), cause }
}
