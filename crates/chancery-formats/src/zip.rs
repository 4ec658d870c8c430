//! As much of ZIP as a JAR needs (APPNOTE.TXT): the central directory, the contents, and files put in front.

mod directory;

use std::{cell::RefCell, io::Write};

use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    inflate::stream::{InflateState, ZeroReset, inflate},
};

pub(crate) use directory::Entry;
use directory::{Directory, Told};

use crate::{
    Error, Unfit,
    source::{Input, Source, Target},
};

const NOT_ZIP: Unfit = Unfit("The file is no sound ZIP archive.");
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const LOCAL_LEN: usize = 30;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// All contents together are at most so many times the archive, and this much more: deflate packs a thousandfold what
/// somebody made to be packed, and programs with their pictures and texts two to ten times. Whoever sends little has
/// little unpacked and hashed.
const CONTENT_RATIO_MAX: u64 = 32;
const CONTENT_MORE_MAX: u64 = 32 << 20;
/// Bytes of the longest data descriptor.
const DESCRIPTOR_MAX: usize = 24;
const NOBODYS: Unfit = Unfit("The archive has bytes that belong to no entry, or to several.");
const WINDOW: usize = 64 * 1024;

/// An archive.
pub(crate) struct Archive<'a> {
    input: Input<'a>,
    pub(crate) entries: Vec<Entry>,
    /// Where the central directory begins.
    central: u64,
    /// One for all entries: to make one costs more than to unpack a small entry.
    unpacker: RefCell<Unpacker>,
}

impl<'a> Archive<'a> {
    pub(crate) fn read(source: &'a dyn Source) -> Result<Self, Error> {
        let input = Input::new(source, NOT_ZIP)?;
        let Directory { entries, central } = Directory::read(&input)?;
        let total = entries.iter().try_fold(0_u64, |total, entry| total.checked_add(entry.len));
        let max = input.len.saturating_mul(CONTENT_RATIO_MAX).saturating_add(CONTENT_MORE_MAX);
        if total.is_none_or(|total| total > max) {
            let message = "The archive's contents are larger than 32 times the archive and 32 MiB.";
            return Err(Unfit(message).into());
        }
        let archive = Self { input, entries, central, unpacker: RefCell::new(Unpacker::new()) };
        archive.check_places()?;
        Ok(archive)
    }

    /// How many bytes the archive has.
    pub(crate) const fn len(&self) -> u64 {
        self.input.len
    }

