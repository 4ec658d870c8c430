//! SQLite's log (`-wal`), where the store itself opens, flushes and writes it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::StoreError;
use crate::sqlite::{Connection, DatabaseFile};
use crate::url::SqliteFlush;

/// SQLite's log beside the writer.
pub(crate) struct Log {
    /// Open from before the first write: the system tells each open file once of what could not be written since, and one
    /// that is opened later perhaps of nothing. `None` where SQLite flushes by itself.
    pub(crate) file: Option<File>,
    /// A connection: as long as one is open the log stays this file.
    pub(crate) anchor: Connection,
}

impl DatabaseFile {
    /// The log, to be flushed. What an earlier process left there is flushed already.
    pub(crate) fn log(&self) -> Result<Log, StoreError> {
        let anchor = self.connect()?;
        let file = self.flushed_log().map_err(|error| log_error(&error))?;
        let file = match self.flush {
            SqliteFlush::Own => Some(file),
            SqliteFlush::Library => None,
        };
        Ok(Log { file, anchor })
    }

    fn flushed_log(&self) -> io::Result<File> {
        let log = self.open_log(OpenOptions::new().read(true))?;
        log.sync_data()?;
        // The anchor may have made the file. SQLite flushes its name only where it flushes the log by itself.
        let file = fs::canonicalize(&self.path)?;
        File::open(file.parent().unwrap_or(Path::new("/")))?.sync_all()?;
        Ok(log)
    }

    /// SQLite's name for it: beside the file, whatever links lead there.
    fn open_log(&self, options: &OpenOptions) -> io::Result<File> {
        let mut path = fs::canonicalize(&self.path)?.into_os_string();
        path.push("-wal");
        options.open(path)
    }

    /// Writes the log's bytes where they are already, and flushes them: the system may count as written what it could not
    /// write, but not what is written anew.
    pub(crate) fn rewrite_log(&self, anchor: &mut Connection) -> Result<(), StoreError> {
        // Nobody else writes into the log, or begins it anew.
        anchor.run("BEGIN IMMEDIATE")?;
        let written = self.open_log(OpenOptions::new().read(true).write(true)).and_then(|log| write_again(&log));
        anchor.run("ROLLBACK")?;
        written.map_err(|error| log_error(&error))
    }
}

fn log_error(error: &io::Error) -> StoreError {
    StoreError::Unavailable(format!("the log: {error}"))
}

fn write_again(file: &File) -> io::Result<()> {
    let (mut bytes, mut at) = (vec![0; 1 << 20], 0);
    loop {
        match file.read_at(&mut bytes, at)? {
            0 => return file.sync_data(),
            read => {
                file.write_all_at(&bytes[..read], at)?;
                at += read as u64;
            }
        }
    }
}
