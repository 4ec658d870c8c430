//! What a disk may have after the power was cut.
//!
//! Of what a flush did not cover each sector has the contents of any moment since, whatever other sectors have: so writes
//! are lost, come in another order, and are torn. A truncation has taken place or not. Names come and go in their order, and
//! are on the disk when the folder was flushed; a flush of the file does nothing for its name.

use std::collections::{BTreeMap, HashMap};

use super::trace::Event;

/// What a disk writes as a whole.
const SECTOR: usize = 512;

/// Numbers that look random (xorshift64*).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        // Seeds that are near each other begin far apart, and none with 0.
        Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(((self.next() >> 32) * end as u64) >> 32).unwrap()
    }
}

/// How much of what was not flushed is there.
#[derive(Clone, Copy)]
enum Luck {
    Nothing,
    All,
    /// All but a few sectors.
    Most,
    /// Any version of each sector.
    Any,
}

const LUCK: [Luck; 5] = [Luck::Nothing, Luck::All, Luck::Most, Luck::Any, Luck::Any];

/// A change that is not on the disk for certain, and when it was made.
struct Pending<T> {
    at_event: usize,
    change: T,
}

enum Change<'e> {
    Wrote(usize, &'e [u8]),
    Cut(usize),
}

/// A file, under whatever name.
#[derive(Default)]
struct File<'e> {
    flushed: Vec<u8>,
    pending: Vec<Pending<Change<'e>>>,
}

#[derive(Default)]
pub(super) struct Disk<'e> {
    files: Vec<File<'e>>,
    /// Which file has a name now.
    names: HashMap<&'e str, usize>,
    flushed_names: BTreeMap<&'e str, usize>,
    pending_names: Vec<Pending<(&'e str, Option<usize>)>>,
}

impl<'e> Disk<'e> {
    /// Does what came `at_event`.
    pub(super) fn follow(&mut self, at_event: usize, event: &'e Event) {
        match event {
            Event::Made(name) => {
                self.files.push(File::default());
                let file = self.files.len() - 1;
                self.names.insert(name, file);
                self.pending_names.push(Pending { at_event, change: (name, Some(file)) });
            }
            Event::Removed(name) => {
                self.names.remove(name.as_str());
                self.pending_names.push(Pending { at_event, change: (name, None) });
            }
            Event::Wrote { name, at, bytes } => self.change(at_event, name, Change::Wrote(*at, bytes)),
            Event::Cut { name, len } => self.change(at_event, name, Change::Cut(*len)),
            Event::Flushed { name: Some(name), began } => {
                let file = &mut self.files[self.names[name.as_str()]];
                let flushed = file.pending.partition_point(|pending| pending.at_event < *began);
                for pending in file.pending.drain(..flushed) {
                    pending.change.apply(&mut file.flushed);
                }
            }
            Event::Flushed { name: None, began } => {
                let flushed = self.pending_names.partition_point(|pending| pending.at_event < *began);
                for pending in self.pending_names.drain(..flushed) {
                    rename(&mut self.flushed_names, pending.change);
                }
            }
            Event::Told(_) => {}
        }
    }

    fn change(&mut self, at_event: usize, name: &str, change: Change<'e>) {
        self.files[self.names[name]].pending.push(Pending { at_event, change });
    }

    /// The files that may be there if the power is cut now.
    pub(super) fn after_cut(&self, chance: &mut Chance) -> Vec<(&'e str, Vec<u8>)> {
        let mut names = self.flushed_names.clone();
        let count = match LUCK[chance.below(LUCK.len())] {
            Luck::Nothing => 0,
            Luck::All => self.pending_names.len(),
            Luck::Most | Luck::Any => chance.below(self.pending_names.len() + 1),
        };
        self.pending_names[..count].iter().for_each(|pending| rename(&mut names, pending.change));
        names.into_iter().map(|(name, file)| (name, self.files[file].after_cut(chance))).collect()
    }
}

fn rename<'e>(names: &mut BTreeMap<&'e str, usize>, (name, file): (&'e str, Option<usize>)) {
    match file {
        Some(file) => names.insert(name, file),
        None => names.remove(name),
    };
}

impl Change<'_> {
    fn apply(&self, contents: &mut Vec<u8>) {
        match self {
            Change::Wrote(at, bytes) => overwrite(contents, *at, bytes),
            Change::Cut(len) => contents.resize(*len, 0),
        }
    }
}

