//! Portable Executables (Microsoft, "Windows Authenticode Portable Executable Signature Format").

mod contents;
mod pages;
mod sections;

use std::{io::SeekFrom, ops::Range};

use crate::{
    Error, Existing, Unfit, cms,
    hash::Hash,
    source::{Input, Source, Target},
};

pub use pages::is_page_hashes;

const NOT_PE: Unfit = Unfit("The file is no Portable Executable with a certificate table.");
const TOO_LARGE: Unfit = Unfit("An image of 4 GiB or more has no place for a signature.");
const ODD_TABLE: Unfit =
    Unfit("The entries of the image's certificate table do not follow one another, so none can be told from another.");
/// WIN_CERT_REVISION_2_0 and WIN_CERT_TYPE_PKCS_SIGNED_DATA.
const REVISION_AND_TYPE: [u8; 4] = [0x00, 0x02, 0x02, 0x00];
/// Of a WIN_CERTIFICATE, before its bytes.
const ENTRY_HEADER: u64 = 8;
/// More than any signature has, however often it was signed.
const SIGNATURE_MAX: usize = 64 << 20;
/// More entries than any image's certificate table has.
const ENTRIES_MAX: usize = 1024;
/// What a signature may add to an image besides its own length: the header of its entry, what fills up to eight bytes, and
/// tags and lengths where it is nested.
pub(crate) const OVERHEAD_MAX: u64 = 512;
const ZEROS: [u8; 8] = [0; 8];

/// An image and where in it the signature belongs.
pub(crate) struct Image<'a> {
    input: Input<'a>,
    /// Where the certificate table begins, which is at the end.
    table: u64,
    /// Where the four bytes of the checksum are.
    checksum: u64,
    /// Where the eight bytes are that say where the certificate table is.
    directory: u64,
}

impl<'a> Image<'a> {
    pub(crate) fn read(source: &'a dyn Source) -> Result<Self, Error> {
        let input = Input::new(source, NOT_PE)?;
        if input.array(0)? != *b"MZ" {
            return Err(NOT_PE.into());
        }
        let header = u64::from(input.u32_at(0x3c)?);
        if input.array(header)? != *b"PE\0\0" {
            return Err(NOT_PE.into());
        }
        let optional = header + 24;
        // PE32 and PE32+ differ in the sizes of some members before the directories.
        let directories = match input.u16_at(optional)? {
            0x10b => optional + 96,
            0x20b => optional + 112,
            _ => return Err(NOT_PE.into()),
        };
        let (checksum, directory) = (optional + 64, directories + 4 * 8);
        let has_directory = input.u32_at(directories - 4)? > 4;
        let in_header = directory + 8 <= optional + u64::from(input.u16_at(header + 20)?);
        if !has_directory || !in_header {
            return Err(NOT_PE.into());
        }
        let (at, len) = (u64::from(input.u32_at(directory)?), u64::from(input.u32_at(directory + 4)?));
        if len > 0 && (at < directory + 8 || at + len != input.len) {
            let message = "The image's certificate table is not at its end, so a signature would not cover all of it.";
            return Err(Unfit(message).into());
        }
        let table = if len == 0 { input.len } else { at };
        // What is hashed can then also be finished.
        u32::try_from(table + padding(table)).map_err(|_| TOO_LARGE)?;
        sections::check(&input, header, table)?;
        Ok(Self { input, table, checksum, directory })
    }

