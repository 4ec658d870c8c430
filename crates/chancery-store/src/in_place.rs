//! Whether the files of a database are still those that were opened. In one that was moved, or that another was put in the
//! place of, answered changes would be lost with the last process that has it open.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What tells a file from another one that has its name later: device and number.
type FileId = (u64, u64);

/// A database's file, and its log with that one's index as long as there is a writer.
pub(crate) struct InPlace {
    path: PathBuf,
    file: FileId,
    log: Mutex<Option<[FileId; 2]>>,
}

impl InPlace {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: id_of(path)?, log: Mutex::default() })
    }

    /// Why nothing may be written any more.
    pub(crate) fn check(&self) -> Result<(), String> {
        let path = self.path.display();
        if id_of(&self.path).ok() != Some(self.file) {
            return Err(format!("{path} was moved or replaced under the running process; put it back"));
        }
        let log = *self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.is_some() && self.log_now() != log {
            return Err(format!(
                "{path}-wal or {path}-shm was removed or replaced under the running process; restart it"
            ));
        }
        Ok(())
    }

    /// There is a writer: SQLite has opened its log, and removes it only with the last connection.
    pub(crate) fn note_log(&self) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = self.log_now();
    }

    /// The writer is gone: the next one's log is what it finds.
    pub(crate) fn forget_log(&self) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn log_now(&self) -> Option<[FileId; 2]> {
        let of = |suffix: &str| {
            let mut path = self.path.clone().into_os_string();
            path.push(suffix);
            id_of(Path::new(&path)).ok()
        };
        Some([of("-wal")?, of("-shm")?])
    }
}

fn id_of(path: &Path) -> io::Result<FileId> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}
