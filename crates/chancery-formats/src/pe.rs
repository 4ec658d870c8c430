//! Portable Executables (Microsoft, "Windows Authenticode Portable Executable Signature Format").

use crate::{Existing, Unfit, der};

const NOT_PE: Unfit = Unfit("The file is no Portable Executable with a certificate table.");
/// WIN_CERT_REVISION_2_0 and WIN_CERT_TYPE_PKCS_SIGNED_DATA.
const REVISION_AND_TYPE: [u8; 4] = [0x00, 0x02, 0x02, 0x00];
/// Of a WIN_CERTIFICATE, before its bytes.
const ENTRY_HEADER: usize = 8;
const ZEROS: [u8; 8] = [0; 8];

/// An image and where in it the signature belongs.
pub(crate) struct Image<'a> {
    /// The file without its certificate table.
    image: &'a [u8],
    /// The certificate table, which is at the end.
    table: &'a [u8],
    /// Where the four bytes of the checksum are.
    checksum: usize,
    /// Where the eight bytes are that say where the certificate table is.
    directory: usize,
}

impl<'a> Image<'a> {
    pub(crate) fn read(file: &'a [u8]) -> Result<Self, Unfit> {
        if file.get(..2) != Some(b"MZ") {
            return Err(NOT_PE);
        }
        let header = u32_at(file, 0x3c).ok_or(NOT_PE)? as usize;
        if file.get(header..).and_then(|header| header.get(..4)) != Some(b"PE\0\0") {
            return Err(NOT_PE);
        }
        let optional = header.checked_add(24).ok_or(NOT_PE)?;
        // PE32 and PE32+ differ in the sizes of some members before the directories.
        let directories = match u16_at(file, optional).ok_or(NOT_PE)? {
            0x10b => optional + 96,
            0x20b => optional + 112,
            _ => return Err(NOT_PE),
        };
        let (checksum, directory) = (optional + 64, directories + 4 * 8);
        let has_directory = u32_at(file, directories - 4).ok_or(NOT_PE)? > 4;
        let in_header = directory + 8 <= optional + usize::from(u16_at(file, header + 20).ok_or(NOT_PE)?);
        if !has_directory || !in_header {
            return Err(NOT_PE);
        }
        let at = u32_at(file, directory).ok_or(NOT_PE)? as usize;
        let len = u32_at(file, directory + 4).ok_or(NOT_PE)? as usize;
        let end = if len == 0 { file.len() } else { at };
        if len > 0 && (at < directory + 8 || at.checked_add(len) != Some(file.len())) {
            return Err(Unfit(
                "The image's certificate table is not at its end, so a signature would not cover all of it.",
            ));
        }
        let (image, table) = file.split_at_checked(end).ok_or(NOT_PE)?;
        Ok(Self { image, table, checksum, directory })
    }

    /// Everything but the checksum, the directory's entry and the certificate table; padded to eight bytes.
    pub(crate) fn hashed(&self) -> [&[u8]; 4] {
        let Self { image, checksum, directory, .. } = self;
        [&image[..*checksum], &image[checksum + 4..*directory], &image[directory + 8..], &ZEROS[..padding(image.len())]]
    }

    pub(crate) fn finish(self, cms: &[u8], existing: Existing) -> Result<Vec<u8>, Unfit> {
        let nested = match (existing, self.signature()) {
            (Existing::Append, Some(present)) => Some(der::nest(present, cms)?),
            (Existing::Append, None) | (Existing::Replace, _) => None,
        };
        let cms = nested.as_deref().unwrap_or(cms);
        let entry_len = ENTRY_HEADER + cms.len() + padding(cms.len());
        let mut file = self.image.to_vec();
        file.extend_from_slice(&ZEROS[..padding(self.image.len())]);
        let too_large = Unfit("An image of 4 GiB or more has no place for a signature.");
        let at = u32::try_from(file.len()).map_err(|_| too_large)?;
        let len = u32::try_from(entry_len).map_err(|_| too_large)?;
        at.checked_add(len).ok_or(too_large)?;
        file.extend_from_slice(&len.to_le_bytes());
        file.extend_from_slice(&REVISION_AND_TYPE);
        file.extend_from_slice(cms);
        file.extend_from_slice(&ZEROS[..padding(cms.len())]);
        file[self.directory..self.directory + 4].copy_from_slice(&at.to_le_bytes());
        file[self.directory + 4..self.directory + 8].copy_from_slice(&len.to_le_bytes());
        let sum = checksum(&file, self.checksum);
        file[self.checksum..self.checksum + 4].copy_from_slice(&sum.to_le_bytes());
        Ok(file)
    }

    /// The CMS in the first entry of the certificate table.
    fn signature(&self) -> Option<&'a [u8]> {
        let len = u32_at(self.table, 0)? as usize;
        let of_type = self.table.get(4..ENTRY_HEADER)? == REVISION_AND_TYPE;
        self.table.get(ENTRY_HEADER..len).filter(|_| of_type)
    }
}

/// What is missing to a multiple of eight.
const fn padding(len: usize) -> usize {
    len.wrapping_neg() % 8
}

/// The image's checksum: words added up with their carries, the checksum itself as zeros, and the length on top.
fn checksum(file: &[u8], at: usize) -> u32 {
    let word = |pair: &[u8]| u64::from(pair[0]) | pair.get(1).map_or(0, |high| u64::from(*high) << 8);
    // The field is not always at an even place: leave its bytes out one by one.
    let own: u64 = (at..at + 4).map(|place| u64::from(file[place]) << (8 * (place % 2))).sum();
    let mut sum = file.chunks(2).map(word).sum::<u64>() - own;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    // 32 bits by definition.
    u32::try_from((sum + file.len() as u64) & 0xffff_ffff).unwrap_or_default()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}
