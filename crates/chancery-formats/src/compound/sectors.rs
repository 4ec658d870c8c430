//! The header, and the table that says of each sector which one follows it.

use std::ops::Range;

use super::{DIFAT_IN_HEADER, END_OF_CHAIN, MINI_CUTOFF, NOT_SOUND, SECTORS_MAX, number, u16_of, u32_of};
use crate::{Error, Unfit, source::Input};

const MAGIC: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
pub(super) const HEADER_LEN: usize = 512;
const SHARED: Unfit = Unfit(
    "The file is no sound compound file: its tables lead in a circle, to one sector twice, or out of the file. Nothing \
     that is put into it could be told from what is there.",
);

/// What the header says.
pub(super) struct Header {
    pub(super) bytes: [u8; HEADER_LEN],
    /// Bytes of a sector.
    pub(super) sector: u64,
    /// Where the chains of the directory and of the mini stream's table begin.
    pub(super) directory: u32,
    pub(super) mini_table: u32,
    /// Sectors of that table.
    pub(super) mini_tables: u32,
}

impl Header {
    pub(super) fn read(input: &Input<'_>) -> Result<Self, Error> {
        let bytes = input.array::<HEADER_LEN>(0)?;
        let sector = match (u16_of(&bytes, 0x1a), u16_of(&bytes, 0x1e)) {
            (3, 9) => 512,
            (4, 12) => 4096,
            _ => return Err(NOT_SOUND.into()),
        };
        let usual = u16_of(&bytes, 0x1c) == 0xfffe && u16_of(&bytes, 0x20) == 6;
        if !bytes.starts_with(&MAGIC) || !usual || u64::from(u32_of(&bytes, 0x38)) != MINI_CUTOFF {
            return Err(NOT_SOUND.into());
        }
        let [directory, mini_table, mini_tables] = [0x30, 0x3c, 0x40].map(|at| u32_of(&bytes, at));
        Ok(Self { bytes, sector, directory, mini_table, mini_tables })
    }

    /// Whether lengths have 32 bits only, and anything in the bits above.
    pub(super) const fn is_short(&self) -> bool {
        self.sector == 512
    }

    /// Where a sector is. The header has the place of one.
    pub(super) fn range(&self, sector: u32) -> Range<u64> {
        let start = (u64::from(sector) + 1) * self.sector;
        start..start + self.sector
    }

    /// Numbers that a sector has room for.
    pub(super) fn numbers(&self) -> usize {
        if self.is_short() { 128 } else { 1024 }
    }
}

/// A chain that holds so many bytes.
pub(super) struct Chain {
    pub(super) start: u32,
    pub(super) len: u64,
}

/// Sectors, which of them follows which, and which belong to something already.
pub(super) struct Sectors {
    pub(super) next: Vec<u32>,
    /// Of so many sectors.
    taken: Vec<bool>,
}

impl Sectors {
    /// Of a file: reads the table that its header leads to.
    pub(super) fn read(input: &Input<'_>, header: &Header) -> Result<Self, Error> {
        // The last sector of a file may end early.
        let count = input.len.saturating_sub(header.sector).div_ceil(header.sector).min(SECTORS_MAX.into());
        let mut sectors = Self::of(Vec::new(), count);
        let places = sectors.table_places(input, header)?;
        sectors.next = table(input, header, &places)?;
        Ok(sectors)
    }

    /// So many sectors, of which nothing is taken.
    pub(super) fn of(next: Vec<u32>, count: u64) -> Self {
        // No more than the file has, which is no more than fits.
        Self { next, taken: vec![false; usize::try_from(count).unwrap_or_default()] }
    }

    /// The sectors that the table is in.
    fn table_places(&mut self, input: &Input<'_>, header: &Header) -> Result<Vec<u32>, Error> {
        let count = usize::try_from(u32_of(&header.bytes, 0x2c)).map_err(|_| NOT_SOUND)?;
        if count > self.taken.len() {
            return Err(NOT_SOUND.into());
        }
        let mut places: Vec<u32> =
            (0..DIFAT_IN_HEADER.min(count)).map(|index| u32_of(&header.bytes, 0x4c + 4 * index)).collect();
        let mut further = u32_of(&header.bytes, 0x44);
        while places.len() < count {
            self.take(further)?;
            let more = input.bytes(header.range(further), 4096, NOT_SOUND)?;
            let last = header.numbers() - 1;
            places.extend((0..last.min(count - places.len())).map(|index| u32_of(&more, 4 * index)));
            further = u32_of(&more, 4 * last);
        }
        places.iter().try_for_each(|place| self.take(*place))?;
        Ok(places)
    }

    /// A sector that belongs to nothing else.
    fn take(&mut self, sector: u32) -> Result<(), Unfit> {
        let taken = usize::try_from(sector).ok().and_then(|sector| self.taken.get_mut(sector)).ok_or(SHARED)?;
        if std::mem::replace(taken, true) { Err(SHARED) } else { Ok(()) }
    }

    /// A chain whose length only its end tells.
    pub(super) fn whole_chain(&mut self, start: u32) -> Result<Vec<u32>, Unfit> {
        let (mut chain, mut at) = (Vec::new(), start);
        while at != END_OF_CHAIN {
            self.take(at)?;
            chain.push(at);
            at = number(&self.next, at)?;
        }
        Ok(chain)
    }

    /// A chain of sectors of this size, and what its writer took besides. An empty one begins anywhere.
    pub(super) fn chain(&mut self, Chain { start, len }: Chain, size: u64) -> Result<Vec<u32>, Unfit> {
        if len == 0 {
            return Ok(Vec::new());
        }
        let chain = self.whole_chain(start)?;
        if (chain.len() as u64) < len.div_ceil(size) { Err(SHARED) } else { Ok(chain) }
    }
}

/// The numbers in these sectors.
pub(super) fn table(input: &Input<'_>, header: &Header, sectors: &[u32]) -> Result<Vec<u32>, Error> {
    let mut table = Vec::with_capacity(sectors.len() * header.numbers());
    for sector in sectors {
        let bytes = input.bytes(header.range(*sector), 4096, NOT_SOUND)?;
        table.extend(bytes.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)));
    }
    Ok(table)
}
