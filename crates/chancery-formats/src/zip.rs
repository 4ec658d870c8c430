//! As much of ZIP as a JAR needs (APPNOTE.TXT): the central directory, the contents, and files put in front.

use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    inflate::stream::{InflateState, inflate},
};

use crate::Unfit;

const NOT_ZIP: Unfit = Unfit("The file is no sound ZIP archive.");
const END: [u8; 4] = *b"PK\x05\x06";
const END_LEN: usize = 22;
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const CENTRAL_LEN: usize = 46;
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const LOCAL_LEN: usize = 30;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// General purpose bits: encrypted, and names in UTF-8.
const ENCRYPTED: u16 = 1;
const UTF_8: u16 = 1 << 11;
/// 1 January 1980: the same files always give the same archive.
const DATE: u16 = 1 << 5 | 1;
/// All contents together; a small archive can hold far more than anybody wants to hash.
const CONTENT_MAX: u64 = 2 << 30;
const WINDOW: usize = 64 * 1024;

/// One entry of the central directory.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    method: u16,
    crc: u32,
    packed: usize,
    len: u64,
    offset: usize,
    /// As it stands in the central directory.
    record: &'a [u8],
}

/// An archive.
pub(crate) struct Archive<'a> {
    file: &'a [u8],
    pub(crate) entries: Vec<Entry<'a>>,
    central: usize,
}

impl<'a> Archive<'a> {
    pub(crate) fn read(file: &'a [u8]) -> Result<Self, Unfit> {
        let end = find_end(file).ok_or(NOT_ZIP)?;
        let count = u16_at(file, end + 10).ok_or(NOT_ZIP)?;
        let central = u32_at(file, end + 16).ok_or(NOT_ZIP)? as usize;
        if count == u16::MAX || central == u32::MAX as usize {
            return Err(Unfit("Archives with ZIP64 records (65,535 entries or 4 GiB) are not signed."));
        }
        let mut rest = file.get(central..end).ok_or(NOT_ZIP)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let (entry, after) = Entry::read(rest)?;
            entries.push(entry);
            rest = after;
        }
        let total: u64 = entries.iter().map(|entry| entry.len).sum();
        if total > CONTENT_MAX {
            return Err(Unfit("The archive's contents are larger than 2 GiB."));
        }
        let archive = Self { file, entries, central };
        archive.check_places()?;
        Ok(archive)
    }

    /// Every byte before the central directory belongs to exactly one entry, so that no two readers see two archives.
    fn check_places(&self) -> Result<(), Unfit> {
        let mut names: Vec<_> = self.entries.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Unfit("The archive has two entries of one name."));
        }
        let mut expected = 0;
        for (entry, end) in self.regions() {
            let data = self.data_start(entry)?;
            let after = data.checked_add(entry.packed).ok_or(NOT_ZIP)?;
            // Behind the data there may be a data descriptor of at most 24 bytes.
            if entry.offset != expected || after > end || end - after > 24 {
                return Err(Unfit("The archive has bytes that belong to no entry, or to several."));
            }
            expected = end;
        }
        if expected == self.central { Ok(()) } else { Err(NOT_ZIP) }
    }

    /// The entries in the order of the file, each with the place where the next one begins.
    fn regions(&self) -> Vec<(&Entry<'a>, usize)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.offset);
        let ends = entries.iter().skip(1).map(|entry| entry.offset).chain([self.central]).collect::<Vec<_>>();
        entries.into_iter().zip(ends).collect()
    }

    fn data_start(&self, entry: &Entry<'_>) -> Result<usize, Unfit> {
        let header = self.file.get(entry.offset..).filter(|header| header.starts_with(&LOCAL)).ok_or(NOT_ZIP)?;
        let name = usize::from(u16_at(header, 26).ok_or(NOT_ZIP)?);
        let extra = usize::from(u16_at(header, 28).ok_or(NOT_ZIP)?);
        if header.get(LOCAL_LEN..LOCAL_LEN + name) != Some(entry.name.as_bytes()) {
            return Err(Unfit("The archive calls an entry by two names."));
        }
        Ok(entry.offset + LOCAL_LEN + name + extra)
    }

    /// Hands an entry's content on, piece by piece.
    pub(crate) fn content(&self, entry: &Entry<'_>, mut sink: impl FnMut(&[u8])) -> Result<(), Unfit> {
        let start = self.data_start(entry)?;
        let packed = self.file.get(start..start + entry.packed).ok_or(NOT_ZIP)?;
        let (mut len, mut crc) = (0_u64, crc32fast::Hasher::new());
        let mut take = |piece: &[u8]| {
            len += piece.len() as u64;
            if len <= entry.len {
                crc.update(piece);
                sink(piece);
            }
            len <= entry.len
        };
        let whole = if entry.method == STORED { take(packed) } else { unpack(packed, take) };
        if whole && len == entry.len && crc.finalize() == entry.crc { Ok(()) } else { Err(NOT_ZIP) }
    }

    /// The archive with these files first, after a leading `META-INF/` where there is one, and without those entries that
    /// `keep` refuses.
    pub(crate) fn with_first(
        &self,
        files: &[(String, Vec<u8>)],
        keep: impl Fn(&str) -> bool,
    ) -> Result<Vec<u8>, Unfit> {
        let too_large = Unfit("The archive would be larger than 4 GiB.");
        let (mut body, mut central, mut count) = (Vec::new(), Vec::new(), 0_usize);
        let mut regions: Vec<_> = self.regions().into_iter().filter(|(entry, _)| keep(entry.name)).collect();
        let leading = usize::from(regions.first().is_some_and(|(entry, _)| entry.name == "META-INF/"));
        let rest = regions.split_off(leading);
        let mut copy = |regions: Vec<(&Entry<'a>, usize)>, body: &mut Vec<u8>, central: &mut Vec<u8>| {
            for (entry, end) in regions {
                let offset = u32::try_from(body.len()).map_err(|_| too_large)?;
                body.extend_from_slice(&self.file[entry.offset..end]);
                central.extend_from_slice(&entry.record[..42]);
                central.extend_from_slice(&offset.to_le_bytes());
                central.extend_from_slice(&entry.record[CENTRAL_LEN..]);
                count += 1;
            }
            Ok(())
        };
        copy(regions, &mut body, &mut central)?;
        for (name, content) in files {
            add(&mut body, &mut central, name, content).ok_or(too_large)?;
        }
        copy(rest, &mut body, &mut central)?;
        let count = u16::try_from(count + files.len()).ok().filter(|count| *count < u16::MAX).ok_or(too_large)?;
        let (at, len) = (u32::try_from(body.len()), u32::try_from(central.len()));
        let (Ok(at), Ok(len)) = (at, len) else { return Err(too_large) };
        body.extend_from_slice(&central);
        body.extend_from_slice(&END);
        for half in [0, 0, count, count] {
            body.extend_from_slice(&half.to_le_bytes());
        }
        body.extend_from_slice(&len.to_le_bytes());
        body.extend_from_slice(&at.to_le_bytes());
        body.extend_from_slice(&[0, 0]);
        Ok(body)
    }
}

