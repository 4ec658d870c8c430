//! Files that are written as a whole or not at all: under another name until they are on the disk.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Who else writes the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// Nobody at the same time: what an interrupted one left behind is overwritten by the next.
    One,
    /// Other processes: the last one wins as a whole.
    Several,
}

/// Puts a file in place that `make` writes: a reader sees the old content or the new one, also after a crash, and where it
/// fails nothing has changed. `mode` says who may read a new file, as far as the user's mask lets them.
///
/// # Errors
///
/// Those of `make`, or why the file could not be written.
pub fn replace_file<E: From<io::Error>>(
    path: &Path,
    mode: u32,
    writers: Writers,
    make: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput).map_err(io::Error::from)?.to_owned();
    name.push(match writers {
        Writers::One => ".new".to_owned(),
        Writers::Several => format!(".{}.new", std::process::id()),
    });
    let fresh = Fresh(path.with_file_name(name));
    // What an interrupted writer left behind may have any mode.
    match fs::remove_file(&fresh.0) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        Ok(()) | Err(_) => {}
    }
    let mut file = create(&fresh.0, mode)?;
    make(&mut file)?;
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

/// A name that nothing has any more when this ends.
struct Fresh(PathBuf);

impl Drop for Fresh {
    fn drop(&mut self) {
        // It is gone where all went well. Otherwise why that failed is what the caller has to know.
        let _left_behind = fs::remove_file(&self.0);
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
            let made = replace_file(&path, 0o600, writers, |file| file.write_all(content.as_bytes()));
            made.expect("replaced");
            assert_eq!(fs::read_to_string(&path).expect("there"), content);
        }
        let failed: io::Result<()> = replace_file(&path, 0o600, Writers::One, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.expect_err("full").kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).expect("there"), "the other");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left behind");
        assert!(replace_file(Path::new("/"), 0o600, Writers::One, |_| io::Result::Ok(())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_owner_alone_reads_what_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "for all").expect("written");
        replace_file(&path, 0o600, Writers::One, |file| file.write_all(b"secret")).expect("replaced");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
