//! Writing a compound file anew: the contents one behind the other, then the tables. All places are known before the first
//! byte is written, from the lengths of the streams alone.

use std::{
    collections::VecDeque,
    io::{BufWriter, Write},
};

use super::{
    Compound, DIFAT_IN_HEADER, DIFAT_SECTOR, END_OF_CHAIN, Entry, FAT_SECTOR, FREE_SECTOR, LEN_MAX, MINI_CUTOFF,
    MINI_SECTOR, Node, Storage,
    directory::{ENTRY_LEN, NONE, key},
    put,
    sectors::HEADER_LEN,
};
use crate::{
    Error, Unfit,
    source::{PIECE, Target},
};

const NO_PLACE: Unfit = Unfit("The installer has no place for a signature: it would be 2 GiB or more.");
const BLACK: u8 = 1;
const ZEROS: [u8; 4096] = [0; 4096];

/// A stream of the root that is not as it was: gone, or with this content.
pub(crate) struct Change<'x> {
    /// In UTF-16.
    pub(crate) name: &'x [u8],
    pub(crate) content: Option<&'x [u8]>,
}

/// Where an entry's content comes from.
#[derive(Clone, Copy)]
enum From<'x> {
    Nowhere,
    Old(&'x Entry),
    New(&'x [u8]),
}

/// The new file as it is to be.
struct Layout<'x> {
    /// The directory, the root first.
    entries: Vec<(Entry, From<'x>)>,
    sector: u64,
    /// How many sectors each large stream has, in their order, and the mini stream.
    chains: Vec<u64>,
    /// How many mini sectors each small stream has.
    minis: Vec<u64>,
}

/// Sectors of each kind of table.
struct Tables {
    mini_table: u64,
    directory: u64,
    table: u64,
    difat: u64,
}

impl Compound<'_> {
    /// Writes the file anew, with these streams of its root changed.
    pub(crate) fn write(&self, changes: &[Change<'_>], target: &mut dyn Target) -> Result<(), Error> {
        let layout = Layout::new(self, changes)?;
        let tables = layout.tables()?;
        let mut out = BufWriter::with_capacity(PIECE, target);
        self.write_header(&layout, &tables, &mut out)?;
        for is_mini in [false, true] {
            for (entry, from) in &layout.entries {
                self.write_content(entry, *from, is_mini, layout.sector, &mut out)?;
            }
        }
        pad(&mut out, layout.mini_len(), layout.sector)?;
        let minis = write_numbers(&mut out, &layout.minis)?;
        fill(&mut out, minis, layout.sector)?;
        layout.write_directory(&mut out)?;
        layout.write_tables(&tables, &mut out)?;
        Ok(out.flush()?)
    }

    fn write_header(&self, layout: &Layout<'_>, tables: &Tables, out: &mut impl Write) -> Result<(), Error> {
        let mut header = self.header.bytes;
        let first = layout.chains.iter().sum::<u64>();
        let behind = first + tables.mini_table + tables.directory;
        let short = self.header.is_short();
        let some = |count: u64, at: u64| if count == 0 { END_OF_CHAIN.into() } else { at };
        for (at, number) in [
            (0x28, if short { 0 } else { tables.directory }),
            (0x2c, tables.table),
            (0x30, first + tables.mini_table),
            (0x3c, some(tables.mini_table, first)),
            (0x40, tables.mini_table),
            (0x44, some(tables.difat, behind + tables.table)),
            (0x48, tables.difat),
        ] {
            put(&mut header, at..at + 4, &word(number)?);
        }
        for index in 0..DIFAT_IN_HEADER {
            let at = 0x4c + 4 * index;
            let place =
                if (index as u64) < tables.table { word(behind + index as u64)? } else { FREE_SECTOR.to_le_bytes() };
            put(&mut header, at..at + 4, &place);
        }
        out.write_all(&header)?;
        pad(out, HEADER_LEN as u64, layout.sector)
    }

    /// The content of an entry, if it is of this kind.
    fn write_content(
        &self,
        entry: &Entry,
        from: From<'_>,
        is_mini: bool,
        sector: u64,
        out: &mut impl Write,
    ) -> Result<(), Error> {
        let len = match from {
            From::Nowhere => return Ok(()),
            From::Old(_) | From::New(_) => entry.len(&self.header),
        };
        if (len < MINI_CUTOFF) != is_mini {
            return Ok(());
        }
        match from {
            From::Nowhere => {}
            From::Old(old) => self.content(old, |piece| Ok(out.write_all(piece)?))?,
            From::New(content) => out.write_all(content)?,
        }
        pad(out, len, if is_mini { MINI_SECTOR } else { sector })
    }
}

impl<'x> Layout<'x> {
    fn new(file: &'x Compound<'_>, changes: &'x [Change<'x>]) -> Result<Self, Error> {
        let mut root = file.root.entry.clone();
        let mut children: Vec<Child<'x>> = Vec::new();
        for node in &file.root.children {
            if !changes.iter().any(|change| change.name == node.entry().name()) {
                children.push(Child::of(node));
            }
        }
        for Change { name, content } in changes {
            if let Some(content) = content {
                children.push(Child { entry: Entry::stream(name), from: From::New(content), storage: None });
            }
        }
        children.sort_by_cached_key(|child| key(child.entry.name()));
        put(&mut root.0, 76..80, &NONE.to_le_bytes());
        let mut layout = Self {
            entries: vec![(root, From::Nowhere)],
            sector: file.header.sector,
            chains: Vec::new(),
            minis: Vec::new(),
        };
        layout.place(0, children)?;
        layout.contents(file)?;
        Ok(layout)
    }

    /// Gives the entries of a storage their places in the directory, as a balanced tree, and then those of theirs.
    fn place(&mut self, storage: usize, children: Vec<Child<'x>>) -> Result<(), Error> {
        let mut storages = VecDeque::from([(storage, children)]);
        while let Some((parent, children)) = storages.pop_front() {
            let (first, count) = (self.entries.len(), children.len());
            for (index, Child { mut entry, from, storage }) in children.into_iter().enumerate() {
                put(&mut entry.0, 67..80, &[&[BLACK][..], &[0xff; 12]].concat());
                if let Some(storage) = storage {
                    storages.push_back((first + index, storage.children.iter().map(Child::of).collect()));
                }
                self.entries.push((entry, from));
            }
            let tree = self.balance(first, 0, count, (count + 1).ilog2())?;
            put(&mut self.entries[parent].0.0, 76..80, &tree);
        }
        Ok(())
    }

    /// Makes a tree of these entries; answers its root. `levels` are those that are full: what is below is red.
    fn balance(&mut self, first: usize, from: usize, to: usize, levels: u32) -> Result<[u8; 4], Error> {
        if from == to {
            return Ok(NONE.to_le_bytes());
        }
        let middle = from.midpoint(to);
        let below = levels.saturating_sub(1);
        let left = self.balance(first, from, middle, below)?;
        let right = self.balance(first, middle + 1, to, below)?;
        let (entry, _) = &mut self.entries[first + middle];
        entry.0[67] = if levels == 0 { 0 } else { BLACK };
        put(&mut entry.0, 68..72, &left);
        put(&mut entry.0, 72..76, &right);
        word((first + middle) as u64)
    }

    /// Gives the contents their places.
    fn contents(&mut self, file: &Compound<'_>) -> Result<(), Error> {
        let (mut at, mut mini_at) = (0, 0);
        for (entry, from) in &mut self.entries {
            let len = match from {
                // A storage, or the root.
                From::Nowhere => {
                    put(&mut entry.0, 116..128, &[0; 12]);
                    continue;
                }
                From::Old(old) => file.len(old),
                From::New(content) => content.len() as u64,
            };
            let (place, count, counts) = if len < MINI_CUTOFF {
                (&mut mini_at, len.div_ceil(MINI_SECTOR), &mut self.minis)
            } else {
                (&mut at, len.div_ceil(self.sector), &mut self.chains)
            };
            let start = if count == 0 { END_OF_CHAIN.to_le_bytes() } else { word(*place)? };
            put(&mut entry.0, 116..120, &start);
            put(&mut entry.0, 120..128, &len.to_le_bytes());
            *place += count;
            if count > 0 {
                counts.push(count);
            }
        }
        let (start, len) = (if mini_at == 0 { END_OF_CHAIN.to_le_bytes() } else { word(at)? }, mini_at * MINI_SECTOR);
        let (root, _) = &mut self.entries[0];
        put(&mut root.0, 116..120, &start);
        put(&mut root.0, 120..128, &len.to_le_bytes());
        if mini_at > 0 {
            self.chains.push(len.div_ceil(self.sector));
        }
        Ok(())
    }

    fn mini_len(&self) -> u64 {
        self.minis.iter().sum::<u64>() * MINI_SECTOR
    }

    /// How many sectors the tables take, which have to have room for themselves.
    fn tables(&self) -> Result<Tables, Error> {
        let numbers = self.sector / 4;
        let mini_table = self.minis.iter().sum::<u64>().div_ceil(numbers);
        let directory = ((self.entries.len() * ENTRY_LEN) as u64).div_ceil(self.sector);
        let others = self.chains.iter().sum::<u64>() + mini_table + directory;
        let (mut table, mut difat) = (0, 0);
        while table * numbers < others + table + difat {
            table += 1;
            difat = table.saturating_sub(DIFAT_IN_HEADER as u64).div_ceil(numbers - 1);
        }
        if (others + table + difat + 1) * self.sector > LEN_MAX {
            return Err(NO_PLACE.into());
        }
        Ok(Tables { mini_table, directory, table, difat })
    }

    fn write_directory(&self, out: &mut impl Write) -> Result<(), Error> {
        let mut free = [0; ENTRY_LEN];
        put(&mut free, 68..80, &[0xff; 12]);
        for (entry, _) in &self.entries {
            out.write_all(&entry.0)?;
        }
        let count = (self.entries.len() * ENTRY_LEN) as u64;
        for _ in 0..(count.next_multiple_of(self.sector) - count) / ENTRY_LEN as u64 {
            out.write_all(&free)?;
        }
        Ok(())
    }

    /// The table of all sectors, and the part of the table of tables that the header has no room for.
    fn write_tables(&self, tables: &Tables, out: &mut impl Write) -> Result<(), Error> {
        let chains = [&self.chains[..], &[tables.mini_table, tables.directory]].concat();
        let first = write_numbers(out, &chains)?;
        for (count, mark) in [(tables.table, FAT_SECTOR), (tables.difat, DIFAT_SECTOR)] {
            for _ in 0..count {
                out.write_all(&mark.to_le_bytes())?;
            }
        }
        fill(out, first + tables.table + tables.difat, self.sector)?;
        let further: Vec<u64> = (first..first + tables.table).skip(DIFAT_IN_HEADER).collect();
        let room = usize::try_from(self.sector / 4 - 1).unwrap_or(usize::MAX);
        for (part, next) in further.chunks(room).zip(first + tables.table + 1..) {
            for index in 0..room {
                out.write_all(&part.get(index).map_or(Ok(FREE_SECTOR.to_le_bytes()), |place| word(*place))?)?;
            }
            let is_last = next == first + tables.table + tables.difat;
            out.write_all(&if is_last { END_OF_CHAIN.to_le_bytes() } else { word(next)? })?;
        }
        Ok(())
    }
}

