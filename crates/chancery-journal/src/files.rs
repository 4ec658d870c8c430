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
