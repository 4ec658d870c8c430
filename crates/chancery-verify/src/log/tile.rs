//! The names of a log's files (c2sp.org/tlog-tiles): `0/x001/x234/067`, `entries/000.p/17`.

use std::{fmt, str::FromStr};

use super::tree::{TILE_WIDTH, TileId};

/// A file below `tile/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogTile {
    /// What is in it.
    pub kind: Kind,
    /// Its number within its level, or among the entries.
    pub index: u64,
    /// How many there are of a partial one; a full one has 256.
    pub partial: Option<u8>,
}

/// What is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Hashes of this level.
    Hashes(u8),
    /// Entries.
    Entries,
}

impl LogTile {
    /// The file of a tile in a tree of this size. `None` where the tree does not reach it.
    pub fn of(id: TileId, size: u64) -> Option<Self> {
        let hashes = size.checked_shr(8 * u32::from(id.level)).unwrap_or(0);
        let first = id.index.checked_mul(TILE_WIDTH as u64)?;
        let width = hashes.checked_sub(first).filter(|width| *width > 0)?;
        Some(Self { kind: Kind::Hashes(id.level), index: id.index, partial: u8::try_from(width).ok() })
    }

    /// The full tile that replaces a partial one once there are enough hashes.
    pub const fn full(self) -> Self {
        Self { partial: None, ..self }
    }

    /// How many hashes or entries are in it.
    pub fn width(self) -> usize {
        self.partial.map_or(TILE_WIDTH, usize::from)
    }
}

impl fmt::Display for LogTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Hashes(level) => write!(f, "{level}/")?,
            Kind::Entries => f.write_str("entries/")?,
        }
        let (mut groups, mut rest) = (vec![self.index % 1_000], self.index / 1_000);
        while rest > 0 {
            groups.push(rest % 1_000);
            rest /= 1_000;
        }
        while let Some(group) = groups.pop() {
            let last = groups.is_empty();
            write!(f, "{}{group:03}{}", if last { "" } else { "x" }, if last { "" } else { "/" })?;
        }
        self.partial.map_or(Ok(()), |width| write!(f, ".p/{width}"))
    }
}

/// Reads the one spelling that a file has.
impl FromStr for LogTile {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (kind, rest) = text.split_once('/').ok_or(())?;
        let kind = if kind == "entries" { Kind::Entries } else { Kind::Hashes(kind.parse().map_err(|_| ())?) };
        if matches!(kind, Kind::Hashes(64..)) {
            return Err(());
        }
        let (number, partial) = match rest.split_once(".p/") {
            Some((number, width)) => (number, Some(width.parse::<u8>().ok().filter(|width| *width > 0).ok_or(())?)),
            None => (rest, None),
        };
        let mut index = 0_u64;
        for group in number.split('/') {
            let digits = group.strip_prefix('x').unwrap_or(group);
            let group: u64 = digits.parse().map_err(|_| ())?;
            index = index.checked_mul(1_000).and_then(|index| index.checked_add(group)).ok_or(())?;
        }
        let tile = Self { kind, index, partial };
        // Signs, missing or superfluous zeros, groups that are too long.
        if tile.to_string() == text { Ok(tile) } else { Err(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_specification() {
        let name = |kind, index, partial| LogTile { kind, index, partial }.to_string();
        assert_eq!(name(Kind::Hashes(0), 1_234_067, None), "0/x001/x234/067");
        assert_eq!(name(Kind::Hashes(2), 0, Some(1)), "2/000.p/1");
        assert_eq!(name(Kind::Entries, 273, Some(112)), "entries/273.p/112");
        assert_eq!(name(Kind::Entries, 1_000, None), "entries/x001/000");
        for text in ["0/x001/x234/067", "2/000.p/1", "entries/273.p/255", "63/999", "entries/x001/000"] {
            assert_eq!(text.parse::<LogTile>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "0",
            "0/",
            "/000",
            "0/0",
            "0/00",
            "0/0000",
            "0/x000",
            "0/x000/001",
            "0/001/002",
            "0/x01/002",
            "64/000",
            "00/000",
            "+0/000",
            "-1/000",
            "0/+01",
            "0/000.p/0",
            "0/000.p/256",
            "0/000.p/01",
            "0/000.p/",
            "0/000.p",
            "entry/000",
            "0/000/",
            "0/x018/x446/x744/x073/x709/x551/616",
            "0/\u{661}\u{661}\u{661}",
        ] {
            assert_eq!(text.parse::<LogTile>(), Err(()), "{text}");
        }
    }

    #[test]
    fn the_specifications_tree_of_70000() {
        let of = |level, index| LogTile::of(TileId { level, index }, 70_000).map(|tile| tile.to_string());
        assert_eq!(of(0, 272).as_deref(), Some("0/272"));
        assert_eq!(of(0, 273).as_deref(), Some("0/273.p/112"));
        assert_eq!(of(0, 274), None);
        assert_eq!(of(1, 0).as_deref(), Some("1/000"));
        assert_eq!(of(1, 1).as_deref(), Some("1/001.p/17"));
        assert_eq!(of(2, 0).as_deref(), Some("2/000.p/1"));
        assert_eq!(of(3, 0), None);
        assert_eq!(LogTile::of(TileId { level: 1, index: 0 }, 256).unwrap().to_string(), "1/000.p/1");
    }
}
