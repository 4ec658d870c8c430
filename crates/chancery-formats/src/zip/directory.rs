//! The central directory and what leads to it, with ZIP64 where numbers need it.

use super::{DEFLATED, LOCAL, LOCAL_LEN, NOBODYS, NOT_ZIP, STORED};
use crate::{Error, Unfit, source::Input};

const END: [u8; 4] = *b"PK\x05\x06";
const END_LEN: u64 = 22;
const END_64: [u8; 4] = *b"PK\x06\x06";
const END_64_LEN: u64 = 56;
const LOCATOR: [u8; 4] = *b"PK\x06\x07";
const LOCATOR_LEN: u64 = 20;
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
const CENTRAL_LEN: usize = 46;
/// Extra field "ZIP64 extended information", and the version that understands it.
const EXTRA_64: [u8; 2] = [1, 0];
const VERSION_64: u16 = 45;
/// General purpose bits: encrypted, told of behind the data, and names in UTF-8.
const ENCRYPTED: u16 = 1;
const DESCRIBED: u16 = 1 << 3;
const UTF_8: u16 = 1 << 11;
/// 1 January 1980: the same files always give the same archive.
const DATE: u16 = 1 << 5 | 1;
/// The central directory is read as a whole: this is enough for a million entries.
const DIRECTORY_MAX: usize = 128 << 20;

/// The entries of an archive and where their list begins.
pub(super) struct Directory {
    pub(super) entries: Vec<Entry>,
    pub(super) central: u64,
}

/// One entry of the central directory.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(crate) len: u64,
    pub(super) offset: u64,
    /// The part of its record that every entry has.
    fixed: [u8; CENTRAL_LEN],
    /// Extra fields apart from ZIP64's.
    extra: Vec<u8>,
    comment: Vec<u8>,
}

impl Directory {
    pub(super) fn read(input: &Input<'_>) -> Result<Self, Error> {
        let End { count, central, end } = End::read(input)?;
        let too_large = Unfit("The archive's directory is larger than 128 MiB.");
        let bytes = input.bytes(central..end, DIRECTORY_MAX, too_large)?;
        let (mut rest, mut entries) = (bytes.as_slice(), Vec::new());
        while !rest.is_empty() {
            let (entry, after) = Entry::read(rest)?;
            entries.push(entry);
            rest = after;
        }
        // A reader that counts and one that goes to the end see the same.
        if entries.len() as u64 == count { Ok(Self { entries, central }) } else { Err(NOT_ZIP.into()) }
    }
}

/// What the records behind the central directory say of it.
struct End {
    count: u64,
    central: u64,
    /// Where it ends.
    end: u64,
}

impl End {
    fn read(input: &Input<'_>) -> Result<Self, Error> {
        let at = find(input)?;
        let record = input.array::<{ END_LEN as usize }>(at)?;
        let half = |at: usize| u64::from(u16::from_le_bytes([record[at], record[at + 1]]));
        let word = |at: usize| half(at) | half(at + 2) << 16;
        let (count, len, central) = (half(10), word(12), word(16));
        let locator = at.checked_sub(LOCATOR_LEN);
        let located = match locator {
            Some(locator) if input.array(locator)? == LOCATOR => Some(locator),
            Some(_) | None => None,
        };
        let Some(locator) = located else {
            let ends_here = central + len == at;
            return if ends_here { Ok(Self { count, central, end: at }) } else { Err(NOT_ZIP.into()) };
        };
        let record_64 = u64::from_le_bytes(input.array(locator + 8)?);
        if record_64.checked_add(END_64_LEN) != Some(locator) || input.array(record_64)? != END_64 {
            return Err(NOT_ZIP.into());
        }
        let long = |at: u64| Ok::<_, Error>(u64::from_le_bytes(input.array(record_64 + at)?));
        let (count_64, len_64, central_64) = (long(32)?, long(40)?, long(48)?);
        // Readers that know no ZIP64 see the same directory, or none.
        let same = |short: u64, max: u64, long: u64| short == max || short == long;
        let (max_16, max_32) = (u64::from(u16::MAX), u64::from(u32::MAX));
        let same = same(count, max_16, count_64) && same(len, max_32, len_64) && same(central, max_32, central_64);
        if same && central_64.checked_add(len_64) == Some(record_64) {
            Ok(Self { count: count_64, central: central_64, end: record_64 })
        } else {
            Err(NOT_ZIP.into())
        }
    }
}

