//! Large files: as much memory as for small ones, and numbers that need 64 bits.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    cell::Cell,
    collections::HashMap,
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    ops::Range,
};

use chancery_formats::{Existing, File, Format, Hash, Source};
use sha2::{Digest, Sha256};

const CMS: &[u8] =
    b"\x30\x26\x06\x01\x2a\xa0\x21\x30\x1f\x02\x01\x01\x31\x1a\x30\x18\x02\x01\x01\x30\x00\x30\x00\xa0\x00\
    \x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";

/// No read is larger than this.
const PIECE_MAX: usize = 256 * 1024;

/// Begins with some bytes, ends with others, and has zeros in between; remembers the largest piece.
struct Sparse {
    begin: Vec<u8>,
    end: Vec<u8>,
    len: u64,
    largest: Cell<usize>,
}

impl Source for Sparse {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len)
    }

    fn read_at(&self, at: u64, piece: &mut [u8]) -> io::Result<()> {
        self.largest.set(self.largest.get().max(piece.len()));
        piece.fill(0);
        let end = self.len - self.end.len() as u64;
        for (start, content) in [(0, &self.begin), (end, &self.end)] {
            let from = at.max(start);
            let to = (at + piece.len() as u64).min(start + content.len() as u64);
            if from < to {
                let place = |of: u64, base: u64| usize::try_from(of - base).unwrap();
                piece[place(from, at)..place(to, at)].copy_from_slice(&content[place(from, start)..place(to, start)]);
            }
        }
        Ok(())
    }
}

/// Keeps the blocks of what is written that are not all zeros, and can be read again.
#[derive(Default)]
struct Sink {
    blocks: HashMap<u64, Vec<u8>>,
    at: u64,
    len: u64,
    largest: usize,
}

const BLOCK: u64 = 4096;

impl Sink {
    /// The bytes from `at` on.
    fn part(&self, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.each(at, len, |block, within, place| {
            if let Some(content) = self.blocks.get(&block) {
                bytes[place.clone()].copy_from_slice(&content[within..within + place.len()]);
            }
        });
        bytes
    }

    /// The last bytes.
    fn end(&self) -> Vec<u8> {
        self.part(self.len - 4096, 4096)
    }

    /// The parts of so many bytes, each in one block.
    fn each(&self, at: u64, len: usize, mut part: impl FnMut(u64, usize, Range<usize>)) {
        let mut done = 0;
        while done < len {
            let from = at + done as u64;
            let within = usize::try_from(from % BLOCK).unwrap();
            let count = (len - done).min(4096 - within);
            part(from / BLOCK, within, done..done + count);
            done += count;
        }
    }
}

impl Write for Sink {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.largest = self.largest.max(piece.len());
        let mut parts = Vec::new();
        self.each(self.at, piece.len(), |block, within, place| parts.push((block, within, place)));
        for (block, within, place) in parts {
            let zeros = piece[place.clone()].iter().all(|byte| *byte == 0);
            if !zeros || self.blocks.contains_key(&block) {
                let block = self.blocks.entry(block).or_insert_with(|| vec![0; 4096]);
                block[within..within + place.len()].copy_from_slice(&piece[place]);
            }
        }
        self.at += piece.len() as u64;
        self.len = self.len.max(self.at);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(0) => self.len,
            SeekFrom::End(_) | SeekFrom::Current(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(self.at)
    }
}

impl Read for Sink {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        self.largest = self.largest.max(piece.len());
        let len = piece.len().min(usize::try_from(self.len - self.at).unwrap_or(usize::MAX));
        piece[..len].copy_from_slice(&self.part(self.at, len));
        self.at += len as u64;
        Ok(len)
    }
}

fn image_header() -> Vec<u8> {
    let mut file = vec![0; 0x200];
    file[..2].copy_from_slice(b"MZ");
    file[0x3c] = 0x80;
    file[0x80..0x84].copy_from_slice(b"PE\0\0");
    file[0x94] = 240;
    file[0x98..0x9a].copy_from_slice(&[0x0b, 0x02]);
    file[0x98 + 108] = 16;
    file
}

fn image(len: u64) -> Sparse {
    Sparse { begin: image_header(), end: b"the end".to_vec(), len, largest: Cell::new(0) }
}

