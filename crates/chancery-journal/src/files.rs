//! The files of a journal's folder: a segment is `0000000000000001.journal`, later `0000000000000001.journal.zst`.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

const RAW: &str = ".journal";
const ARCHIVE: &str = ".journal.zst";
/// What is not whole yet.
const PART: &str = ".part";
const LOCK: &str = "lock";

/// A journal's folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

/// A segment's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    pub(crate) is_archive: bool,
}

impl Kept {
    /// Opens it, and says whether it is an archive. Between the look into the folder and this, the server may have made one of
    /// it.
    pub(crate) fn open(&self) -> io::Result<(File, bool)> {
        match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.is_archive => {
                let mut archive = self.path.clone().into_os_string();
                archive.push(&ARCHIVE[RAW.len()..]);
                Ok((File::open(archive)?, true))
            }
            file => Ok((file?, self.is_archive)),
        }
    }
}

impl Folder {
    pub(crate) fn of(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Makes it, for its owner alone, where it is not there.
    pub(crate) fn make(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Self(path.to_owned()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// What one process at a time holds.
    pub(crate) fn lock_file(&self) -> io::Result<File> {
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(self.0.join(LOCK))
    }

    pub(crate) fn raw(&self, segment: u64) -> PathBuf {
        self.0.join(format!("{segment:016}{RAW}"))
    }

    pub(crate) fn archive(&self, segment: u64) -> PathBuf {
        self.0.join(format!("{segment:016}{ARCHIVE}"))
    }

    pub(crate) fn part(&self, segment: u64) -> PathBuf {
        self.0.join(format!("{segment:016}{ARCHIVE}{PART}"))
    }

    /// Where space is taken that a segment will have: each time elsewhere, since two may do so at once.
    pub(crate) fn spare(&self) -> PathBuf {
        static SPARES: AtomicU64 = AtomicU64::new(0);
        let number = SPARES.fetch_add(1, Ordering::Relaxed);
        self.0.join(format!("spare-{number}{PART}"))
    }

    /// Its segments in their order. Of one that is there twice, because somebody ended between the two, the archive: it
    /// got its name when it was whole.
    pub(crate) fn segments(&self) -> io::Result<BTreeMap<u64, Kept>> {
        let mut segments = BTreeMap::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let (number, is_archive) = match (name.strip_suffix(ARCHIVE), name.strip_suffix(RAW)) {
                (Some(number), _) => (number, true),
                (None, Some(number)) => (number, false),
                (None, None) => continue,
            };
            let Some(number) = number.parse().ok().filter(|_| number.len() == 16) else { continue };
            let kept = segments.entry(number).or_insert_with(|| Kept { path: path.clone(), is_archive });
            if is_archive {
                *kept = Kept { path, is_archive };
            }
        }
        Ok(segments)
    }

    /// Removes what somebody who ended left half-way.
    pub(crate) fn tidy(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let is_part = path.extension().is_some_and(|extension| extension == &PART[1..]);
            if is_part {
                fs::remove_file(&path)?;
            }
        }
        for (segment, kept) in self.segments()? {
            let raw = self.raw(segment);
            if kept.is_archive && raw.try_exists()? {
                fs::remove_file(raw)?;
            }
        }
        self.sync()
    }

    /// Its entries are on the disk afterwards.
    pub(crate) fn sync(&self) -> io::Result<()> {
        File::open(&self.0)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_segment_that_became_an_archive_since_the_look_is_opened_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let raw = folder.path().join(format!("{:016}{RAW}", 1));
        fs::write(&raw, "raw").unwrap();
        let kept = Kept { path: raw.clone(), is_archive: false };
        assert!(!kept.open().unwrap().1);
        fs::remove_file(&raw).unwrap();
        assert_eq!(kept.open().unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(folder.path().join(format!("{:016}{ARCHIVE}", 1)), "archive").unwrap();
        let (mut file, is_archive) = kept.open().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), is_archive), ("archive", true));
    }
}
