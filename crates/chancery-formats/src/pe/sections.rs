//! The sections of an image: which of the file's bytes a system loads.

use std::iter::once;

use super::{
    NOT_PE,
    contents::{DLL, EFI},
};
use crate::{Error, Unfit, source::Input};

/// More than these have no image: Windows loads no more.
pub(super) const SECTIONS_MAX: usize = 96;
/// Bytes of a section's header.
const HEADER_LEN: usize = 40;
const CUT_OFF: Unfit = Unfit("The image is cut off: its headers or a section end behind the end of the file.");
const NOT_COVERED: Unfit =
    Unfit("The image's headers or a section reach into its certificate table, which no signature covers.");

const NOT_FILLED_UP: Unfit = Unfit(
    "Windows would load the certificate table with the image's last section: fill the file up with zeros to a multiple of \
     the image's FileAlignment.",
);
const MAPPED_WHOLE: Unfit = Unfit(
    "The image's SectionAlignment is below 4096, so Windows maps all of the file, and SizeOfImage or AddressOfEntryPoint is \
     behind what a signature covers: fill the file up with zeros to SizeOfImage.",
);
/// Below this alignment Windows maps the file as it is.
const PAGE: u32 = 4_096;
/// What Windows takes of a file at a time.
const SECTOR: u32 = 512;

/// A section, as it is in the file.
pub(super) struct Section {
    pub(super) address: u32,
    pub(super) len: u32,
    pub(super) start: u32,
}

impl Section {
    /// All of an image whose header is there.
    pub(super) fn all(input: &Input<'_>, header: u64) -> Result<Vec<Self>, Error> {
        let (first, end) = headers(input, header)?;
        let bytes = input.bytes(first..end, usize::MAX, NOT_PE)?;
        let section = |bytes: &[u8; HEADER_LEN]| {
            let [address, len, start] = [12, 16, 20]
                .map(|at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
            Self { address, len, start }
        };
        Ok(bytes.as_chunks::<HEADER_LEN>().0.iter().map(section).collect())
    }

    /// Where it ends in the file.
    pub(super) fn end(&self) -> u64 {
        u64::from(self.start) + u64::from(self.len)
    }
}

/// Refuses an image of which something is loaded that is not hashed: only what is in front of the certificate table is.
pub(super) fn check(input: &Input<'_>, header: u64, table: u64) -> Result<(), Error> {
    let refused = if table < input.len { NOT_COVERED } else { CUT_OFF };
    let headers_len = u64::from(input.u32_at(header + 84)?);
    if headers_len > table || headers(input, header)?.1 > table {
        return Err(refused.into());
    }
    let is_firmware = EFI.contains(&input.u16_at(header + 92)?) && input.u16_at(header + 22)? & DLL == 0;
    let sections = Section::all(input, header)?;
    // Windows fills a section without a place with zeros.
    let loaded =
        sections.iter().filter(|section| section.len > 0 && (section.start > 0 || is_firmware)).map(Section::end);
    let ends: Vec<_> = once(headers_len).chain(loaded).collect();
    if ends.iter().any(|end| *end > table) {
        return Err(refused.into());
    }
    // Firmware loads each section by itself, to the byte.
    if is_firmware { Ok(()) } else { check_for_windows(input, header, table.next_multiple_of(8), &ends) }
}

/// The same where what is hashed, zeros that fill it up included, ends at `table`, for a loader that takes more than is said.
fn check_for_windows(input: &Input<'_>, header: u64, table: u64, ends: &[u64]) -> Result<(), Error> {
    if input.u32_at(header + 56)? < PAGE {
        let (entry, image_len) = (input.u32_at(header + 40)?, input.u32_at(header + 80)?);
        let is_covered = u64::from(entry.max(image_len)) <= table;
        return if is_covered { Ok(()) } else { Err(MAPPED_WHOLE.into()) };
    }
    let alignment = u64::from(input.u32_at(header + 60)?.max(SECTOR));
    let is_filled_up = ends.iter().all(|end| end.next_multiple_of(alignment) <= table);
    if is_filled_up { Ok(()) } else { Err(NOT_FILLED_UP.into()) }
}

/// Where the headers of the sections are.
fn headers(input: &Input<'_>, header: u64) -> Result<(u64, u64), Error> {
    let (count, optional_len) = (input.u16_at(header + 6)?, input.u16_at(header + 20)?);
    let first = header + 24 + u64::from(optional_len);
    Ok((first, first + u64::from(count) * HEADER_LEN as u64))
}
