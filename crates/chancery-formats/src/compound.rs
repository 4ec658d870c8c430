//! Compound files (Microsoft, [MS-CFB]), which installers are: storages and streams in the sectors of one file.
//!
//! A file is read whole, but for the contents of its streams, before anything is done with it, and no sector is walked
//! over twice: each belongs to one chain, and each entry of the directory to one storage. So loops, shared sectors and
//! chains out of the file are refused, and the work is in proportion to the file, whatever its tables say. It is never
//! changed in place: [`write`](Compound::write) lays a new file out, whose length is known before its first byte.

mod directory;
mod layout;
mod sectors;

use std::ops::Range;

pub(crate) use directory::{Entry, Node, Storage};
pub(crate) use layout::Change;

use crate::{
    Error, Unfit,
    source::{Input, Source},
};
use sectors::{Chain, Header, Sectors};

pub(crate) const NOT_SOUND: Unfit = Unfit("The file is no Windows installer: it is not a sound compound file.");

/// Streams shorter than this are in the mini stream, in sectors of their own size.
const MINI_CUTOFF: u64 = 4096;
const MINI_SECTOR: u64 = 64;

/// Marks in the tables: sectors of the tables themselves, the end of a chain, nothing.
const DIFAT_SECTOR: u32 = 0xffff_fffc;
const FAT_SECTOR: u32 = 0xffff_fffd;
const END_OF_CHAIN: u32 = 0xffff_fffe;
const FREE_SECTOR: u32 = 0xffff_ffff;
/// No sector has this number, or a higher one.
const SECTORS_MAX: u32 = 0xffff_fffa;
/// Entries of the table of tables that are in the header.
const DIFAT_IN_HEADER: usize = 109;
/// More is no installer: Windows takes none of 2 GiB.
const LEN_MAX: u64 = 0x7fff_ff00;

/// A compound file.
pub(crate) struct Compound<'a> {
    input: Input<'a>,
    header: Header,
    sectors: Sectors,
    mini: Mini,
    pub(crate) root: Storage,
}

/// The mini stream: the sectors that it is in, and the chains of what is in it.
struct Mini {
    container: Vec<u32>,
    table: Vec<u32>,
}

impl<'a> Compound<'a> {
    pub(crate) fn read(source: &'a dyn Source) -> Result<Self, Error> {
        let input = Input::new(source, NOT_SOUND)?;
        if input.len > LEN_MAX {
            return Err(Unfit("Installers of 2 GiB or more cannot be signed: Windows takes none.").into());
        }
        let header = Header::read(&input)?;
        let mut sectors = Sectors::read(&input, &header)?;
        let directory = sectors.whole_chain(header.directory)?;
        let root = directory::read(&directory, |sector| input.bytes(header.range(sector), 4096, NOT_SOUND))?;
        // Where there is no mini stream some writers begin its table anywhere.
        let table = if header.mini_tables == 0 { Vec::new() } else { sectors.whole_chain(header.mini_table)? };
        let table = sectors::table(&input, &header, &table)?;
        let container =
            sectors.chain(Chain { start: root.entry.start(), len: root.entry.len(&header) }, header.sector)?;
        let mini_count = root.entry.len(&header).div_ceil(MINI_SECTOR).min(table.len() as u64);
        let mut mini = Sectors::of(table, mini_count);
        claim_streams(&root, &header, &mut sectors, &mut mini)?;
        Ok(Self { input, header, sectors, mini: Mini { container, table: mini.next }, root })
    }

    /// How many bytes a stream has.
    pub(crate) fn len(&self, stream: &Entry) -> u64 {
        stream.len(&self.header)
    }

    /// Hands the content of a stream on, piece by piece.
    pub(crate) fn content(
        &self,
        stream: &Entry,
        mut sink: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (sector, mut left) = (self.header.sector, self.len(stream));
        let is_mini = left < MINI_CUTOFF;
        let (next, size) = if is_mini { (&self.mini.table, MINI_SECTOR) } else { (&self.sectors.next, sector) };
        // Walked before, so the chain is as long as the stream. What follows one another in the file is read at once.
        let (mut at, mut run) = (stream.start(), 0..0);
        while left > 0 {
            let len = left.min(size);
            let start = if is_mini { self.mini_place(at)? } else { self.header.range(at).start };
            if run.end != start {
                self.input.each(std::mem::take(&mut run), &mut sink)?;
                run.start = start;
            }
            run.end = start + len;
            left -= len;
            at = number(next, at)?;
        }
        self.input.each(run, sink)
    }

    /// Where a sector of the mini stream is in the file.
    fn mini_place(&self, mini: u32) -> Result<u64, Error> {
        let at = u64::from(mini) * MINI_SECTOR;
        let sector = usize::try_from(at / self.header.sector).ok().and_then(|index| self.mini.container.get(index));
        Ok(self.header.range(*sector.ok_or(NOT_SOUND)?).start + at % self.header.sector)
    }

    /// The content of a stream of at most so many bytes.
    pub(crate) fn bytes(&self, stream: &Entry, max: u64, too_large: Unfit) -> Result<Vec<u8>, Error> {
        if self.len(stream) > max {
            return Err(too_large.into());
        }
        let mut bytes = Vec::new();
        self.content(stream, |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }
}

/// Walks the chains of all streams.
fn claim_streams(storage: &Storage, header: &Header, sectors: &mut Sectors, mini: &mut Sectors) -> Result<(), Error> {
    for node in &storage.children {
        match node {
            Node::Storage(storage) => claim_streams(storage, header, sectors, mini)?,
            Node::Stream(stream) => {
                let chain = Chain { start: stream.start(), len: stream.len(header) };
                let (claimed, size) =
                    if chain.len < MINI_CUTOFF { (&mut *mini, MINI_SECTOR) } else { (&mut *sectors, header.sector) };
                let _claimed = claimed.chain(chain, size)?;
            }
        }
    }
    Ok(())
}

/// The entry of a table.
fn number(table: &[u32], at: u32) -> Result<u32, Unfit> {
    usize::try_from(at).ok().and_then(|at| table.get(at)).copied().ok_or(NOT_SOUND)
}

/// The bytes from one place to another of an entry or a header.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut part = [0; N];
    part.copy_from_slice(&bytes[at..at + N]);
    part
}

fn u16_of(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(part(bytes, at))
}

fn u32_of(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(part(bytes, at))
}

fn put(bytes: &mut [u8], range: Range<usize>, value: &[u8]) {
    bytes[range].copy_from_slice(value);
}
