//! A file that is signed, or compared with what shall be signed.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use chancery_client::{FileError, content_digest};
use chancery_types::{ExistingSignature, HashType, SigningFormat};
use rustix::fs::OFlags;

use crate::{
    client::exit::{Exit, told, told_with},
    failure::{Failure, While as _},
};

/// What is signed of a file.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) format: SigningFormat,
    pub(crate) hash: HashType,
    pub(crate) existing: ExistingSignature,
}

impl Form {
    /// Whether the signature stands apart from the file, which is then signed as it is.
    pub(crate) const fn is_apart(self) -> bool {
        matches!(self.format, SigningFormat::Cms | SigningFormat::Raw)
    }
}

/// A file that stays open from the first look on, so that every look is at the same one, and that is known again: people
/// take hours to approve it, and meanwhile it may be built again.
pub(crate) struct Original {
    path: PathBuf,
    file: File,
    seen: Seen,
}

/// Which file it is, and in which state.
#[derive(PartialEq, Eq)]
struct Seen {
    identity: (u64, u64),
    len: u64,
    modified: (i64, i64),
}

impl Seen {
    fn of(found: &fs::Metadata) -> Self {
        let identity = (found.dev(), found.ino());
        Self { identity, len: found.len(), modified: (found.mtime(), found.mtime_nsec()) }
    }
}

impl Original {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        // A FIFO that nobody writes to would keep us here. No flag is above 31 bits.
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path).doing(shown.clone())?;
        let found = file.metadata().doing(shown.clone())?;
        if !found.is_file() {
            let next = "It is read more than once. Write what it gives into a file, and name that.";
            return Err(told_with(Exit::Usage, format!("{shown}: a regular file is expected"), next));
        }
        Ok(Self { path: path.to_owned(), file, seen: Seen::of(&found) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    pub(crate) const fn len(&self) -> u64 {
        self.seen.len
    }

    pub(crate) fn metadata(&self) -> io::Result<fs::Metadata> {
        self.file.metadata()
    }

    /// Whether what was found somewhere is this file, whatever its name is there.
    pub(crate) fn is(&self, found: &fs::Metadata) -> bool {
        Seen::of(found).identity == self.seen.identity
    }

    /// Its first bytes, or all of them where there are fewer.
    pub(crate) fn first(&self, max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.rewound()?.take(max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The digest that a signature of this form is made for.
    pub(crate) fn digest(&self, form: Form) -> Result<Vec<u8>, FileError> {
        if form.is_apart() { self.plain_digest(form.hash) } else { self.inside(form)?.digest() }
    }

    /// The digest of all its bytes.
    pub(crate) fn plain_digest(&self, hash: HashType) -> Result<Vec<u8>, FileError> {
        content_digest(self.rewound()?, hash)
    }

    /// The hashes of its pages.
    pub(crate) fn page_hashes(&self, form: Form) -> Result<Vec<u8>, FileError> {
        self.inside(form)?.page_hashes()
    }

    /// Writes it into an empty file, with a signature of this digest in it.
    pub(crate) fn finish_into(
        &self,
        form: Form,
        digest: &[u8],
        signature: &[u8],
        target: &mut File,
    ) -> Result<(), FileError> {
        self.inside(form)?.finish_into(digest, signature, target)
    }

    /// A signature is of what was measured. Whoever built the file again meanwhile keeps what they built.
    pub(crate) fn refuse_changed(&self) -> Result<(), Failure> {
        let is_same = |found: io::Result<fs::Metadata>| found.is_ok_and(|found| Seen::of(&found) == self.seen);
        let what = if !is_same(self.file.metadata()) {
            "it was changed since it was measured"
        } else if !is_same(fs::metadata(&self.path)) {
            "another file is there since it was measured, or none"
        } else {
            return Ok(());
        };
        Err(told(Exit::Failed, format!("{}: {what}; nothing was written", self.path.display())))
    }

    fn inside(&self, form: Form) -> Result<chancery_client::File, FileError> {
        chancery_client::File::of(self.file.try_clone()?, form.format, form.hash, form.existing)
    }

    fn rewound(&self) -> io::Result<&File> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}
