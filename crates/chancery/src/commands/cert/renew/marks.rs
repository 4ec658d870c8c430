//! What is remembered beside a certificate that is renewed.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::files::{Files, remove};
use crate::{
    bounded,
    failure::{Failure, While as _},
    private_file,
};

/// Names within the folder of a renewal: what is still to be done.
const PENDING: &str = "pending";
const HOOK_DUE: &str = "hook-due";

/// Where the last PKCS#12 file beside a key that stays was written, which is no link.
const P12_AT: &str = "store-at";

impl Files {
    /// Where a PKCS#12 file is that is no link, and that an earlier command wrote.
    pub(super) fn p12_apart(&self) -> Result<Option<PathBuf>, Failure> {
        Ok(self.marked(P12_AT)?.map(PathBuf::from).filter(|path| path.exists()))
    }

    pub(super) fn set_p12_apart(&self, path: &Path) -> Result<(), Failure> {
        let path = std::path::absolute(path).doing(path.display().to_string())?;
        self.mark(P12_AT, Some(&path.to_string_lossy()))
    }

    /// What was asked for and is not in place yet: as it was written.
    pub(super) fn pending(&self) -> Result<Option<String>, Failure> {
        self.marked(PENDING)
    }

    fn marked(&self, name: &str) -> Result<Option<String>, Failure> {
        let path = self.folder.join(name);
        match bounded::open_text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(Some(read.doing(path.display().to_string())?)),
        }
    }

    pub(super) fn set_pending(&self, text: Option<&str>) -> Result<(), Failure> {
        self.mark(PENDING, text)
    }

    pub(super) fn hook_is_due(&self) -> bool {
        self.folder.join(HOOK_DUE).exists()
    }

    pub(super) fn set_hook_due(&self, is_due: bool) -> Result<(), Failure> {
        self.mark(HOOK_DUE, is_due.then_some(""))
    }

    fn mark(&self, name: &str, text: Option<&str>) -> Result<(), Failure> {
        let path = self.folder.join(name);
        let done = match text {
            Some(text) => private_file::replace(&path, text.as_bytes()),
            None => remove(&path),
        };
        done.doing(path.display().to_string())
    }
}
