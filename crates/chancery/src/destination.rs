//! Where a command writes what it was asked for: one way for all of them.

use std::{
    env, fs,
    fs::{File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write as _},
    os::unix::{
        fs::{FileTypeExt as _, OpenOptionsExt as _},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    process,
};

use crate::{
    client::exit::{Exit, told_with},
    failure::Failure,
    private_file,
};

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;

/// Where an output goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Standard output: `-`, or one of its names as a file.
    Standard,
    /// A device, a FIFO, a socket or a descriptor: it stays what it is, and is written into.
    Into(PathBuf),
    /// A file, there or not: it is replaced as a whole or not at all. Links were followed, so that they stay.
    Replaced(PathBuf),
}

impl Destination {
    /// Looks where that is, so that a command finds out before it has asked anything of a server.
    pub(crate) fn new(option: &str, path: &Path) -> Result<Self, Failure> {
        Self::find(path).map_err(|error| {
            let is_missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
            let why = if is_missing { "there is no such folder".to_owned() } else { error.to_string() };
            let message = format!("{option} {}: {why}", path.display());
            told_with(Exit::Usage, message, "Make it, or name another; nothing was submitted.")
        })
    }

    fn find(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..LINKS_MAX {
            // These are links to whatever is open there; that may be a file in the midst of being written by a shell.
            match path.to_str() {
                Some("-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return Ok(Self::Standard),
                Some(text) if ["/dev/stderr", "/dev/fd/", "/proc/"].iter().any(|begin| text.starts_with(begin)) => {
                    return Ok(Self::Into(path));
                }
                Some(_) | None => {}
            }
            let Ok(target) = fs::read_link(&path) else { break };
            path = folder(&path).join(target);
        }
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => return Ok(Self::Into(path)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => {}
        }
        let name = path.file_name().filter(|_| !path.as_os_str().as_encoded_bytes().ends_with(b"/"));
        let name = name.ok_or(io::ErrorKind::NotFound)?;
        Ok(Self::Replaced(folder(&path).canonicalize()?.join(name)))
    }

    /// Writes this.
    pub(crate) fn write(&self, content: &[u8]) -> io::Result<()> {
        self.fill(|file| file.write_all(content))
    }

    /// Writes what this makes of an empty file: nothing where it fails.
    pub(crate) fn fill<E: From<io::Error>>(&self, make: impl FnOnce(&mut File) -> Result<(), E>) -> Result<(), E> {
        if let Self::Replaced(path) = self {
            return private_file::replace_readable(path, make);
        }
        let mut made = nameless()?;
        make(&mut made)?;
        made.seek(SeekFrom::Start(0))?;
        Ok(self.copy(&mut made)?)
    }

    fn copy(&self, content: &mut File) -> io::Result<()> {
        match self {
            Self::Into(path) if fs::metadata(path)?.file_type().is_socket() => {
                io::copy(content, &mut UnixStream::connect(path)?)?;
            }
            Self::Into(path) | Self::Replaced(path) => {
                io::copy(content, &mut OpenOptions::new().append(true).open(path)?)?;
            }
            Self::Standard => {
                let mut output = io::stdout().lock();
                io::copy(content, &mut output)?;
                output.flush()?;
            }
        }
        Ok(())
    }
}

/// A file that is gone when it is closed.
fn nameless() -> io::Result<File> {
    let path = env::temp_dir().join(format!("chancery.{}.{:016x}", process::id(), rand::random::<u64>()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_replaced_and_a_link_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        symlink("folder/target", path("link")).unwrap();
        symlink("link", path("link to it")).unwrap();
        for content in ["first", "second"] {
            Destination::new("--out", &path("link to it")).unwrap().write(content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(path("folder/target")).unwrap(), content);
        }
        assert!(path("link").is_symlink() && path("link to it").is_symlink());
        symlink("circle", path("circle")).unwrap();
        for wrong in ["circle", "folder", "none/file", "none/"] {
            assert!(Destination::new("--out", &path(wrong)).is_err(), "{wrong}");
        }
        let failed: io::Result<()> =
            Destination::new("--out", &path("link")).unwrap().fill(|_| Err(io::ErrorKind::Other.into()));
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(path("folder/target")).unwrap(), "second");
        assert_eq!(fs::read_dir(path("folder")).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_is_written_into() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("socket");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        Destination::new("--out", &socket).unwrap().write(b"content").unwrap();
        assert_eq!(io::read_to_string(listener.accept().unwrap().0).unwrap(), "content");
        symlink("/dev/full", place.path().join("full")).unwrap();
        let full = Destination::new("--out", &place.path().join("full")).unwrap();
        assert_eq!(full, Destination::Into("/dev/full".into()));
        assert!(full.write(b"content").is_err());
        symlink("/dev/stdout", place.path().join("standard")).unwrap();
        assert_eq!(Destination::new("--out", &place.path().join("standard")).unwrap(), Destination::Standard);
        assert_eq!(Destination::new("--out", Path::new("-")).unwrap(), Destination::Standard);
    }
}
