//! Where a file is read from and where it is written to, a piece at a time: a file of 4 GiB takes no more memory than a
//! small one.

use std::{
    cell::RefCell,
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
};

use crate::{Error, Unfit};

/// Bytes that are read, hashed and written at a time.
pub(crate) const PIECE: usize = 256 * 1024;

/// Something that can be read at any place.
pub trait Source {
    /// How many bytes there are.
    ///
    /// # Errors
    /// When that cannot be told.
    fn size(&self) -> io::Result<u64>;

    /// Fills `piece` with the bytes from `at` on.
    ///
    /// # Errors
    /// When they cannot be read, or there are fewer.
    fn read_at(&self, at: u64, piece: &mut [u8]) -> io::Result<()>;
}

impl Source for &[u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, at: u64, piece: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..)).and_then(|rest| rest.get(..piece.len()));
        piece.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Its cursor moves: nobody else may use it at the same time.
impl Source for fs::File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, at: u64, piece: &mut [u8]) -> io::Result<()> {
        let mut file = self;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(piece)
    }
}

/// What a signed file is written to. It is empty at first, and what was written is looked at again.
pub trait Target: Read + Write + Seek {}

impl<T: Read + Write + Seek> Target for T {}

/// A target that takes no more than was reckoned with before anything was written: whatever a file makes of the code that
/// writes it, it takes no more of the disk, or of memory, than this.
pub(crate) struct Bounded<'t> {
    target: &'t mut dyn Target,
    at: u64,
    max: u64,
    exceeded: bool,
}

impl<'t> Bounded<'t> {
    pub(crate) fn new(target: &'t mut dyn Target, max: u64) -> Self {
        Self { target, at: 0, max, exceeded: false }
    }

    /// Whether more was to be written.
    pub(crate) const fn is_exceeded(&self) -> bool {
        self.exceeded
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.target.read(buffer)?;
        self.at += len as u64;
        Ok(len)
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.at.checked_add(piece.len() as u64).is_none_or(|end| end > self.max) {
            self.exceeded = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let len = self.target.write(piece)?;
        self.at += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

impl Seek for Bounded<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = self.target.seek(to)?;
        Ok(self.at)
    }
}

/// What was written, to be read again.
pub(crate) struct Written<'t> {
    target: RefCell<&'t mut dyn Target>,
}

impl<'t> Written<'t> {
    pub(crate) fn new(target: &'t mut dyn Target) -> Self {
        Self { target: RefCell::new(target) }
    }
}

impl Source for Written<'_> {
    fn size(&self) -> io::Result<u64> {
        self.target.borrow_mut().seek(SeekFrom::End(0))
    }

    fn read_at(&self, at: u64, piece: &mut [u8]) -> io::Result<()> {
        let mut target = self.target.borrow_mut();
        target.seek(SeekFrom::Start(at))?;
        target.read_exact(piece)
    }
}

/// A source of known size, and what is to be said where it ends too early.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    source: &'a dyn Source,
    pub(crate) len: u64,
    unfit: Unfit,
}

impl<'a> Input<'a> {
    pub(crate) fn new(source: &'a dyn Source, unfit: Unfit) -> io::Result<Self> {
        Ok(Self { source, len: source.size()?, unfit })
    }

    /// The same as if it ended there.
    pub(crate) fn until(self, end: u64) -> Self {
        Self { len: self.len.min(end), ..self }
    }

    /// Fills `piece` with the bytes from `at` on.
    pub(crate) fn fill(&self, at: u64, piece: &mut [u8]) -> Result<(), Error> {
        let end = at.checked_add(piece.len() as u64).filter(|end| *end <= self.len);
        end.ok_or(self.unfit)?;
        Ok(self.source.read_at(at, piece)?)
    }

    pub(crate) fn array<const N: usize>(&self, at: u64) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn u16_at(&self, at: u64) -> Result<u16, Error> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(crate) fn u32_at(&self, at: u64) -> Result<u32, Error> {
        self.array(at).map(u32::from_le_bytes)
    }

    /// These bytes, of which there are at most `max`.
    pub(crate) fn bytes(&self, range: Range<u64>, max: usize, too_many: Unfit) -> Result<Vec<u8>, Error> {
        let len = range.end.checked_sub(range.start).filter(|_| range.end <= self.len).ok_or(self.unfit)?;
        let len = usize::try_from(len).ok().filter(|len| *len <= max).ok_or(too_many)?;
        let mut bytes = vec![0; len];
        self.fill(range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Hands these bytes on, piece by piece.
    pub(crate) fn each(
        &self,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let whole = range.end.checked_sub(range.start).filter(|_| range.end <= self.len).ok_or(self.unfit)?;
        let mut buffer = vec![0; PIECE.min(usize::try_from(whole).unwrap_or(PIECE))];
        let mut at = range.start;
        while at < range.end {
            let len = buffer.len().min(usize::try_from(range.end - at).unwrap_or(PIECE));
            self.fill(at, &mut buffer[..len])?;
            sink(&buffer[..len])?;
            at += len as u64;
        }
        Ok(())
    }

    /// Copies these bytes.
    pub(crate) fn copy(&self, range: Range<u64>, target: &mut (impl Write + ?Sized)) -> Result<(), Error> {
        self.each(range, |piece| Ok(target.write_all(piece)?))
    }
}
