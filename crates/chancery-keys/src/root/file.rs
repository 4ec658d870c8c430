//! A root key in a file.
//!
//! The file holds the 32 bytes and nothing else: no encoding, so there is nothing to parse, and what mounts secrets as
//! files can supply it. It must be a regular file (a symbolic link to one will do) without any permission for group
//! and others.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{ROOT_KEY_LEN, RootKey};
use crate::Secret;

/// Why a root key file was refused. The texts are for the operator and name the path.
#[derive(Debug, Error)]
pub enum RootKeyFileError {
    /// There is no such file, or no such directory to make it in.
    #[error("root key file {0} does not exist, or its directory does not")]
    Missing(PathBuf),
    /// A file is there already; it is never overwritten.
    #[error("root key file {0} exists already and is not overwritten")]
    Exists(PathBuf),
    /// A directory, pipe or device.
    #[error("root key file {0} is not a regular file")]
    NotRegular(PathBuf),
    /// Somebody besides the owner may read or change it.
    #[error("root key file {path} has mode {mode:04o}: it must not be accessible to group or others (chmod 600)")]
    Permissions {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// It is not a root key.
    #[error("root key file {path} has {found} bytes: a root key is exactly {ROOT_KEY_LEN} bytes")]
    Size {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
    },
    /// The operating system failed.
    #[error("root key file {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
}

impl RootKey {
    /// Draws a new root key and writes it to a new file with mode 0600, flushed to the disk. An existing file is never
    /// touched.
    pub fn create_file(path: &Path) -> Result<Self, RootKeyFileError> {
        let root_key = Self(Secret::random(ROOT_KEY_LEN));
        write_new(path, root_key.0.expose()).map_err(|cause| io_error(path, cause))?;
        Ok(root_key)
    }

    /// Reads the root key from a file that [`create_file`](Self::create_file) made, or one like it.
    pub fn from_file(path: &Path) -> Result<Self, RootKeyFileError> {
        // Asked by name first, since opening a pipe would wait for its other end.
        check(path, &fs::metadata(path).map_err(|cause| io_error(path, cause))?)?;
        let file = File::open(path).map_err(|cause| io_error(path, cause))?;
        // Asked again of the open file: what the name means may have changed since.
        check(path, &file.metadata().map_err(|cause| io_error(path, cause))?)?;
        let secret =
            Secret::filled(ROOT_KEY_LEN, |bytes| (&file).read_exact(bytes)).map_err(|cause| io_error(path, cause))?;
        Ok(Self(secret))
    }
}

/// Writes a file that must not exist yet, and makes both its content and its name durable.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}

fn check(path: &Path, metadata: &fs::Metadata) -> Result<(), RootKeyFileError> {
    let mode = metadata.permissions().mode() & 0o7777;
    if !metadata.is_file() {
        return Err(RootKeyFileError::NotRegular(path.into()));
    }
    if mode & 0o077 != 0 {
        return Err(RootKeyFileError::Permissions { path: path.into(), mode });
    }
    if metadata.len() != ROOT_KEY_LEN as u64 {
        return Err(RootKeyFileError::Size { path: path.into(), found: metadata.len() });
    }
    Ok(())
}

fn io_error(path: &Path, cause: io::Error) -> RootKeyFileError {
    let path = path.into();
    if cause.kind() == io::ErrorKind::NotFound {
        RootKeyFileError::Missing(path)
    } else if cause.kind() == io::ErrorKind::AlreadyExists {
        RootKeyFileError::Exists(path)
    } else {
        RootKeyFileError::Io { path, cause }
    }
}
