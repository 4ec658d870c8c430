//! Where somebody wants something written: one way for all commands and for files in bulk.

use std::{
    env, fs,
    fs::{File, OpenOptions},
    io::{self, Seek as _, SeekFrom, Write},
    os::unix::{
        fs::{FileTypeExt as _, OpenOptionsExt as _},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    process,
};

use crate::replace::{Readers, Writers, replace_file};

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;

/// The names of standard error as a file.
const STANDARD_ERROR: [&str; 3] = ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"];

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Standard output: `-`, or one of its names as a file.
    Standard,
    /// A device, a FIFO, a socket or a descriptor: it stays what it is, and is written into.
    Into(PathBuf),
    /// A file, there or not: it is replaced as a whole or not at all. Links were followed, so that they stay.
    Replaced(PathBuf),
}

impl Destination {
    /// Looks where that is, before anything is written.
    ///
    /// # Errors
    ///
    /// Why nothing can be written there: it is a folder, or is in none.
    pub fn find(path: &Path) -> io::Result<Self> {
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
    ///
    /// # Errors
    ///
    /// Why it could not be written.
    pub fn write(&self, content: &[u8]) -> io::Result<()> {
        self.fill(|file| file.write_all(content))
    }

    /// Writes what this makes of an empty file: nothing where it fails. Everybody whom the user lets read new files reads it.
    ///
    /// # Errors
    ///
    /// Those of `make`, or why it could not be written.
    pub fn fill<E: From<io::Error>>(&self, make: impl FnOnce(&mut File) -> Result<(), E>) -> Result<(), E> {
        self.fill_for(Readers::Mask, make)
    }

    /// The same for these readers.
    ///
    /// # Errors
    ///
    /// Those of `make`, or why it could not be written.
    pub fn fill_for<E: From<io::Error>>(
        &self,
        readers: Readers<'_>,
        make: impl FnOnce(&mut File) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Self::Replaced(path) = self {
            return replace_file(path, readers, Writers::Several, make);
        }
        // First, for what is made may not be had twice: this waits for somebody to read a FIFO.
        let mut output = self.open()?;
        let mut made = nameless()?;
        make(&mut made)?;
        made.seek(SeekFrom::Start(0))?;
        if let Some(output) = &mut output {
            io::copy(&mut made, output)?;
            output.flush()?;
        }
        Ok(())
    }

    /// Opens what is written into piece by piece; none where it is a file, which is replaced as a whole.
    ///
    /// # Errors
    ///
    /// Why it could not be opened.
    pub fn open(&self) -> io::Result<Option<Box<dyn Write + Send>>> {
        Ok(match self {
            Self::Replaced(_) => None,
            Self::Standard => Some(Box::new(io::stdout())),
            // Opened once more, a file would be written from its beginning by whatever is told there afterwards.
            Self::Into(path) if STANDARD_ERROR.iter().any(|name| path == Path::new(name)) => {
                Some(Box::new(io::stderr()))
            }
            Self::Into(path) if fs::metadata(path)?.file_type().is_socket() => {
                Some(Box::new(UnixStream::connect(path)?))
            }
            Self::Into(path) => Some(Box::new(OpenOptions::new().append(true).open(path)?)),
        })
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
            Destination::find(&path("link to it")).unwrap().write(content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(path("folder/target")).unwrap(), content);
        }
        assert!(path("link").is_symlink() && path("link to it").is_symlink());
        symlink("circle", path("circle")).unwrap();
        for wrong in ["circle", "folder", "none/file", "none/"] {
            assert!(Destination::find(&path(wrong)).is_err(), "{wrong}");
        }
        let failed: io::Result<()> =
            Destination::find(&path("link")).unwrap().fill(|_| Err(io::ErrorKind::Other.into()));
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(path("folder/target")).unwrap(), "second");
        assert_eq!(fs::read_dir(path("folder")).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_is_written_into() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("socket");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        Destination::find(&socket).unwrap().write(b"content").unwrap();
        assert_eq!(io::read_to_string(listener.accept().unwrap().0).unwrap(), "content");
        symlink("/dev/full", place.path().join("full")).unwrap();
        let full = Destination::find(&place.path().join("full")).unwrap();
        assert_eq!(full, Destination::Into("/dev/full".into()));
        assert!(full.write(b"content").is_err());
        symlink("/dev/stdout", place.path().join("standard")).unwrap();
        assert_eq!(Destination::find(&place.path().join("standard")).unwrap(), Destination::Standard);
        assert_eq!(Destination::find(Path::new("-")).unwrap(), Destination::Standard);
    }
}