/// The end record: the last one whose comment reaches to the end of the file.
fn find(input: &Input<'_>) -> Result<u64, Error> {
    let last = input.len.checked_sub(END_LEN).ok_or(NOT_ZIP)?;
    let first = last.saturating_sub(u64::from(u16::MAX));
    let tail = input.bytes(first..input.len, usize::MAX, NOT_ZIP)?;
    let fits = |tail: &[u8]| match tail {
        [a, b, c, d, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, low, high, comment @ ..] => {
            [*a, *b, *c, *d] == END && usize::from(u16::from_le_bytes([*low, *high])) == comment.len()
        }
        _ => false,
    };
    let at = (0..tail.len()).rev().find(|at| fits(&tail[*at..])).ok_or(NOT_ZIP)?;
    Ok(first + at as u64)
}

/// The records behind a central directory.
pub(super) fn end(count: u64, central: u64, len: u64) -> Vec<u8> {
    let short_count = u16::try_from(count).unwrap_or(u16::MAX);
    let (short_at, short_len) = (short(central), short(len));
    let mut end = Vec::new();
    if short_count == u16::MAX || short_at == u32::MAX || short_len == u32::MAX {
        end.extend_from_slice(&END_64);
        // Its own length, from behind this member on.
        end.extend_from_slice(&(END_64_LEN - 12).to_le_bytes());
        end.extend_from_slice(&VERSION_64.to_le_bytes());
        end.extend_from_slice(&VERSION_64.to_le_bytes());
        end.extend_from_slice(&[0; 8]);
        for long in [count, count, len, central] {
            end.extend_from_slice(&long.to_le_bytes());
        }
        end.extend_from_slice(&LOCATOR);
        end.extend_from_slice(&[0; 4]);
        end.extend_from_slice(&(central + len).to_le_bytes());
        end.extend_from_slice(&1_u32.to_le_bytes());
    }
    end.extend_from_slice(&END);
    for half in [0, 0, short_count, short_count] {
        end.extend_from_slice(&half.to_le_bytes());
    }
    end.extend_from_slice(&short_len.to_le_bytes());
    end.extend_from_slice(&short_at.to_le_bytes());
    end.extend_from_slice(&[0, 0]);
    end
}