fn overwrite(contents: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    contents.resize(contents.len().max(end), 0);
    contents[at..end].copy_from_slice(bytes);
}

/// The parts of a write by sectors: which sector, from where, what.
fn by_sectors(at: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, usize, &[u8])> {
    let first = SECTOR - at % SECTOR;
    let (head, rest) = bytes.split_at(first.min(bytes.len()));
    let pieces = std::iter::once(head).chain(rest.chunks(SECTOR)).filter(|piece| !piece.is_empty());
    pieces.scan(at, |next, piece| {
        let from = *next;
        *next += piece.len();
        Some((from / SECTOR, from, piece))
    })
}

impl File<'_> {
    fn after_cut(&self, chance: &mut Chance) -> Vec<u8> {
        let luck = LUCK[chance.below(LUCK.len())];
        let mut contents = self.flushed.clone();
        // How often each sector was written since, and so how many versions it has beside the flushed one.
        let mut versions = HashMap::<usize, usize>::new();
        for pending in &self.pending {
            if let Change::Wrote(at, bytes) = pending.change {
                by_sectors(at, bytes).for_each(|(sector, ..)| *versions.entry(sector).or_default() += 1);
            }
        }
        // The sectors in their order: a seed always does the same.
        let mut kept: Vec<_> = versions.into_iter().collect();
        kept.sort_unstable();
        let mut kept: HashMap<_, _> = kept
            .into_iter()
            .map(|(sector, versions)| {
                let is_lost = matches!(luck, Luck::Most) && chance.below(64) == 0;
                let count = match luck {
                    Luck::Nothing => 0,
                    Luck::All => versions,
                    Luck::Most if !is_lost => versions,
                    Luck::Most | Luck::Any => chance.below(versions + 1),
                };
                (sector, count)
            })
            .collect();
        for pending in &self.pending {
            match pending.change {
                Change::Wrote(at, bytes) => {
                    for (sector, from, piece) in by_sectors(at, bytes) {
                        if let Some(left) = kept.get_mut(&sector).filter(|left| **left > 0) {
                            *left -= 1;
                            overwrite(&mut contents, from, piece);
                        }
                    }
                }
                Change::Cut(len) => {
                    if matches!(luck, Luck::All) || chance.below(2) == 0 {
                        contents.resize(len, 0);
                    }
                }
            }
        }
        contents
    }
}

#[test]
fn what_was_flushed_is_there_and_the_rest_is_torn() {
    let file = || "x".to_owned();
    let wrote = |at: usize, byte: u8, len: usize| Event::Wrote { name: file(), at, bytes: vec![byte; len] };
    let events = [
        Event::Made(file()),
        wrote(0, 1, 1024),
        Event::Flushed { name: Some(file()), began: 2 },
        Event::Flushed { name: None, began: 3 },
        wrote(0, 2, 1024),
        // A flush that had begun before.
        Event::Flushed { name: Some(file()), began: 4 },
        wrote(500, 3, 1000),
    ];
    let mut disk = Disk::default();
    events.iter().enumerate().for_each(|(at, event)| disk.follow(at, event));
    let mut seen = std::collections::HashSet::new();
    for seed in 0..500 {
        let files = disk.after_cut(&mut Chance::new(seed));
        let [("x", contents)] = &files[..] else { panic!("the name is flushed") };
        // The first sector as it was at one of three moments, and not its parts at several.
        assert!([(1, 1), (2, 2), (2, 3)].contains(&(contents[0], contents[511])));
        seen.insert((contents[0], contents[511], contents[512], contents.get(1024).copied()));
    }
    assert!(seen.contains(&(1, 1, 1, None)) && seen.contains(&(2, 3, 3, Some(3))), "nothing and all");
    assert!(seen.contains(&(1, 1, 3, None)) && seen.contains(&(2, 2, 1, Some(3))), "lost and out of order");
    let unflushed: Vec<_> = {
        let mut disk = Disk::default();
        events[..3].iter().enumerate().for_each(|(at, event)| disk.follow(at, event));
        (0..50).map(|seed| disk.after_cut(&mut Chance::new(seed)).len()).collect()
    };
    assert!(unflushed.contains(&0) && unflushed.contains(&1), "a name may be lost");
}
