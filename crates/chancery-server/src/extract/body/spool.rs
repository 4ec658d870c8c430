//! A body on its way, on disk: sealed under a key of the file's own, so that whoever reads the disk reads nothing.

use std::io::{self, Error};

use chancery_core::ScratchKey;
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
};

/// A file without a name: it is gone when it is dropped, also by a crash.
pub(super) struct Spool {
    file: File,
    key: ScratchKey,
    /// The lengths of the pieces as they are on disk.
    pieces: Vec<usize>,
}

impl Spool {
    /// Bytes that a piece has more on disk.
    pub(super) const OVERHEAD: usize = ScratchKey::OVERHEAD;

    /// A new file without a name in the folder for temporary files.
    pub(super) fn file() -> io::Result<std::fs::File> {
        tempfile::tempfile().map_err(|error| Self::at_its_folder(&error))
    }

    fn at_its_folder(error: &Error) -> Error {
        let folder = std::env::temp_dir();
        Error::new(error.kind(), format!("the folder for temporary files (TMPDIR), {}: {error}", folder.display()))
    }

    pub(super) fn new() -> io::Result<Self> {
        let key = ScratchKey::new().map_err(Error::other)?;
        Ok(Self { file: File::from_std(Self::file()?), key, pieces: Vec::new() })
    }

    /// Moves these bytes to the end of the file, as one piece.
    pub(super) async fn write(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.key.seal_next(bytes).map_err(Error::other)?;
        self.file.write_all(bytes).await.map_err(|error| Self::at_its_folder(&error))?;
        self.pieces.push(bytes.len());
        bytes.clear();
        Ok(())
    }

    /// Everything that was written.
    pub(super) async fn read_back(mut self) -> io::Result<Vec<u8>> {
        self.file.flush().await?;
        self.file.rewind().await?;
        let mut all = Vec::with_capacity(self.pieces.iter().sum());
        let mut piece = Vec::new();
        for (number, length) in (0..).zip(&self.pieces) {
            piece.resize(*length, 0);
            self.file.read_exact(&mut piece).await?;
            all.extend_from_slice(self.key.open(number, &mut piece).map_err(Error::other)?);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::fd::AsRawFd as _};

    use super::*;

    #[tokio::test]
    async fn what_lies_on_disk_cannot_be_read_there() {
        let mut spool = Spool::new().unwrap();
        let cards = b"4111111111111111,".repeat(40_000);
        for piece in cards.chunks(256 * 1024) {
            spool.write(&mut piece.to_vec()).await.unwrap();
        }
        spool.file.flush().await.unwrap();
        // As somebody on the host reads it: the name is gone, the file is not.
        let file = fs::read(format!("/proc/self/fd/{}", spool.file.as_raw_fd())).unwrap();
        assert_eq!(file.len(), cards.len() + 3 * Spool::OVERHEAD);
        assert!(!file.windows(8).any(|part| part == b"41111111"), "card numbers in clear");
        assert_eq!(spool.read_back().await.unwrap(), cards);
    }
}