/// A number as the records without ZIP64 have it: all ones where ZIP64's has it.
fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Entry {
    fn read(central: &[u8]) -> Result<(Self, &[u8]), Error> {
        let (fixed, rest) = central.split_first_chunk::<CENTRAL_LEN>().ok_or(NOT_ZIP)?;
        if !fixed.starts_with(&CENTRAL) {
            return Err(NOT_ZIP.into());
        }
        let half = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let (name, rest) = rest.split_at_checked(half(28).into()).ok_or(NOT_ZIP)?;
        let (extra, rest) = rest.split_at_checked(half(30).into()).ok_or(NOT_ZIP)?;
        let (comment, rest) = rest.split_at_checked(half(32).into()).ok_or(NOT_ZIP)?;
        let name = std::str::from_utf8(name).map_err(|_| Unfit("The archive has names that are not UTF-8."))?;
        let method = half(10);
        if half(8) & ENCRYPTED != 0 || ![STORED, DEFLATED].contains(&method) {
            let message = "The archive has entries that are encrypted, or packed by other means than deflate.";
            return Err(Unfit(message).into());
        }
        let (extra, mut longs) = split_extra(extra)?;
        // In this order, and only those that do not fit.
        let mut long = |short: u32| if short == u32::MAX { longs.next().ok_or(NOT_ZIP) } else { Ok(short.into()) };
        let (len, packed, offset) = (long(word(24))?, long(word(20))?, long(word(42))?);
        let (name, comment) = (name.to_owned(), comment.to_vec());
        Ok((Self { name, method, crc: word(16), packed, len, offset, fixed: *fixed, extra, comment }, rest))
    }

    /// A new entry that is not packed.
    pub(super) fn stored(name: &str, content: &[u8]) -> Result<Self, Error> {
        let len = u32::try_from(content.len()).map_err(|_| Unfit("The archive's manifest is too large."))?;
        let crc = crc32fast::hash(content);
        let mut fixed = [0; CENTRAL_LEN];
        fixed[..4].copy_from_slice(&CENTRAL);
        // Made by version 1.0, which is also enough; then flags, method, time and date.
        for (at, half) in [(4, 10), (6, 10), (8, UTF_8), (10, STORED), (14, DATE)] {
            fixed[at..at + 2].copy_from_slice(&half.to_le_bytes());
        }
        for (at, word) in [(16, crc), (20, len), (24, len)] {
            fixed[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        // Our own names are short.
        fixed[28..30].copy_from_slice(&u16::try_from(name.len()).unwrap_or_default().to_le_bytes());
        let (packed, len) = (len.into(), len.into());
        let (extra, comment) = (Vec::new(), Vec::new());
        Ok(Self { name: name.to_owned(), method: STORED, crc, packed, len, offset: 0, fixed, extra, comment })
    }

    /// What stands in front of the data of an entry that is not packed.
    pub(super) fn local_header(&self) -> Vec<u8> {
        // From the version that is needed on both records are alike, up to the comment.
        [&LOCAL, &self.fixed[6..30], &[0; 2], self.name.as_bytes()].concat()
    }

    /// Its record in the central directory, where its bytes begin at `offset`.
    pub(super) fn record(&self, offset: u64) -> Result<Vec<u8>, Error> {
        let mut longs = Vec::new();
        let mut word = |number: u64| {
            let short = short(number);
            if short == u32::MAX {
                longs.extend_from_slice(&number.to_le_bytes());
            }
            short.to_le_bytes()
        };
        let mut fixed = self.fixed;
        fixed[24..28].copy_from_slice(&word(self.len));
        fixed[20..24].copy_from_slice(&word(self.packed));
        fixed[42..46].copy_from_slice(&word(offset));
        let mut extra = Vec::new();
        if !longs.is_empty() {
            let needed = u16::from_le_bytes([fixed[6], fixed[7]]).max(VERSION_64);
            fixed[6..8].copy_from_slice(&needed.to_le_bytes());
            extra.extend_from_slice(&EXTRA_64);
            // At most three numbers.
            extra.extend_from_slice(&u16::try_from(longs.len()).unwrap_or_default().to_le_bytes());
            extra.extend_from_slice(&longs);
        }
        extra.extend_from_slice(&self.extra);
        let no_room = Unfit("The archive has an entry whose extra fields leave no room for ZIP64's.");
        let extra_len = u16::try_from(extra.len()).map_err(|_| no_room)?;
        fixed[30..32].copy_from_slice(&extra_len.to_le_bytes());
        Ok([&fixed, self.name.as_bytes(), &extra, &self.comment].concat())
    }
}

/// What the header in front of an entry's data says of it. A reader that goes from front to back knows nothing else.
pub(super) struct Told {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    len: u64,
    /// Whether it has ZIP64's field, and whether it says that its numbers are there.
    has_longs: bool,
    needs_longs: bool,
}

impl Told {
    /// Reads the part of a local header that every entry has, and its extra fields.
    pub(super) fn read(fixed: &[u8], extra: &[u8]) -> Result<Self, Error> {
        let Some(fixed) = fixed.first_chunk::<LOCAL_LEN>() else { return Err(NOT_ZIP.into()) };
        let half = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let (_, mut longs) = split_extra(extra)?;
        let has_longs = longs.len() > 0;
        let mut long = |short: u32| if short == u32::MAX { longs.next().ok_or(NOT_ZIP) } else { Ok(short.into()) };
        let (len, packed) = (long(word(22))?, long(word(18))?);
        let needs_longs = [22, 18].iter().any(|at| word(*at) == u32::MAX);
        Ok(Self { flags: half(6), method: half(8), crc: word(14), packed, len, has_longs, needs_longs })
    }

    /// Whether it is what the central directory says. What is told behind the data may be zero in front of it.
    pub(super) fn fits(&self, entry: &Entry) -> bool {
        let Self { method, crc, packed, len, .. } = *self;
        let same = |told: u64, known: u64| told == known || (self.is_described() && told == 0);
        method == entry.method
            && self.flags & ENCRYPTED == 0
            && same(crc.into(), entry.crc.into())
            && same(packed, entry.packed)
            && same(len, entry.len)
    }

    /// Looks at what is between an entry's data and what comes next: nothing or, where the header says so, a descriptor
    /// with what the directory says. A reader that goes from front to back looks for the next entry behind it, and where
    /// it finds none, since it takes a long descriptor for a short one, it sees a shorter archive.
    pub(super) fn check_behind(&self, entry: &Entry, behind: &[u8]) -> Result<(), Unfit> {
        if !self.is_described() {
            return if behind.is_empty() { Ok(()) } else { Err(NOBODYS) };
        }
        let is_long = self.needs_longs || [entry.packed, entry.len].iter().any(|number| short(*number) == u32::MAX);
        // Some take it for a long one by the field alone. And Java before version 23 takes each of an entry that is small for
        // a short one, and finds no mistake in that of an empty entry.
        if self.has_longs != self.needs_longs || is_long && entry.len == 0 {
            return Err(Unfit("The archive has an entry whose data descriptor can be read in two ways."));
        }
        let mut expected = entry.crc.to_le_bytes().to_vec();
        for number in [entry.packed, entry.len] {
            let number = number.to_le_bytes();
            expected.extend_from_slice(if is_long { &number } else { &number[..4] });
        }
        // Not all packers mark it.
        if behind == expected || behind.strip_prefix(&DESCRIPTOR) == Some(expected.as_slice()) {
            return Ok(());
        }
        Err(Unfit("The archive has an entry without the data descriptor behind it that its header speaks of."))
    }

    const fn is_described(&self) -> bool {
        self.flags & DESCRIBED != 0
    }
}

/// Extra fields without ZIP64's, and the numbers that this has.
fn split_extra(extra: &[u8]) -> Result<(Vec<u8>, impl ExactSizeIterator<Item = u64>), Error> {
    let (mut others, mut longs) = (Vec::new(), None);
    let mut rest = extra;
    while let [id_low, id_high, len_low, len_high, after @ ..] = rest {
        let len = usize::from(u16::from_le_bytes([*len_low, *len_high]));
        let (content, after) = after.split_at_checked(len).ok_or(NOT_ZIP)?;
        if [*id_low, *id_high] != EXTRA_64 {
            others.extend_from_slice(&rest[..4 + len]);
        } else if longs.replace(content.as_chunks::<8>().0.to_vec()).is_some() {
            return Err(NOT_ZIP.into());
        }
        rest = after;
    }
    // Some packers fill up with fewer bytes than a field has.
    others.extend_from_slice(rest);
    Ok((others, longs.unwrap_or_default().into_iter().map(u64::from_le_bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Java's streams write it, which do not know in front of the data that they will be so many.
    #[test]
    fn a_descriptor_of_more_than_32_bits_has_long_numbers() {
        let mut entry = Entry::stored("a", b"").unwrap();
        (entry.crc, entry.packed, entry.len) = (7, 5, 1 << 32);
        let told =
            Told { flags: DESCRIBED, method: STORED, crc: 0, packed: 0, len: 0, has_longs: false, needs_longs: false };
        let long = [&7_u32.to_le_bytes()[..], &5_u64.to_le_bytes(), &(1_u64 << 32).to_le_bytes()].concat();
        told.check_behind(&entry, &long).unwrap();
        told.check_behind(&entry, &[&DESCRIPTOR[..], &long].concat()).unwrap();
        let cut = [&long[..8], &long[12..16]].concat();
        assert!(told.check_behind(&entry, &cut).is_err());
    }
}
