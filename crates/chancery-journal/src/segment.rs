//! A segment that is being written.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, IoSlice, Read, Write as _},
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use chancery_keys::JournalKey;
use rustix::fs::{FallocateFlags, fallocate};
use uuid::Uuid;

use crate::{
    chain::{self, BODIES, Bodies, Hash, Head, Parts},
    files::Folder,
    flush::FLUSHERS,
    format::{self, END_LEN, MAC_LEN, Taker},
    map::Map,
};

/// Of what was written so many bytes stay in this process's memory. Segments that wait for their flush had a hundred
/// million together, at some ten million values a second.
const KEPT: usize = 1024 * 1024;

/// Records whose bodies are so long are written by system calls: in the mapping each new page would stop the writer for
/// longer than it takes to copy it.
const WRITTEN_BY_CALL: usize = 8 * 1024;

/// Whether a record with this body is written by system calls.
pub(crate) fn is_long([head, tags]: Parts<'_>) -> bool {
    head.len() + tags.len() >= WRITTEN_BY_CALL
}

/// Bytes of a sealed key at most; they have some 70.
const SEALED_MAX: usize = 1_024;
const HEADER_FIXED: usize = 8 + 16 + 8 + 8 + 8 + 32 + 2;

/// What a segment begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) bodies: Bodies,
    pub(crate) journal: Uuid,
    pub(crate) segment: u64,
    /// The number of its first record.
    pub(crate) first: u64,
    pub(crate) made_at_ms: i64,
    /// With which the segment before ended.
    pub(crate) before: Hash,
    pub(crate) sealed: Vec<u8>,
}

impl Header {
    fn encode(&self) -> Vec<u8> {
        let Self { bodies, journal, segment, first, made_at_ms, before, sealed } = self;
        let length = (sealed.len() as u16).to_be_bytes();
        let parts: [&[u8]; 8] = [
            bodies.magic(),
            journal.as_bytes(),
            &segment.to_be_bytes(),
            &first.to_be_bytes(),
            &made_at_ms.to_be_bytes(),
            before,
            &length,
            sealed,
        ];
        parts.concat()
    }

    /// The header that a segment begins with, its MAC, and the hash that its records go on from; none where there is no
    /// header.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<(Self, [u8; MAC_LEN], Hash)>> {
        let mut fixed = [0; HEADER_FIXED];
        if !fill(from, &mut fixed)? {
            return Ok(None);
        }
        let Some((mut header, length)) = Self::parse(&fixed) else { return Ok(None) };
        let (mut sealed, mut mac) = (vec![0; length], [0; MAC_LEN]);
        if !fill(from, &mut sealed)? || !fill(from, &mut mac)? {
            return Ok(None);
        }
        header.sealed = sealed;
        let hash = chain::of_header(&header.encode());
        Ok(Some((header, mac, hash)))
    }

    /// Bytes that it takes, with its MAC.
    pub(crate) const fn length(&self) -> u64 {
        (HEADER_FIXED + self.sealed.len() + MAC_LEN) as u64
    }

    fn parse(fixed: &[u8]) -> Option<(Self, usize)> {
        let mut fixed = Taker(fixed);
        let header = Self {
            bodies: Bodies::of_magic(fixed.bytes(8)?)?,
            journal: Uuid::from_bytes(fixed.array()?),
            segment: fixed.u64()?,
            first: fixed.u64()?,
            made_at_ms: i64::from_be_bytes(fixed.array()?),
            before: fixed.array()?,
            sealed: Vec::new(),
        };
        let length = usize::from(u16::from_be_bytes(fixed.array()?));
        (length <= SEALED_MAX).then_some((header, length))
    }
}

/// Fills a buffer; false where there is not enough.
pub(crate) fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Space for a segment: on the disk, and in memory.
pub(crate) struct Spare {
    file: File,
    flushed_by: [Arc<File>; FLUSHERS],
    map: Map,
    bytes: usize,
    path: PathBuf,
}

