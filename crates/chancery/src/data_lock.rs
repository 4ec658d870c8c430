//! A data folder belongs to one process at a time: a second one would take files from the first that its clients read.
//!
//! The kernel holds the lock for the process, and gives it back however that ends. Commands beside a running server work on
//! the store alone and take no lock.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    process,
};

use crate::failure::{Failure, While as _};

/// The file that is locked. It stays when the lock is gone: to remove it would let a third process lock another.
const NAME: &str = "lock";

/// More than anybody writes into the file.
const HOLDER_MAX: u64 = 1_024;

/// The lock on a data folder, held as long as this lives.
#[derive(Debug)]
pub(crate) struct DataLock(File);

impl DataLock {
    /// Takes it; fails at once where another process has it, and says which.
    pub(crate) fn take(data: &Path) -> Result<Self, Failure> {
        let path = data.join(NAME);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = open.doing(path.display().to_string())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(data, &mut file)),
            Err(TryLockError::Error(error)) => return Err(error).doing(path.display().to_string()),
        }
        let mut lock = Self(file);
        lock.tell(&format!("process {}", process::id())).doing(path.display().to_string())?;
        Ok(lock)
    }

    /// Says where the holder serves, for the message that others get.
    pub(crate) fn serves_at(&mut self, address: &str) -> Result<(), Failure> {
        Ok(self.tell(&format!("process {}, which serves at {address}", process::id()))?)
    }

    fn tell(&mut self, holder: &str) -> std::io::Result<()> {
        self.0.set_len(0)?;
        self.0.rewind()?;
        writeln!(self.0, "{holder}")
    }
}

fn in_use(data: &Path, file: &mut File) -> Failure {
    let mut holder = String::new();
    // Whoever holds the lock may just be writing; its number helps, and is not needed.
    let read = file.take(HOLDER_MAX).read_to_string(&mut holder).unwrap_or_default();
    let holder = if read == 0 { "another process" } else { holder.trim_end() };
    format!("{} is in use by {holder}; stop it first, or name another folder with --data", data.display()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut held = DataLock::take(folder.path()).unwrap();
        held.serves_at("https://127.0.0.1:8443").unwrap();
        let refusal = DataLock::take(folder.path()).unwrap_err().to_string();
        let holder = format!("in use by process {}, which serves at https://127.0.0.1:8443;", process::id());
        assert!(refusal.contains(&holder), "{refusal}");
        drop(held);
        DataLock::take(folder.path()).unwrap();
    }
}