#[test]
fn an_image_is_read_and_written_in_pieces() {
    // An odd length.
    let len = (192 << 20) + 3;
    let source = image(len);
    let file = File::read(Format::Pe, &source, Hash::Sha256, Existing::Replace).unwrap();
    let digest = file.digest().unwrap();
    let mut sink = Sink::default();
    file.finish(CMS, &mut sink).unwrap();
    assert!(source.largest.get() <= PIECE_MAX && sink.largest <= PIECE_MAX);
    assert_eq!(sink.len, (len + 5) + 8 + CMS.len() as u64);

    let mut hash = Sha256::new();
    let header = image_header();
    for part in [&header[..0xd8], &header[0xdc..0x128], &header[0x130..]] {
        hash.update(part);
    }
    let zeros = vec![0; 1 << 20];
    let mut left = len - 0x200 - 7;
    while left > 0 {
        let piece = usize::try_from(left).unwrap().min(zeros.len());
        hash.update(&zeros[..piece]);
        left -= piece as u64;
    }
    hash.update(b"the end\0\0\0\0\0");
    assert_eq!(digest, hash.finalize().to_vec());

    // The checksum by its definition, over words that are not all zeros: the header, the end, the table.
    let table = [&u32::try_from(8 + CMS.len()).unwrap().to_le_bytes()[..], &[0, 2, 2, 0], CMS].concat();
    let mut written = sink.part(0, 0x200);
    let stated = u32::from_le_bytes(written[0xd8..0xdc].try_into().unwrap());
    written[0xd8..0xdc].fill(0);
    let tail = [&b"\0the end\0\0\0\0\0"[..], &table].concat();
    // The image's last seven bytes begin at an even place, after a zero byte of padding to the word there.
    let tail = if (len - 7) % 2 == 0 { &tail[1..] } else { &tail[..] };
    let words = |bytes: &[u8]| {
        bytes
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | pair.get(1).map_or(0, |high| u64::from(*high) << 8))
            .sum::<u64>()
    };
    let mut sum = words(&written) + words(tail);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    assert_eq!(u64::from(stated), sum + sink.len);
}

#[test]
fn an_image_ends_before_its_numbers_do() {
    for len in [(1 << 32) - 7, 1 << 32, (1 << 32) + 8] {
        let source = image(len);
        let refused = File::read(Format::Pe, &source, Hash::Sha256, Existing::Replace).err().unwrap();
        assert!(refused.to_string().contains("4 GiB"), "{len}");
    }
    // The image fits, its signature does not.
    let source = image((1 << 32) - 8);
    let file = File::read(Format::Pe, &source, Hash::Sha256, Existing::Replace).unwrap();
    assert!(file.finish(CMS, &mut Sink::default()).unwrap_err().to_string().contains("4 GiB"));
}

/// A stored entry of this name and length, of which the archive has only the beginning, and its record.
fn entry(name: &str, crc: u32, len: u64, offset: u64) -> (Vec<u8>, Vec<u8>) {
    let name_len = u16::try_from(name.len()).unwrap().to_le_bytes();
    let local_extra = [&[1, 0, 16, 0][..], &len.to_le_bytes(), &len.to_le_bytes()].concat();
    let common = [&[45, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..], &crc.to_le_bytes(), &[0xff; 8], &name_len].concat();
    let local = [b"PK\x03\x04", &common[..], &[20, 0], name.as_bytes(), &local_extra].concat();
    let extra = [&[1, 0, 24, 0][..], &len.to_le_bytes(), &len.to_le_bytes(), &offset.to_le_bytes()].concat();
    let central = [b"PK\x01\x02\x2d\0", &common[..], &[28, 0], &[0; 10], &[0xff; 4], name.as_bytes(), &extra].concat();
    (local, central)
}

fn end(count: u64, central: u64, len: u64) -> Vec<u8> {
    let numbers = [count, count, len, central].map(u64::to_le_bytes).concat();
    let record = [&b"PK\x06\x06"[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8], &numbers].concat();
    let locator = [&b"PK\x06\x07"[..], &[0; 4], &(central + len).to_le_bytes(), &[1, 0, 0, 0]].concat();
    let end = [&b"PK\x05\x06"[..], &[0; 4], &[0xff; 12], &[0; 2]].concat();
    [record, locator, end].concat()
}

