//! A file in memory, shared with the kernel: what is written here is in its cache at once.

use std::{fs::File, io};

use memmap2::{MmapMut, MmapOptions, UncheckedAdvice};

/// The first bytes of a file, which has room for them.
pub(crate) struct Map(MmapMut);

impl Map {
    #[expect(unsafe_code, reason = "the one place where a file is mapped")]
    pub(crate) fn of(file: &File, len: usize) -> io::Result<Self> {
        // SAFETY: the file was made by this process under a lock on its folder, for its owner alone, and its blocks are
        // allocated. This process never makes it shorter, and looks at the memory only through `write`, so nobody here
        // holds a reference while another process of the same account writes to the file. If one cuts it, the next write
        // ends this process: nothing is answered that is not written.
        let map = unsafe { MmapOptions::new().len(len).map_mut(file)? };
        Ok(Self(map))
    }

    /// Writes some bytes, if they fit.
    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) -> Option<()> {
        let end = at.checked_add(bytes.len())?;
        self.0.get_mut(at..end)?.copy_from_slice(bytes);
        // Not for other threads, but so that the compiler moves no later write before this one.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Some(())
    }

    /// Some bytes need not be in this process's memory any more. They stay in the kernel's cache, and on their way to the
    /// disk, where a failure changes nothing.
    #[expect(unsafe_code, reason = "the one place where a file is mapped")]
    pub(crate) fn release(&self, at: usize, len: usize) -> io::Result<()> {
        // SAFETY: madvise(2): of a shared mapping of a file, MADV_DONTNEED forgets nothing; what is looked at again is read
        // from the file's cache. Nobody holds a reference into it.
        unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, at, len) }
    }
}
