//! The sections of an image: which of the file's bytes a system loads.

use super::NOT_PE;
use crate::{Error, Unfit, source::Input};

/// More than these have no image: Windows loads no more.
pub(super) const SECTIONS_MAX: usize = 96;
/// Bytes of a section's header.
const HEADER_LEN: usize = 40;
const CUT_OFF: Unfit = Unfit("The image is cut off: its headers or a section end behind the end of the file.");
const NOT_COVERED: Unfit =
    Unfit("The image's headers or a section reach into its certificate table, which no signature covers.");

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
    let (_, headers_end) = headers(input, header)?;
    if u64::from(input.u32_at(header + 84)?) > table || headers_end > table {
        return Err(refused.into());
    }
    let sections = Section::all(input, header)?;
    let reaches_too_far = sections.iter().any(|section| section.len > 0 && section.end() > table);
    if reaches_too_far { Err(refused.into()) } else { Ok(()) }
}

/// Where the headers of the sections are.
fn headers(input: &Input<'_>, header: u64) -> Result<(u64, u64), Error> {
    let (count, optional_len) = (input.u16_at(header + 6)?, input.u16_at(header + 20)?);
    let first = header + 24 + u64::from(optional_len);
    Ok((first, first + u64::from(count) * HEADER_LEN as u64))
}
