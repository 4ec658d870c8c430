//! The directory: entries of 128 bytes, in trees that are sorted by name.

use super::{FREE_SECTOR, NOT_SOUND, part, put, sectors::Header, u16_of, u32_of};
use crate::{Error, Unfit};

pub(super) const ENTRY_LEN: usize = 128;
/// Storages in storages: more than any installer has.
const DEPTH_MAX: usize = 32;
/// Bytes of a directory: more than a million entries.
const DIRECTORY_MAX: usize = 128 << 20;
/// Letters and the zero behind them.
const NAME_MAX: usize = 64;

const STORAGE: u8 = 1;
const STREAM: u8 = 2;
const ROOT: u8 = 5;
/// Where there is no entry.
pub(super) const NONE: u32 = FREE_SECTOR;

/// An entry of the directory as it is.
#[derive(Clone)]
pub(crate) struct Entry(pub(super) [u8; ENTRY_LEN]);

/// A storage and what is in it, in the order of the tree.
pub(crate) struct Storage {
    pub(crate) entry: Entry,
    pub(crate) children: Vec<Node>,
}

/// What a storage has.
pub(crate) enum Node {
    Stream(Entry),
    Storage(Storage),
}

impl Node {
    pub(crate) const fn entry(&self) -> &Entry {
        match self {
            Self::Stream(entry) | Self::Storage(Storage { entry, .. }) => entry,
        }
    }
}

impl Entry {
    /// A stream of this name, in UTF-16, which is no longer than names are.
    pub(super) fn stream(name: &[u8]) -> Self {
        let mut entry = [0; ENTRY_LEN];
        put(&mut entry, 0..name.len(), name);
        put(&mut entry, 64..66, &u16::try_from(name.len() + 2).unwrap_or_default().to_le_bytes());
        entry[66] = STREAM;
        Self(entry)
    }

    /// The name in UTF-16, without the zero at its end.
    pub(crate) fn name(&self) -> &[u8] {
        // Looked at when the directory was read.
        let len = usize::from(u16_of(&self.0, 64)).clamp(2, NAME_MAX);
        &self.0[..len - 2]
    }

    pub(crate) fn clsid(&self) -> [u8; 16] {
        part(&self.0, 80)
    }

    pub(crate) fn state_bits(&self) -> [u8; 4] {
        part(&self.0, 96)
    }

    /// When it was made and changed.
    pub(crate) fn times(&self) -> [u8; 16] {
        part(&self.0, 100)
    }

    pub(super) fn start(&self) -> u32 {
        u32_of(&self.0, 116)
    }

    pub(super) fn len(&self, header: &Header) -> u64 {
        let (low, high) = (u64::from(u32_of(&self.0, 120)), u64::from(u32_of(&self.0, 124)));
        if header.is_short() { low } else { low | high << 32 }
    }

    const fn kind(&self) -> u8 {
        self.0[66]
    }

    /// The entries on its left and right side in the tree, and the tree of what it has.
    fn links(&self) -> [u32; 3] {
        [68, 72, 76].map(|at| u32_of(&self.0, at))
    }

    fn has_name(&self) -> bool {
        let len = usize::from(u16_of(&self.0, 64));
        let units = self.0[..NAME_MAX].as_chunks::<2>().0;
        (4..=NAME_MAX).contains(&len)
            && len.is_multiple_of(2)
            && units[..len / 2 - 1].iter().all(|unit| *unit != [0, 0])
            && units[len / 2 - 1] == [0, 0]
    }
}

/// Reads the tree whose root is the first entry.
pub(super) fn read(chain: &[u32], sector: impl Fn(u32) -> Result<Vec<u8>, Error>) -> Result<Storage, Error> {
    let mut entries = Vec::new();
    for number in chain {
        let bytes = sector(*number)?;
        entries.extend(bytes.as_chunks::<ENTRY_LEN>().0.iter().map(|entry| Entry(*entry)));
        if entries.len() * ENTRY_LEN > DIRECTORY_MAX {
            return Err(Unfit("The installer's directory is larger than 128 MiB.").into());
        }
    }
    let root = entries.first().filter(|root| root.kind() == ROOT && root.has_name()).ok_or(NOT_SOUND)?.clone();
    let mut taken = vec![false; entries.len()];
    taken[0] = true;
    Ok(Reader { entries, taken }.storage(root, 0)?)
}

struct Reader {
    entries: Vec<Entry>,
    /// Which of them are in a storage already.
    taken: Vec<bool>,
}

impl Reader {
    fn storage(&mut self, entry: Entry, depth: usize) -> Result<Storage, Unfit> {
        if depth > DEPTH_MAX {
            return Err(Unfit("The installer has storages in storages, too many to sign."));
        }
        let [_, _, tree] = entry.links();
        let (mut found, mut waiting) = (Vec::new(), vec![tree]);
        while let Some(id) = waiting.pop() {
            if id == NONE {
                continue;
            }
            let child = self.take(id)?;
            let [left, right, _] = child.links();
            waiting.extend([left, right]);
            found.push(child);
        }
        found.sort_by_cached_key(|child| key(child.name()));
        if found.windows(2).any(|pair| key(pair[0].name()) == key(pair[1].name())) {
            return Err(Unfit("The installer has two streams of one name."));
        }
        let node = |child: Entry| match child.kind() {
            STORAGE => self.storage(child, depth + 1).map(Node::Storage),
            STREAM if child.links()[2] == NONE => Ok(Node::Stream(child)),
            _ => Err(NOT_SOUND),
        };
        let children = found.into_iter().map(node).collect::<Result<_, _>>()?;
        Ok(Storage { entry, children })
    }

    /// An entry that is nowhere else.
    fn take(&mut self, id: u32) -> Result<Entry, Unfit> {
        let id = usize::try_from(id).map_err(|_| NOT_SOUND)?;
        let taken = self.taken.get_mut(id).ok_or(NOT_SOUND)?;
        let looped = Unfit("The file is no sound compound file: its directory leads to one entry twice.");
        if std::mem::replace(taken, true) {
            return Err(looped);
        }
        self.entries.get(id).filter(|entry| entry.has_name()).cloned().ok_or(NOT_SOUND)
    }
}

/// What the trees are sorted by: the length of a name, then its letters, capital or not.
pub(super) fn key(name: &[u8]) -> (usize, Vec<u16>) {
    (name.len(), name.as_chunks::<2>().0.iter().map(|unit| upper(u16::from_le_bytes(*unit))).collect())
}

/// A letter as a capital, where that is one unit too.
fn upper(unit: u16) -> u16 {
    let Some(letter) = char::from_u32(unit.into()) else { return unit };
    let mut capital = letter.to_uppercase();
    match (capital.next(), capital.next()) {
        (Some(capital), None) => u16::try_from(u32::from(capital)).unwrap_or(unit),
        _ => unit,
    }
}