impl Spare {
    /// Takes the space now: there is no way to hear that the disk is full when the memory is written.
    pub(crate) fn make(folder: &Folder, bytes: usize) -> io::Result<Self> {
        let path = folder.spare();
        let made = OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(&path);
        let mut file = made?;
        let allocated = fallocate(&file, FallocateFlags::empty(), 0, bytes as u64);
        let allocated = match allocated {
            Err(rustix::io::Errno::OPNOTSUPP) => write_zeros(&mut file, bytes),
            allocated => allocated.map_err(io::Error::from),
        };
        if let Err(error) = allocated {
            // What was taken is given back: others need it more.
            fs::remove_file(&path)?;
            return Err(error);
        }
        let map = Map::of(&file, bytes)?;
        // Opened anew for each: what could not be written is told once to each opening, and each flush has to hear of it.
        let flushed_by: [_; FLUSHERS] = [Arc::new(File::open(&path)?), Arc::new(File::open(&path)?)];
        for again in &flushed_by {
            if place_of(&again.metadata()?) != place_of(&file.metadata()?) {
                return Err(io::Error::other("somebody replaced the next segment"));
            }
        }
        Ok(Self { file, flushed_by, map, bytes, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its file is still where it was made: one that took its place would get the segment's name.
    pub(crate) fn is_in_place(&self) -> io::Result<bool> {
        Ok(length_in_place(&self.file, &self.path)?.is_some_and(|length| length >= self.bytes as u64))
    }
}

/// How long the file at this path is; none where it is another one than this, or there is none.
fn length_in_place(file: &File, path: &Path) -> io::Result<Option<u64>> {
    let ours = file.metadata()?;
    let there = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        there => there?,
    };
    Ok((place_of(&ours) == place_of(&there)).then_some(there.len()))
}

/// Where a file lies.
fn place_of(file: &fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// The same where the file system allocates nothing ahead.
fn write_zeros(file: &mut File, bytes: usize) -> io::Result<()> {
    io::copy(&mut io::repeat(0).take(bytes as u64), file)?;
    file.flush()
}

/// Writes one after the other, by one system call where the kernel takes all of it.
fn write_all_at(file: &File, mut parts: &mut [IoSlice<'_>], mut at: u64) -> io::Result<()> {
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match rustix::io::pwritev(file, parts, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                IoSlice::advance_slices(&mut parts, written);
                at += written as u64;
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The segment that is written.
pub(crate) struct Segment {
    pub(crate) file: Arc<File>,
    pub(crate) flushed_by: [Arc<File>; FLUSHERS],
    pub(crate) number: u64,
    map: Map,
    bytes: usize,
    /// Where the next record goes.
    at: usize,
    /// Up to where it was when nothing was kept in memory.
    released: usize,
    /// The number of the newest record.
    record: u64,
    hash: Hash,
    /// With its MAC.
    header: Vec<u8>,
    pub(crate) made_at_ms: i64,
    path: PathBuf,
}

impl Segment {
    /// Gives space its name and its header. On a failure it is still a spare.
    pub(crate) fn begin(spare: Spare, header: &Header, key: &JournalKey, folder: &Folder) -> io::Result<Self> {
        let Spare { file, flushed_by, map, bytes, path: spare } = spare;
        let path = folder.raw(header.segment);
        let encoded = header.encode();
        let hash = chain::of_header(&encoded);
        let at = encoded.len() + MAC_LEN;
        let whole = [&encoded[..], &key.mac(&hash)].concat();
        file.write_all_at(&whole, 0)?;
        if path.try_exists()? {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "somebody else made the next segment"));
        }
        fs::rename(spare, &path)?;
        let Header { segment: number, first, made_at_ms, .. } = *header;
        let (file, record) = (Arc::new(file), first - 1);
        Ok(Self {
            file,
            flushed_by,
            number,
            map,
            bytes,
            at,
            released: 0,
            record,
            hash,
            header: whole,
            made_at_ms,
            path,
        })
    }

    /// Whether a body fits, and the end after it.
    pub(crate) const fn has_room(&self, body: usize) -> bool {
        self.at + 4 + body + MAC_LEN + END_LEN <= self.bytes
    }

    /// Appends a record. Its length is written last: so it is all there, or not there.
    pub(crate) fn append(&mut self, key: &JournalKey, body: Parts<'_>, body_hash: &Hash) -> Option<u64> {
        let record = self.record + 1;
        let hash = chain::next(&self.hash, record, body_hash);
        let [head, tags] = body;
        let start = self.at + 4;
        let (between, end) = (start + head.len(), start + head.len() + tags.len());
        let (mac, length) = (key.mac(&hash), ((end - start) as u32).to_be_bytes());
        if is_long(body) {
            write_all_at(&self.file, &mut [head, tags, &mac].map(IoSlice::new), start as u64).ok()?;
            self.file.write_all_at(&length, self.at as u64).ok()?;
        } else {
            let parts: [(usize, &[u8]); 4] = [(start, head), (between, tags), (end, &mac), (self.at, &length)];
            parts.into_iter().try_for_each(|(at, bytes)| self.map.write(at, bytes))?;
        }
        (self.at, self.record, self.hash) = (end + MAC_LEN, record, hash);
        if self.at - self.released > KEPT {
            self.release();
        }
        Some(record)
    }

    /// Writes the record that ends it.
    pub(crate) fn end(&mut self, key: &JournalKey, time_ms: i64) {
        let body = format::end(time_ms);
        // There is room: each record left it.
        let _record = self.append(key, [&body, &[]], &BODIES.hash([&body, &[]]));
        self.release();
    }

    /// All of it: with a page the kernel may map those before it again, in folios of megabytes.
    fn release(&mut self) {
        // Where the kernel does not do it, memory is all that it costs.
        let _kept = self.map.release(0, self.bytes);
        self.released = self.at;
    }

    pub(crate) const fn head(&self) -> Head {
        Head { segment: self.number, record: self.record, hash: self.hash }
    }

    /// Whether its file is still where it was made, as long, and begins and ends with what was written. What somebody
    /// writes over its middle shows when it is full.
    pub(crate) fn is_in_place(&self, key: &JournalKey) -> io::Result<bool> {
        if length_in_place(&self.file, &self.path)?.is_none_or(|length| length < self.bytes as u64) {
            return Ok(false);
        }
        let (mut header, mut mac) = (vec![0; self.header.len()], [0; MAC_LEN]);
        self.file.read_exact_at(&mut header, 0)?;
        self.file.read_exact_at(&mut mac, (self.at - MAC_LEN) as u64)?;
        Ok(header == self.header && mac == key.mac(&self.hash))
    }

    /// Gives back what it does not need any more.
    pub(crate) fn finish(self) -> io::Result<()> {
        let Self { file, map, at, .. } = self;
        drop(map);
        file.set_len(at as u64)?;
        file.sync_all()
    }
}
