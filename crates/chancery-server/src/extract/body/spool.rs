//! A body on its way, on disk.

use std::io;

use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
};

/// A file without a name: it is gone when it is dropped, also by a crash.
pub(super) struct Spool {
    file: File,
    len: usize,
}

impl Spool {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { file: File::from_std(tempfile::tempfile()?), len: 0 })
    }

    /// Moves these bytes to the end of the file.
    pub(super) async fn write(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.file.write_all(bytes).await?;
        self.len += bytes.len();
        bytes.clear();
        Ok(())
    }

    /// Everything that was written.
    pub(super) async fn read_back(mut self) -> io::Result<Vec<u8>> {
        self.file.flush().await?;
        self.file.rewind().await?;
        let mut bytes = Vec::with_capacity(self.len);
        self.file.read_to_end(&mut bytes).await?;
        Ok(bytes)
    }
}