    /// What is in front of the certificate table: all that a signature can cover.
    fn covered(&self) -> Input<'a> {
        self.input.until(self.table)
    }

    /// Of everything but the checksum, the directory's entry and the certificate table; padded to eight bytes.
    pub(crate) fn digest(&self, hash: Hash) -> Result<Vec<u8>, Error> {
        let Self { input, table, checksum, directory } = *self;
        let mut running = hash.begin();
        for range in [0..checksum, checksum + 4..directory, directory + 8..table] {
            input.each(range, |piece| {
                running.update(piece);
                Ok(())
            })?;
        }
        running.update(zeros(padding(table)));
        Ok(running.finish())
    }

    /// Answers the signature that the image has now.
    pub(crate) fn finish(&self, cms: &[u8], existing: Existing, target: &mut dyn Target) -> Result<Vec<u8>, Error> {
        let Self { input, table, checksum, directory } = *self;
        let (signature, entries) = self.new_table(cms, existing)?;
        let at = u32::try_from(table + padding(table)).map_err(|_| TOO_LARGE)?;
        let entries_len = entries.iter().try_fold(0_u64, |sum, entry| sum.checked_add(entry.len(&signature)));
        let len = u32::try_from(entries_len.ok_or(TOO_LARGE)?).map_err(|_| TOO_LARGE)?;
        at.checked_add(len).ok_or(TOO_LARGE)?;

        let mut sum = Checksum::default();
        let mut write = |piece: &[u8]| {
            sum.update(piece);
            Ok::<_, Error>(target.write_all(piece)?)
        };
        input.each(0..checksum, &mut write)?;
        write(&[0; 4])?;
        input.each(checksum + 4..directory, &mut write)?;
        write(&at.to_le_bytes())?;
        write(&len.to_le_bytes())?;
        input.each(directory + 8..table, &mut write)?;
        write(zeros(padding(table)))?;
        for entry in entries {
            match entry {
                TableEntry::Kept(range) => {
                    let missing = padding(range.end - range.start);
                    input.each(range, &mut write)?;
                    write(zeros(missing))?;
                }
                TableEntry::Signature => {
                    let cms_len = signature.len() as u64;
                    // Its padding counts, as most tools have it.
                    let len = u32::try_from(ENTRY_HEADER + cms_len + padding(cms_len)).map_err(|_| TOO_LARGE)?;
                    write(&len.to_le_bytes())?;
                    write(&REVISION_AND_TYPE)?;
                    write(&signature)?;
                    write(zeros(padding(cms_len)))?;
                }
            }
        }
        target.seek(SeekFrom::Start(checksum))?;
        target.write_all(&sum.finish().to_le_bytes())?;
        Ok(signature)
    }

    /// The signature, and the certificate table that it is to be in: alone, or, where what is there stays, among what
    /// else there is, whatever that may be.
    fn new_table(&self, cms: &[u8], existing: Existing) -> Result<(Vec<u8>, Vec<TableEntry>), Error> {
        if existing == Existing::Replace {
            return Ok((cms.to_vec(), vec![TableEntry::Signature]));
        }
        let (mut signature, mut entries) = (None, Vec::new());
        for range in self.entries()? {
            if signature.is_none() && self.is_signature(&range)? {
                signature = Some(cms::nest(&self.content(&range)?, cms)?);
                entries.push(TableEntry::Signature);
            } else {
                entries.push(TableEntry::Kept(range));
            }
        }
        if signature.is_none() {
            entries.push(TableEntry::Signature);
        }
        Ok((signature.unwrap_or_else(|| cms.to_vec()), entries))
    }

    /// The signature in the first entry of the certificate table that has one.
    pub(crate) fn signature(&self) -> Result<Option<Vec<u8>>, Error> {
        for range in self.entries()? {
            if self.is_signature(&range)? {
                return self.content(&range).map(Some);
            }
        }
        Ok(None)
    }

    /// Where the entries of the certificate table are: one behind the other, each filled up to eight bytes.
    fn entries(&self) -> Result<Vec<Range<u64>>, Error> {
        let (mut entries, mut at) = (Vec::new(), self.table);
        while at < self.input.len {
            let len = if self.input.len - at < ENTRY_HEADER { 0 } else { u64::from(self.input.u32_at(at)?) };
            let end = at + len;
            if len == 0 {
                // Nothing but what fills the table up.
                let mut is_empty = true;
                self.input.each(at..self.input.len, |piece| {
                    is_empty &= piece.iter().all(|byte| *byte == 0);
                    Ok(())
                })?;
                return if is_empty { Ok(entries) } else { Err(ODD_TABLE.into()) };
            }
            if len < ENTRY_HEADER || end > self.input.len || entries.len() == ENTRIES_MAX {
                return Err(ODD_TABLE.into());
            }
            entries.push(at..end);
            at = end + padding(len);
        }
        Ok(entries)
    }

    fn is_signature(&self, entry: &Range<u64>) -> Result<bool, Error> {
        Ok(self.input.array(entry.start + 4)? == REVISION_AND_TYPE)
    }

    fn content(&self, entry: &Range<u64>) -> Result<Vec<u8>, Error> {
        let too_large = Unfit("The image's signature is larger than 64 MiB.");
        self.input.bytes(entry.start + ENTRY_HEADER..entry.end, SIGNATURE_MAX, too_large)
    }
}

/// An entry of the certificate table that is written.
enum TableEntry {
    /// The signature, with what it is nested in.
    Signature,
    /// As it is.
    Kept(Range<u64>),
}

impl TableEntry {
    fn len(&self, signature: &[u8]) -> u64 {
        let len = match self {
            Self::Signature => ENTRY_HEADER + signature.len() as u64,
            Self::Kept(range) => range.end - range.start,
        };
        len + padding(len)
    }
}

/// What is missing to a multiple of eight.
const fn padding(len: u64) -> u64 {
    len.wrapping_neg() % 8
}

/// At most eight of them.
fn zeros(count: u64) -> &'static [u8] {
    usize::try_from(count).ok().and_then(|count| ZEROS.get(..count)).unwrap_or(&ZEROS)
}

/// The image's checksum: words added up with their carries, the checksum itself as zeros, and the length on top.
#[derive(Default)]
struct Checksum {
    sum: u64,
    len: u64,
}

impl Checksum {
    fn update(&mut self, mut piece: &[u8]) {
        if let ([high, rest @ ..], true) = (piece, self.len % 2 == 1) {
            self.sum += u64::from(*high) << 8;
            self.len += 1;
            piece = rest;
        }
        // No image is long enough for an overflow: it has at most 2^31 words.
        let (pairs, last) = piece.as_chunks::<2>();
        self.sum += pairs.iter().map(|pair| u64::from(u16::from_le_bytes(*pair))).sum::<u64>();
        self.sum += last.iter().map(|low| u64::from(*low)).sum::<u64>();
        self.len += piece.len() as u64;
    }

    fn finish(mut self) -> u32 {
        while self.sum > 0xffff {
            self.sum = (self.sum & 0xffff) + (self.sum >> 16);
        }
        // 32 bits by definition.
        u32::try_from((self.sum + self.len) & 0xffff_ffff).unwrap_or_default()
    }
}
