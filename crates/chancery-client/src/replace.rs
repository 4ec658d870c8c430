//! Files that are written as a whole or not at all: under another name until they are on the disk.

use std::{
    collections::BTreeSet,
    fs::{self, File, Metadata, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Who else writes the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Nobody at the same time: what an interrupted one left behind is overwritten by the next.
    One,
    /// Other processes: the last one wins as a whole.
    Several,
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug)]
pub enum Readers<'m> {
    /// Its owner alone.
    Owner,
    /// Whom the user's mask lets.
    Mask,
    /// Whoever may read the file that this is of; nobody else while it is written. What was somebody else's file becomes
    /// neither one that runs as the user nor one that others may write.
    Of(&'m Metadata),
}

impl Readers<'_> {
    const fn mode(self) -> u32 {
        match self {
            Self::Owner | Self::Of(_) => 0o600,
            Self::Mask => 0o666,
        }
    }

    /// Lets them, now that it is whole.
    fn let_in(self, file: &File) -> io::Result<()> {
        let Self::Of(original) = self else { return Ok(()) };
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
            let others_may_write = if original.uid() == file.metadata()?.uid() { 0o022 } else { 0 };
            let mode = original.mode() & (0o755 | others_may_write);
            file.set_permissions(fs::Permissions::from_mode(mode))
        }
        #[cfg(not(unix))]
        file.set_permissions(original.permissions())
    }
}

/// Puts a file in place that `make` writes: a reader sees the old content or the new one, also after a crash, and where it
/// fails nothing has changed.
///
/// # Errors
///
/// Those of `make`, or why the file could not be written.
pub fn replace_file<E: From<io::Error>>(
    path: &Path,
    readers: Readers<'_>,
    writers: Writers,
    make: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput).map_err(io::Error::from)?.to_owned();
    name.push(match writers {
        Writers::One => ".new".to_owned(),
        Writers::Several => format!(".{}.new", std::process::id()),
    });
    let fresh = Fresh::of(path.with_file_name(name));
    // What an interrupted writer left behind may have any mode.
    match fs::remove_file(&fresh.0) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        Ok(()) | Err(_) => {}
    }
    let mut file = create(&fresh.0, readers.mode())?;
    make(&mut file)?;
    readers.let_in(&file)?;
    Ok(put_in_place(&file, &fresh.0, path)?)
}

/// Gives a file that is whole its name, which it keeps after a crash.
///
/// # Errors
///
/// Why it could not be written or renamed.
pub fn put_in_place(file: &File, fresh: &Path, path: &Path) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(fresh, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Elsewhere a folder cannot be opened, and its entries are durable without that.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Removes what this process is writing and has not given its name: for whoever is about to end it. What is being written goes
/// on without a name, and fails when it wants one.
pub fn remove_unfinished() {
    for path in &*unfinished() {
        // Nobody is there any more who could be told.
        let _gone_or_not = fs::remove_file(path);
    }
}

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name that nothing has any more when this ends.
struct Fresh(PathBuf);

impl Fresh {
    fn of(path: PathBuf) -> Self {
        unfinished().insert(path.clone());
        Self(path)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // It is gone where all went well. Otherwise why that failed is what the caller has to know.
        let _left_behind = fs::remove_file(&self.0);
        unfinished().remove(&self.0);
    }
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _no_such_thing = mode;
    options.open(path)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_reader_sees_the_old_content_or_the_new_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(folder.path().join("file.new"), "left behind").expect("written");
        for (content, writers) in [("one", Writers::One), ("the other", Writers::Several)] {
            let made = replace_file(&path, Readers::Mask, writers, |file| file.write_all(content.as_bytes()));
            made.expect("replaced");
            assert_eq!(fs::read_to_string(&path).expect("there"), content);
        }
        let failed: io::Result<()> = replace_file(&path, Readers::Mask, Writers::One, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.expect_err("full").kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).expect("there"), "the other");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left behind");
        assert!(replace_file(Path::new("/"), Readers::Mask, Writers::One, |_| io::Result::Ok(())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_owner_alone_reads_what_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "for all").expect("written");
        replace_file(&path, Readers::Owner, Writers::One, |file| file.write_all(b"secret")).expect("replaced");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn who_may_read_an_original_reads_what_is_made_of_it_when_it_is_whole() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let (original, path) = (folder.path().join("original"), folder.path().join("file"));
        fs::write(&original, "content").expect("written");
        let mode = |file: &File| file.metadata().expect("there").permissions().mode() & 0o7777;
        for (before, after) in [(0o640, 0o640), (0o400, 0o400), (0o6777, 0o777), (0o1666, 0o666)] {
            fs::set_permissions(&original, fs::Permissions::from_mode(before)).expect("set");
            let like = fs::metadata(&original).expect("there");
            let made: io::Result<()> = replace_file(&path, Readers::Of(&like), Writers::Several, |file| {
                assert_eq!(mode(file), 0o600, "while it is written");
                Ok(())
            });
            made.expect("replaced");
            assert_eq!(mode(&File::open(&path).expect("there")), after, "{before:o}");
        }
    }
}