    /// Every byte before the central directory belongs to exactly one entry, so that no two readers see two archives.
    fn check_places(&self) -> Result<(), Error> {
        let mut names: Vec<_> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Unfit("The archive has two entries of one name.").into());
        }
        let mut expected = 0;
        for (entry, end) in self.regions() {
            let (start, told) = self.told(entry)?;
            let after = start.checked_add(entry.packed).ok_or(NOT_ZIP)?;
            if entry.offset != expected || after > end {
                return Err(NOBODYS.into());
            }
            told.check_behind(entry, &self.input.bytes(after..end, DESCRIPTOR_MAX, NOBODYS)?)?;
            expected = end;
        }
        if expected == self.central { Ok(()) } else { Err(NOT_ZIP.into()) }
    }

    /// The entries in the order of the file, each with the place where the next one begins.
    fn regions(&self) -> Vec<(&Entry, u64)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.offset);
        let ends = entries.iter().skip(1).map(|entry| entry.offset).chain([self.central]).collect::<Vec<_>>();
        entries.into_iter().zip(ends).collect()
    }

    /// Where the data of an entry begin, and what the header in front of them says.
    fn told(&self, entry: &Entry) -> Result<(u64, Told), Error> {
        let mut header = vec![0; LOCAL_LEN + entry.name.len()];
        self.input.fill(entry.offset, &mut header)?;
        let (fixed, called) = header.split_at(LOCAL_LEN);
        let half = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        if !fixed.starts_with(&LOCAL) {
            return Err(NOT_ZIP.into());
        }
        if usize::from(half(26)) != entry.name.len() || called != entry.name.as_bytes() {
            return Err(Unfit("The archive calls an entry by two names.").into());
        }
        let behind = entry.offset + header.len() as u64;
        let extra = behind..behind + u64::from(half(28));
        let told = Told::read(fixed, &self.input.bytes(extra.clone(), usize::MAX, NOT_ZIP)?)?;
        if !told.fits(entry) {
            return Err(Unfit("The archive tells of an entry in two ways.").into());
        }
        Ok((extra.end, told))
    }

    /// The content of an entry of at most so many bytes.
    pub(crate) fn bytes(&self, entry: &Entry, max: u64, too_large: Unfit) -> Result<Vec<u8>, Error> {
        if entry.len > max {
            return Err(too_large.into());
        }
        let mut bytes = Vec::new();
        self.content(entry, |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// Hands an entry's content on, piece by piece.
    pub(crate) fn content(&self, entry: &Entry, mut sink: impl FnMut(&[u8])) -> Result<(), Error> {
        let (start, _) = self.told(entry)?;
        let packed = start..start.checked_add(entry.packed).ok_or(NOT_ZIP)?;
        let (mut len, mut crc) = (0_u64, crc32fast::Hasher::new());
        let mut take = |piece: &[u8]| {
            len += piece.len() as u64;
            if len > entry.len {
                return Err(NOT_ZIP.into());
            }
            crc.update(piece);
            sink(piece);
            Ok(())
        };
        if entry.method == STORED {
            self.input.each(packed, take)?;
        } else {
            let mut unpacker = self.unpacker.borrow_mut();
            unpacker.begin();
            self.input.each(packed, |piece| unpacker.push(piece, &mut take))?;
            unpacker.finish(&mut take)?;
        }
        if len == entry.len && crc.finalize() == entry.crc { Ok(()) } else { Err(NOT_ZIP.into()) }
    }

    /// Writes the archive without those entries that `keep` refuses: first those that `leads` names, then these files, then
    /// the others.
    pub(crate) fn with_files(
        &self,
        files: &[(String, Vec<u8>)],
        keep: impl Fn(&str) -> bool,
        leads: impl Fn(&str) -> bool,
        target: &mut dyn Target,
    ) -> Result<(), Error> {
        let kept = self.regions().into_iter().filter(|(entry, _)| keep(&entry.name));
        let (first, rest): (Vec<_>, Vec<_>) = kept.partition(|(entry, _)| leads(&entry.name));
        let (mut central, mut at, mut count) = (Vec::new(), 0_u64, 0_u64);
        for (entry, end) in first {
            self.copy(entry, end, &mut at, &mut central, target)?;
            count += 1;
        }
        for (name, content) in files {
            let entry = Entry::stored(name, content)?;
            central.extend_from_slice(&entry.record(at)?);
            let header = entry.local_header();
            target.write_all(&header)?;
            target.write_all(content)?;
            at += (header.len() + content.len()) as u64;
            count += 1;
        }
        for (entry, end) in rest {
            self.copy(entry, end, &mut at, &mut central, target)?;
            count += 1;
        }
        target.write_all(&central)?;
        Ok(target.write_all(&directory::end(count, at, central.len() as u64))?)
    }

    fn copy(
        &self,
        entry: &Entry,
        end: u64,
        at: &mut u64,
        central: &mut Vec<u8>,
        target: &mut (impl Write + ?Sized),
    ) -> Result<(), Error> {
        central.extend_from_slice(&entry.record(*at)?);
        self.input.copy(entry.offset..end, target)?;
        *at += end - entry.offset;
        Ok(())
    }
}

/// Inflates what comes piece by piece.
struct Unpacker {
    state: Box<InflateState>,
    window: Vec<u8>,
    ended: bool,
}

impl Unpacker {
    fn new() -> Self {
        Self { state: InflateState::new_boxed(DataFormat::Raw), window: vec![0; WINDOW], ended: false }
    }

    /// Forgets what was unpacked before.
    fn begin(&mut self) {
        self.state.reset_as(ZeroReset);
        self.ended = false;
    }

    fn push(&mut self, mut packed: &[u8], take: &mut impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        while !packed.is_empty() {
            let consumed = self.step(packed, take)?;
            packed = &packed[consumed..];
        }
        Ok(())
    }

    /// What is left in the window when all has been pushed.
    fn finish(&mut self, take: &mut impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Error> {
        while !self.ended {
            self.step(&[], take)?;
        }
        Ok(())
    }

    /// One step, which makes progress or fails.
    fn step(&mut self, packed: &[u8], take: &mut impl FnMut(&[u8]) -> Result<(), Error>) -> Result<usize, Error> {
        if self.ended {
            return Err(NOT_ZIP.into());
        }
        let step = inflate(&mut self.state, packed, &mut self.window, MZFlush::None);
        take(&self.window[..step.bytes_written])?;
        match step.status {
            Ok(MZStatus::StreamEnd) => self.ended = true,
            Ok(MZStatus::Ok | MZStatus::NeedDict) if step.bytes_consumed + step.bytes_written > 0 => {}
            Ok(_) | Err(_) => return Err(NOT_ZIP.into()),
        }
        Ok(step.bytes_consumed)
    }
}
