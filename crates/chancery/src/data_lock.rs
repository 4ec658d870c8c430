//! A data folder belongs to one process at a time: a second one would take files from the first that its clients read. So
//! does a SQLite file, wherever it is: of several servers each would answer by what it has in memory.
//!
//! The kernel holds the lock for the process, and gives it back however that ends. Commands beside a running server work on
//! the store alone and take no lock, but write into the log that the server writes into, or not at all.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process, thread,
    time::Duration,
};

use crate::{
    client::exit::usage,
    failure::{Failure, While as _},
    settings::Settings,
};

/// The file that is locked. It stays when the lock is gone: to remove it would let a third process lock another.
const NAME: &str = "lock";

/// More than anybody writes into the file.
const HOLDER_MAX: u64 = 1_024;

/// The locks on a data folder and on the store's file, held as long as this lives.
#[derive(Debug)]
pub(crate) struct DataLock {
    /// What says who holds them: `lock` and the file beside the store.
    told: Vec<File>,
    /// The store's file, where there is one.
    database: Option<(PathBuf, Option<File>)>,
}

impl DataLock {
    /// Takes both; fails at once where another process has one of them, and says which.
    pub(crate) fn take(settings: &Settings) -> Result<Self, Failure> {
        let data = &settings.data;
        let folder = lock(&data.join(NAME), data, "stop it first, or name another folder with --data")?;
        let mut locks = Self { told: vec![folder], database: None };
        if let Some(database) = settings.store.path() {
            locks.told.push(lock(&beside(database)?, database, "several servers need PostgreSQL")?);
            locks.database = Some((database.to_owned(), None));
        }
        locks.lock_database()?;
        locks.tell(&format!("process {}", process::id()))?;
        Ok(locks)
    }

    /// Says where the holder serves, for the message that others get.
    pub(crate) fn serves_at(&mut self, address: &str) -> Result<(), Failure> {
        self.tell(&format!("process {}, which serves at {address}", process::id()))
    }

    /// Locks the store's file itself, once there is one: whoever opens it by a hard link or a mount finds another file beside it.
    /// SQLite's own locks are of another kind, and do not see this one.
    pub(crate) fn lock_database(&mut self) -> Result<(), Failure> {
        let Some((path, locked)) = self.database.as_mut().filter(|(path, locked)| locked.is_none() && path.exists())
        else {
            return Ok(());
        };
        let file = File::open(&*path).doing(path.display().to_string())?;
        if try_lock(&file).doing(path.display().to_string())? {
            *locked = Some(file);
            return Ok(());
        }
        let why = "is in use by another process, to which it has another name (a hard link or a mount), or whose lock files \
                   were removed; several servers need PostgreSQL";
        Err(format!("{} {why}", path.display()).into())
    }

    fn tell(&mut self, holder: &str) -> Result<(), Failure> {
        for file in &mut self.told {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{holder}")?;
        }
        Ok(())
    }
}

/// A server that has just started makes its log within this time, and a command looks at a lock for much less.
const SOON: Duration = Duration::from_millis(20);
const LOOKS: usize = 100;

/// Refuses the store's file where a server uses it whose log is not beside this name, as SQLite takes it: by a hard link or a mount a
/// command would have a log of its own, and of two each loses what is in the other.
pub(crate) fn expect_one_log(database: &Path) -> Result<(), Failure> {
    // Whoever opens it says why it cannot be.
    let Ok(file) = File::open(database) else { return Ok(()) };
    let refused = |why: &str| Err(usage(format!("{} is in use by a server {why}", database.display())));
    if !is_locked(&file) {
        return Ok(());
    }
    let is_so_named = match File::open(beside(database)?) {
        Ok(beside) => is_locked(&beside),
        // Whoever may read the store alone, and not what the server keeps beside it, cannot be told.
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    if !is_so_named {
        let why = "to which it has another name (a hard link or a mount), or whose lock files were removed: name it as the server \
                   does, or stop the server";
        return refused(why);
    }
    let mut log = database.canonicalize().doing(database.display().to_string())?.into_os_string();
    log.push("-wal");
    for _ in 0..LOOKS {
        if Path::new(&log).exists() || !is_locked(&file) {
            return Ok(());
        }
        thread::sleep(SOON);
    }
    refused("whose log (-wal) is gone: put it back, or stop the server, which then writes down all that it has")
}

/// Whether somebody else has a file locked. Who takes a lock to look lets go of it at once.
fn is_locked(file: &File) -> bool {
    let is_locked = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let _let_go = file.unlock();
    is_locked
}

/// The file whose lock stands for a database: SQLite has locks of its own on that itself. Whatever links lead there.
fn beside(database: &Path) -> Result<PathBuf, Failure> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let absolute = || folder.canonicalize().map(|folder| folder.join(database.file_name().unwrap_or_default()));
    // A new installation has no database yet.
    let database = database.canonicalize().or_else(|_| absolute()).doing(database.display().to_string())?;
    let mut path = database.into_os_string();
    path.push("-lock");
    Ok(path.into())
}

/// Locks the file that stands for what is shared; fails at once where another process has the lock, and says what to do.
fn lock(path: &Path, shared: &Path, next: &str) -> Result<File, Failure> {
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    let mut file = open.doing(path.display().to_string())?;
    if try_lock(&file).doing(path.display().to_string())? {
        return Ok(file);
    }
    Err(format!("{} is in use by {}; {next}", shared.display(), holder(&mut file)).into())
}

/// Locks a file, unless another process keeps it locked: a command that only looks has it for a moment.
fn try_lock(file: &File) -> io::Result<bool> {
    for look in 0..3 {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if look < 2 => thread::sleep(SOON),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

fn holder(file: &mut File) -> String {
    let mut holder = String::new();
    // Whoever holds the lock may just be writing; its number helps, and is not needed.
    let read = file.take(HOLDER_MAX).read_to_string(&mut holder).unwrap_or_default();
    if read == 0 { "another process".to_owned() } else { holder.trim_end().to_owned() }
}