impl<'a> Entry<'a> {
    fn read(central: &'a [u8]) -> Result<(Self, &'a [u8]), Unfit> {
        if !central.starts_with(&CENTRAL) || central.len() < CENTRAL_LEN {
            return Err(NOT_ZIP);
        }
        let half = |at| u16_at(central, at).ok_or(NOT_ZIP);
        let word = |at| u32_at(central, at).ok_or(NOT_ZIP);
        let lens = [half(28)?, half(30)?, half(32)?].map(usize::from);
        let end = CENTRAL_LEN + lens.iter().sum::<usize>();
        let record = central.get(..end).ok_or(NOT_ZIP)?;
        let name = std::str::from_utf8(&record[CENTRAL_LEN..CENTRAL_LEN + lens[0]]);
        let name = name.map_err(|_| Unfit("The archive has names that are not UTF-8."))?;
        let method = half(10)?;
        if half(8)? & ENCRYPTED != 0 || ![STORED, DEFLATED].contains(&method) {
            return Err(Unfit("The archive has entries that are encrypted, or packed by other means than deflate."));
        }
        let (packed, len) = (word(20)? as usize, u64::from(word(24)?));
        let entry = Self { name, method, crc: word(16)?, packed, len, offset: word(42)? as usize, record };
        Ok((entry, &central[end..]))
    }
}

/// Inflates piece by piece; false where the data is not sound or `take` wants no more.
fn unpack(packed: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> bool {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let (mut rest, mut window) = (packed, vec![0; WINDOW]);
    loop {
        let step = inflate(&mut state, rest, &mut window, MZFlush::None);
        rest = &rest[step.bytes_consumed..];
        if !take(&window[..step.bytes_written]) {
            return false;
        }
        match step.status {
            Ok(MZStatus::StreamEnd) => return rest.is_empty(),
            Ok(MZStatus::Ok | MZStatus::NeedDict) if step.bytes_consumed + step.bytes_written > 0 => {}
            Ok(_) | Err(_) => return false,
        }
    }
}

/// Adds a file that is not packed.
fn add(body: &mut Vec<u8>, central: &mut Vec<u8>, name: &str, content: &[u8]) -> Option<()> {
    let offset = u32::try_from(body.len()).ok()?;
    let len = u32::try_from(content.len()).ok()?;
    let name_len = u16::try_from(name.len()).ok()?;
    // Version 1.0 is enough; then flags, method, time and date.
    let mut common = Vec::new();
    for half in [10, UTF_8, STORED, 0, DATE] {
        common.extend_from_slice(&half.to_le_bytes());
    }
    for word in [crc32fast::hash(content), len, len] {
        common.extend_from_slice(&word.to_le_bytes());
    }
    common.extend_from_slice(&name_len.to_le_bytes());
    common.extend_from_slice(&[0, 0]);
    body.extend_from_slice(&LOCAL);
    body.extend_from_slice(&common);
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(content);
    central.extend_from_slice(&CENTRAL);
    central.extend_from_slice(&10_u16.to_le_bytes());
    central.extend_from_slice(&common);
    // Comment, disk, attributes.
    central.extend_from_slice(&[0; 10]);
    central.extend_from_slice(&offset.to_le_bytes());
    central.extend_from_slice(name.as_bytes());
    Some(())
}

/// The end record: the last one whose comment reaches to the end of the file.
fn find_end(file: &[u8]) -> Option<usize> {
    let last = file.len().checked_sub(END_LEN)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let fits =
        |at: usize| u16_at(file, at + 20).is_some_and(|comment| at + END_LEN + usize::from(comment) == file.len());
    (first..=last).rev().find(|at| file[*at..].starts_with(&END) && fits(*at))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}
