//! The files of a journal's folder: a segment is `0000000000000001.journal`. When it is full and was found as it was written, it
//! becomes `0000000000000001.journal.zst`, or `0000000000000001.journal.full` where compressing would gain nothing.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

const RAW: &str = ".journal";
const FULL: &str = ".journal.full";
const ARCHIVE: &str = ".journal.zst";
/// What is not whole yet.
const PART: &str = ".part";
const LOCK: &str = "lock";
/// Space that a segment will have.
const SPARE: &str = "spare-";

/// A journal's folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

/// How a segment is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// As it is written, or was left by whoever wrote it.
    Raw,
    /// As it was written, and done with.
    Full,
    /// Compressed.
    Archive,
}

impl Form {
    /// The end of the file's name.
    const fn ending(self) -> &'static str {
        match self {
            Self::Raw => RAW,
            Self::Full => FULL,
            Self::Archive => ARCHIVE,
        }
    }
}

/// A segment's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) path: PathBuf,
    pub(crate) form: Form,
}

impl Kept {
    /// Opens it, and says in which form it is. Between the look into the folder and this, the server may have done with it.
    pub(crate) fn open(&self) -> io::Result<(File, Form)> {
        let open = |form: Form| Ok((File::open(self.path.with_extension(&form.ending()[1..]))?, form));
        match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.form == Form::Raw => {
                open(Form::Full).or_else(|_| open(Form::Archive))
            }
            file => Ok((file?, self.form)),
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

    pub(crate) fn full(&self, segment: u64) -> PathBuf {
        self.0.join(format!("{segment:016}{FULL}"))
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
        self.0.join(format!("{SPARE}{number}{PART}"))
    }

    /// Where space was taken that no segment has got yet.
    pub(crate) fn spares(&self) -> io::Result<Vec<PathBuf>> {
        let mut spares = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| name.starts_with(SPARE) && name.ends_with(PART)) {
                spares.push(path);
            }
        }
        Ok(spares)
    }

    /// Its segments in their order. Of one that is there twice, because somebody ended between the two, the archive: it
    /// got its name when it was whole.
    pub(crate) fn segments(&self) -> io::Result<BTreeMap<u64, Kept>> {
        let mut segments = BTreeMap::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let forms = [Form::Archive, Form::Full, Form::Raw];
            let Some((number, form)) = forms.iter().find_map(|form| Some((name.strip_suffix(form.ending())?, *form)))
            else {
                continue;
            };
            let Some(number) = number.parse().ok().filter(|_| number.len() == 16) else { continue };
            let kept = segments.entry(number).or_insert_with(|| Kept { path: path.clone(), form });
            if form > kept.form {
                *kept = Kept { path, form };
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
            if kept.form == Form::Archive && raw.try_exists()? {
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
    fn a_segment_that_was_done_with_since_the_look_is_opened_as_what_it_became() {
        let folder = tempfile::tempdir().unwrap();
        let name = |form: Form| folder.path().join(format!("{:016}{}", 1, form.ending()));
        fs::write(name(Form::Raw), "raw").unwrap();
        let kept = Kept { path: name(Form::Raw), form: Form::Raw };
        assert_eq!(kept.open().unwrap().1, Form::Raw);
        fs::remove_file(&kept.path).unwrap();
        assert_eq!(kept.open().unwrap_err().kind(), io::ErrorKind::NotFound);
        for form in [Form::Archive, Form::Full] {
            fs::write(name(form), form.ending()).unwrap();
            let (mut file, opened) = kept.open().unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), opened), (form.ending(), form));
        }
        fs::write(name(Form::Raw), "raw").unwrap();
        let segments = Folder::of(folder.path()).segments().unwrap();
        assert_eq!(segments[&1], Kept { path: name(Form::Archive), form: Form::Archive });
    }
}