#[test]
fn an_archive_whose_entries_begin_behind_4_gib() {
    let (large, small) = ((1_u64 << 32) + 5, b"small".as_slice());
    let (local, central) = entry("large", crc_of_zeros(large), large, 0);
    let at = local.len() as u64 + large;
    let (second, second_central) = entry("small", crc32fast::hash(small), 5, at);
    let (central, tail) = ([central, second_central].concat(), [&second[..], small].concat());
    let start = at + tail.len() as u64;
    let tail = [&tail[..], &central, &end(2, start, central.len() as u64)].concat();
    let len = at + tail.len() as u64;
    let source = Sparse { begin: local.clone(), end: tail, len, largest: Cell::new(0) };
    let archive = File::read(Format::Jar, &source, Hash::Sha256, Existing::Replace).unwrap();
    let mut sink = Sink::default();
    archive.finish(CMS, &mut sink).unwrap();
    assert!(source.largest.get() <= PIECE_MAX && sink.largest <= PIECE_MAX);

    // Three entries were put in front.
    let (begin, end) = (sink.part(0, 4096), sink.end());
    let added = u64::from(u32::from_le_bytes(begin[18..22].try_into().unwrap())) + 30 + 20;
    assert!(begin.starts_with(b"PK\x03\x04") && begin[30..].starts_with(b"META-INF/MANIFEST.MF"));
    let second = begin[usize::try_from(added).unwrap()..].windows(local.len()).position(|part| part == local);
    let moved = added + second.unwrap() as u64;
    let record = end.windows(5).rposition(|name| name == b"small").unwrap();
    // Only the place needs 64 bits.
    let extra = [&[1, 0, 8, 0][..], &(moved + at).to_le_bytes()].concat();
    assert!(end[record + 5..].starts_with(&extra));
    assert_eq!(end[record - 26..record - 18], [5, 0, 0, 0, 5, 0, 0, 0]);
    let last = end.len() - 22 - 20 - 56;
    assert_eq!(end[last + 32..last + 40], 5_u64.to_le_bytes());
    assert_eq!(end[last + 48..last + 56], (moved + start).to_le_bytes());
}

/// By doubling.
fn crc_of_zeros(len: u64) -> u32 {
    let (mut whole, mut power) = (crc32fast::Hasher::new(), crc32fast::Hasher::new());
    power.update(&[0]);
    for bit in 0..u64::BITS - len.leading_zeros() {
        if len >> bit & 1 == 1 {
            whole.combine(&power);
        }
        let half = power.clone();
        power.combine(&half);
    }
    whole.finalize()
}

/// An archive of this many entries without content, as `zip` would write it.
fn many(count: u32) -> Vec<u8> {
    let (mut body, mut central) = (Vec::new(), Vec::new());
    for number in 0..count {
        let name = format!("{number:06}.txt");
        let common = [&[10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..], &[0; 12], &[10, 0, 0, 0]].concat();
        let offset = u32::try_from(body.len()).unwrap().to_le_bytes();
        body.extend([b"PK\x03\x04", &common[..], name.as_bytes()].concat());
        central.extend([b"PK\x01\x02\x0a\0", &common[..], &[0; 10], &offset, name.as_bytes()].concat());
    }
    let (at, len) = (body.len() as u64, central.len() as u64);
    let end = if count < 0xffff {
        let count = u16::try_from(count).unwrap().to_le_bytes();
        let (at, len) = (u32::try_from(at).unwrap().to_le_bytes(), u32::try_from(len).unwrap().to_le_bytes());
        [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &len, &at, &[0; 2]].concat()
    } else {
        end(count.into(), at, len)
    };
    [body, central, end].concat()
}

fn signed(file: &[u8]) -> Result<Vec<u8>, chancery_formats::Error> {
    let mut signed = Cursor::new(Vec::new());
    File::read(Format::Jar, &file, Hash::Sha256, Existing::Replace)?.finish(CMS, &mut signed)?;
    Ok(signed.into_inner())
}

/// How many entries the last record of an archive counts, and whether ZIP64 says it too.
fn counted(file: &[u8]) -> (u16, bool) {
    let end = file.len() - 22;
    (u16::from_le_bytes([file[end + 10], file[end + 11]]), file[end - 20..].starts_with(b"PK\x06\x07"))
}

#[test]
fn archives_around_65535_entries() {
    // Three entries are added.
    for (count, expected) in [(0xfffb, (0xfffe, false)), (0xfffc, (0xffff, true)), (0xffff, (0xffff, true))] {
        let once = signed(&many(count)).unwrap();
        assert_eq!(counted(&once), expected, "{count}");
        assert!(signed(&once).unwrap() == once, "{count}");
    }
}

#[test]
fn records_that_contradict_each_other() {
    let file = many(0x1_0000);
    assert!(signed(&file).is_ok());
    let (end, locator, record) = (file.len() - 22, file.len() - 42, file.len() - 98);
    // The counts, lengths and places of both records, the locator's, and the length of the ZIP64 record itself.
    for at in [end + 10, end + 12, end + 16, locator, locator + 8, record, record + 32, record + 40, record + 48] {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(signed(&changed).is_err(), "{}", at - record);
    }
    // A reader that takes the counts of the old record at their word would see fewer entries.
    let mut fewer = many(10);
    let end = fewer.len() - 22;
    fewer[end + 10] = 9;
    assert!(signed(&fewer).is_err());
}
