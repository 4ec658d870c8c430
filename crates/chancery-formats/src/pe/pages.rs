//! The hashes of an image's pages, which Windows checks when it loads a page: for each its place in the file and its
//! SHA-256, the last one a place without a hash.

use std::{iter::once, ops::Range};

use super::{
    Image, NOT_PE,
    sections::{SECTIONS_MAX, Section},
};
use crate::{
    Error, Unfit,
    hash::{Hash, Running},
};

/// More than these have no image: larger pages are the processor's matter.
const PAGE_MAX: u32 = 1 << 20;
/// Of a place and its hash.
const ENTRY_LEN: usize = 4 + 32;
/// Enough for an image of 100 MiB. The table is a part of the signature.
pub(crate) const TABLE_MAX: usize = 1 << 20;

const ZEROS: [u8; 4096] = [0; 4096];

/// Whether these may be the hashes of an image's pages: places in their order, and none but the last without a hash.
#[must_use]
pub fn is_page_hashes(table: &[u8]) -> bool {
    let (entries, []) = table.as_chunks::<ENTRY_LEN>() else { return false };
    let place = |entry: &[u8; ENTRY_LEN]| u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
    let ordered = entries.windows(2).all(|pair| place(&pair[0]) < place(&pair[1]));
    let ended = entries.last().is_some_and(|last| last[4..] == [0; 32]);
    let begun = entries.first().is_some_and(|first| place(first) == 0);
    table.len() <= TABLE_MAX && entries.len() > 1 && begun && ordered && ended
}

impl Image<'_> {
    pub(crate) fn page_hashes(&self) -> Result<Vec<u8>, Error> {
        let input = self.input;
        let header = u64::from(input.u32_at(0x3c)?);
        let (page, file_alignment) = (input.u32_at(header + 56)?, input.u32_at(header + 60)?);
        let (headers, sections) = (u64::from(input.u32_at(header + 84)?), Section::all(&input, header)?);
        let odd = Unfit("The image's sections are not laid out in pages, so these have no hashes.");
        let aligned = (512..=page).contains(&file_alignment) && page <= PAGE_MAX;
        let page = u64::from(page);
        if !aligned || !(1..=SECTIONS_MAX).contains(&sections.len()) || headers > page || headers < self.directory + 8 {
            return Err(odd.into());
        }
        let mut hashes = Hashes { image: self, page, table: Vec::new() };
        let (checksum, directory) = (self.checksum, self.directory);
        hashes.add(0, headers, [0..checksum, checksum + 4..directory, directory + 8..headers])?;
        let mut end = headers;
        for section in sections.iter().filter(|section| section.len > 0) {
            let mut at = u64::from(section.start);
            if at < end {
                return Err(odd.into());
            }
            end = section.end();
            while at < end {
                let next = (at + page).min(end);
                hashes.add(at, next - at, once(at..next))?;
                at = next;
            }
        }
        hashes.entry(end, &[0; 32])?;
        Ok(hashes.table)
    }
}

struct Hashes<'a> {
    image: &'a Image<'a>,
    page: u64,
    table: Vec<u8>,
}

impl Hashes<'_> {
    /// Of a page of this length, filled up with zeros, of which these parts are hashed.
    fn add(&mut self, at: u64, len: u64, parts: impl IntoIterator<Item = Range<u64>>) -> Result<(), Error> {
        let mut running = Hash::Sha256.begin();
        for part in parts {
            self.image.input.each(part, |piece| {
                running.update(piece);
                Ok(())
            })?;
        }
        fill(&mut running, self.page - len);
        self.entry(at, &running.finish())
    }

    fn entry(&mut self, at: u64, hash: &[u8]) -> Result<(), Error> {
        let too_large = Unfit("The image has so many pages that their hashes have no place in a signature.");
        if self.table.len() + ENTRY_LEN > TABLE_MAX {
            return Err(too_large.into());
        }
        self.table.extend_from_slice(&u32::try_from(at).map_err(|_| NOT_PE)?.to_le_bytes());
        self.table.extend_from_slice(hash);
        Ok(())
    }
}

fn fill(running: &mut Running, mut zeros: u64) {
    while zeros > 0 {
        let piece = ZEROS.len().min(usize::try_from(zeros).unwrap_or(ZEROS.len()));
        running.update(&ZEROS[..piece]);
        zeros -= piece as u64;
    }
}