/// What is to be in a storage.
struct Child<'x> {
    entry: Entry,
    from: From<'x>,
    storage: Option<&'x Storage>,
}

impl<'x> Child<'x> {
    fn of(node: &'x Node) -> Self {
        let entry = node.entry().clone();
        match node {
            Node::Stream(stream) => Self { entry, from: From::Old(stream), storage: None },
            Node::Storage(storage) => Self { entry, from: From::Nowhere, storage: Some(storage) },
        }
    }
}

/// A number as the tables have it.
fn word(number: u64) -> Result<[u8; 4], Error> {
    Ok(u32::try_from(number).map_err(|_| NO_PLACE)?.to_le_bytes())
}

/// Zeros up to the end of a sector.
fn pad(out: &mut impl Write, len: u64, sector: u64) -> Result<(), Error> {
    let missing = usize::try_from(len.next_multiple_of(sector) - len).unwrap_or_default();
    Ok(out.write_all(&ZEROS[..missing])?)
}

/// The numbers of chains that follow one another; answers how many.
fn write_numbers(out: &mut impl Write, chains: &[u64]) -> Result<u64, Error> {
    let mut at = 0_u64;
    for count in chains {
        for index in 1..=*count {
            let next = if index == *count { END_OF_CHAIN.to_le_bytes() } else { word(at + index)? };
            out.write_all(&next)?;
        }
        at += count;
    }
    Ok(at)
}

/// Marks what is left of a table's sector as free.
fn fill(out: &mut impl Write, numbers: u64, sector: u64) -> Result<(), Error> {
    for _ in numbers..numbers.next_multiple_of(sector / 4) {
        out.write_all(&FREE_SECTOR.to_le_bytes())?;
    }
    Ok(())
}
