//! Portable Executables (Microsoft, "Windows Authenticode Portable Executable Signature Format").

mod pages;

use std::io::SeekFrom;

use crate::{
    Error, Existing, Unfit, der,
    hash::Hash,
    source::{Input, Source, Target},
};

pub use pages::is_page_hashes;

const NOT_PE: Unfit = Unfit("The file is no Portable Executable with a certificate table.");
const TOO_LARGE: Unfit = Unfit("An image of 4 GiB or more has no place for a signature.");
/// WIN_CERT_REVISION_2_0 and WIN_CERT_TYPE_PKCS_SIGNED_DATA.
const REVISION_AND_TYPE: [u8; 4] = [0x00, 0x02, 0x02, 0x00];
/// Of a WIN_CERTIFICATE, before its bytes.
const ENTRY_HEADER: u64 = 8;
/// More than any signature has, however often it was signed.
const SIGNATURE_MAX: usize = 64 << 20;
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
        Ok(Self { input, table, checksum, directory })
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

    pub(crate) fn finish(&self, cms: &[u8], existing: Existing, target: &mut dyn Target) -> Result<(), Error> {
        let Self { input, table, checksum, directory } = *self;
        let nested = match (existing, self.signature()?) {
            (Existing::Append, Some(present)) => Some(der::nest(&present, cms)?),
            (Existing::Append, None) | (Existing::Replace, _) => None,
        };
        let cms = nested.as_deref().unwrap_or(cms);
        let cms_len = cms.len() as u64;
        let entry_len = ENTRY_HEADER + cms_len + padding(cms_len);
        let at = u32::try_from(table + padding(table)).map_err(|_| TOO_LARGE)?;
        let len = u32::try_from(entry_len).map_err(|_| TOO_LARGE)?;
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
        write(&len.to_le_bytes())?;
        write(&REVISION_AND_TYPE)?;
        write(cms)?;
        write(zeros(padding(cms_len)))?;
        target.seek(SeekFrom::Start(checksum))?;
        target.write_all(&sum.finish().to_le_bytes())?;
        Ok(())
    }

    /// The CMS in the first entry of the certificate table.
    fn signature(&self) -> Result<Option<Vec<u8>>, Error> {
        if self.input.len - self.table < ENTRY_HEADER {
            return Ok(None);
        }
        let end = self.table + u64::from(self.input.u32_at(self.table)?);
        let of_type = self.input.array(self.table + 4)? == REVISION_AND_TYPE;
        if !of_type || end < self.table + ENTRY_HEADER || end > self.input.len {
            return Ok(None);
        }
        let too_large = Unfit("The image's signature is larger than 64 MiB.");
        self.input.bytes(self.table + ENTRY_HEADER..end, SIGNATURE_MAX, too_large).map(Some)
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
