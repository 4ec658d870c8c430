//! Files that audit records are appended to, for agents that read logs from files.

use std::{
    error::Error,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek as _, SeekFrom, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

/// The type of the files: JSON Lines.
const EXTENSION: &str = "jsonl";

/// Whoever reads them is in the server's group.
const MODE: u32 = 0o640;

/// How much is read at once to find where a line began.
const BLOCK: u64 = 64 * 1024;

type Failure = Box<dyn Error + Send + Sync>;

/// A folder that the host has named. A file is opened for each batch, so that it may be renamed at any time: the next batch
/// makes another one.
pub(crate) struct AuditFiles {
    folder: PathBuf,
}

impl AuditFiles {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Appends whole lines, which are on the disk when it answers.
    pub(crate) fn append(&self, name: &str, lines: &[u8]) -> Result<(), Failure> {
        let path = self.folder.join(name).with_extension(EXTENSION);
        self.append_to(&path, lines).map_err(|why| format!("{}: {why}", path.display()).into())
    }

    fn append_to(&self, path: &Path, lines: &[u8]) -> Result<(), Failure> {
        // Whoever may write into the folder leads no records elsewhere by a link, and holds up nobody by a pipe.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(MODE).custom_flags(flags);
        let mut file = options.open(path)?;
        let found = file.metadata()?;
        if !found.is_file() || found.nlink() > 1 {
            return Err("this is no file, or has another name, too".into());
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err("another server is writing it".into()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let whole = whole_lines(&mut file)?;
        file.set_len(whole)?;
        if let Err(error) = file.write_all(lines).and_then(|()| file.sync_data()) {
            // Who renames it now has whole lines, too. Where this fails as well, the next batch cuts it.
            let _cut = file.set_len(whole);
            return Err(error.into());
        }
        // Its name has to last as well.
        if whole == 0 {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }
}

/// How many bytes of whole lines a file has. Behind them may be what a server wrote that was killed at it, or whose disk was
/// full: that was not taken, so it comes again.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        Read::by_ref(file).take(end - start).read_to_end(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use chancery_testkit::temp_dir;

    use super::*;

    fn refused(files: &AuditFiles) -> String {
        files.append("siem", b"1\n").unwrap_err().to_string()
    }

    #[test]
    fn lines_are_appended_and_what_is_no_whole_line_goes() {
        let folder = temp_dir();
        let (files, path) = (AuditFiles::new(folder.path().to_owned()), folder.path().join("siem.jsonl"));
        let append = |lines: &str| files.append("siem", lines.as_bytes()).unwrap();
        append("1\n2\n");
        append("3\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n3\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o007, 0, "it is not for everybody");
        // Cut within a line, which is longer than a block, and within the first one.
        fs::write(&path, format!("1\n2\n3\n{}", "4".repeat(200_000))).unwrap();
        append("4\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n3\n4\n");
        fs::write(&path, "{\"uuid\"").unwrap();
        append("1\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n");
        // Renamed, as logrotate does.
        fs::rename(&path, folder.path().join("siem.jsonl.1")).unwrap();
        append("2\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "2\n");
    }

    #[test]
    fn nothing_is_written_into_what_is_no_file_of_its_own() {
        let folder = temp_dir();
        let path = folder.path().join("siem.jsonl");
        let files = AuditFiles::new(folder.path().to_owned());
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &path).unwrap();
        assert!(refused(&files).contains("siem.jsonl: "));
        assert!(!folder.path().join("elsewhere").exists());
        fs::remove_file(&path).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "keep").unwrap();
        fs::hard_link(&other, &path).unwrap();
        assert!(refused(&files).contains("another name"));
        assert_eq!(fs::read_to_string(&other).unwrap(), "keep");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(refused(&files).contains("directory"));
        fs::remove_dir(&path).unwrap();
        let other = File::create(&path).unwrap();
        other.lock().unwrap();
        assert!(refused(&files).contains("another server"));
        drop(other);
        files.append("siem", b"1\n").unwrap();
        let gone = AuditFiles::new(folder.path().join("gone"));
        assert!(refused(&gone).contains("No such file"), "the folder is the host's to make");
    }
}
