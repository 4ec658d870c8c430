//! Files that carry their signature inside: whatever they are, signing them ends, writes no more than 9 times the file and
//! 2 MiB, and what comes out is read again with the same digest.
#![no_main]

use std::io::{Cursor, Read, Result, Seek, SeekFrom, Write};

use chancery_formats::{Error, Existing, File, Format, Hash, is_page_hashes};
use libfuzzer_sys::fuzz_target;

const FORMATS: [Format; 4] = [Format::Pe, Format::Msi, Format::Powershell, Format::Jar];

/// As much of a CMS as nesting and JARs look at.
const CMS: &[u8] =
    b"\x30\x26\x06\x01\x2a\xa0\x21\x30\x1f\x02\x01\x01\x31\x1a\x30\x18\x02\x01\x01\x30\x00\x30\x00\xa0\x00\
    \x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";

struct Limited {
    file: Cursor<Vec<u8>>,
    max: u64,
}

impl Write for Limited {
    fn write(&mut self, piece: &[u8]) -> Result<usize> {
        assert!(self.file.position() + piece.len() as u64 <= self.max, "too much is written");
        self.file.write(piece)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Read for Limited {
    fn read(&mut self, piece: &mut [u8]) -> Result<usize> {
        self.file.read(piece)
    }
}

impl Seek for Limited {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.file.seek(to)
    }
}

// The first byte says which format, the second whether a signature stays; the rest is the file.
fuzz_target!(|input: &[u8]| {
    let [format, existing, file @ ..] = input else { return };
    let format = FORMATS[usize::from(*format) % FORMATS.len()];
    let existing = if existing % 2 == 0 { Existing::Replace } else { Existing::Append };
    let mut signed = Limited { file: Cursor::new(Vec::new()), max: file.len() as u64 * 9 + (2 << 20) };
    let Ok(read) = File::read(format, &file, Hash::Sha256, existing) else { return };
    let digest = read.digest().ok();
    let contents = read.contents();
    assert!(contents.properties.len() <= 64 && contents.entries.len() <= 300 && contents.signatures.len() <= 16);
    if let Ok(table) = read.page_hashes() {
        assert!(is_page_hashes(&table));
    }
    match read.finish(CMS, &mut signed) {
        Ok(()) => {
            let signed = signed.file.into_inner();
            let signed = signed.as_slice();
            let again = File::read(format, &signed, Hash::Sha256, existing).expect("a signed file");
            assert!(format == Format::Jar || again.digest().ok() == digest, "another digest");
        }
        Err(Error::Unfit(_)) => {}
        Err(Error::Io(error)) => panic!("a fault of the file is none of the disk: {error}"),
    }
});
