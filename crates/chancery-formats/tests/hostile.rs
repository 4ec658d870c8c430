//! Files of an enemy: whatever is done to them, reading and finishing end, without a panic, with a file or a refusal, and
//! in proportion to their length.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "hostile/archives.rs"]
mod archives;
#[path = "hostile/images.rs"]
mod images;
#[path = "hostile/installers.rs"]
mod installers;
#[path = "hostile/scripts.rs"]
mod scripts;

use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use chancery_formats::{Error, Existing, File, Format, Hash, is_page_hashes};
use proptest::prelude::*;

const FORMATS: [Format; 4] = [Format::Pe, Format::Msi, Format::Powershell, Format::Jar];

/// As much of a CMS as nesting and JARs look at: six elements of a signer, an RSA key.
const CMS: &[u8] =
    b"\x30\x26\x06\x01\x2a\xa0\x21\x30\x1f\x02\x01\x01\x31\x1a\x30\x18\x02\x01\x01\x30\x00\x30\x00\xa0\x00\
    \x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";

fn image() -> Vec<u8> {
    let mut file = vec![0; 0x200];
    file[..2].copy_from_slice(b"MZ");
    file[0x3c] = 0x80;
    file[0x80..0x84].copy_from_slice(b"PE\0\0");
    // A PE32+ header of 240 bytes, with 16 directories.
    file[0x94] = 240;
    file[0x98..0x9a].copy_from_slice(&[0x0b, 0x02]);
    file[0x98 + 108] = 16;
    // Two sections in pages of 512 bytes, of which the first has more than one.
    file[0x86] = 2;
    for (at, number) in [(56, 0x200), (60, 0x200), (84, 0x200)] {
        file[0x80 + at..0x84 + at].copy_from_slice(&u32::to_le_bytes(number));
    }
    for (section, start, len) in [(0x188, 0x200, 0x300), (0x1b0, 0x500, 8)] {
        file[section + 16..section + 20].copy_from_slice(&u32::to_le_bytes(len));
        file[section + 20..section + 24].copy_from_slice(&u32::to_le_bytes(start));
    }
    file.resize(0x500, 7);
    file.extend_from_slice(b"the rest");
    file
}

fn installer() -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_storage("/storage").unwrap();
    file.create_stream("/storage/inner").unwrap().write_all(b"inner").unwrap();
    file.create_stream("/large").unwrap().write_all(&[7; 5_000]).unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// One entry, deflated, as a packer would write it.
fn archive() -> Vec<u8> {
    let content = b"content content content content".as_slice();
    let packed = miniz_oxide::deflate::compress_to_vec(content, 6);
    archive_of(content, &packed)
}

fn archive_of(content: &[u8], packed: &[u8]) -> Vec<u8> {
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let sizes = [&crc32fast::hash(content).to_le_bytes()[..], &len(packed), &len(content), &[5, 0, 0, 0]].concat();
    let common = [&[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0][..], &sizes].concat();
    let local = [b"PK\x03\x04", &common[..], b"a.txt", packed].concat();
    let central = [b"PK\x01\x02\x14\0", &common[..], &[0; 14], b"a.txt"].concat();
    let end = [b"PK\x05\x06\0\0\0\0\x01\0\x01\0", &len(&central)[..], &len(&local), &[0, 0]].concat();
    [local, central, end].concat()
}

/// A sound file of each format, and the same once signed and, where that can be, signed twice.
fn samples() -> Vec<(Format, Vec<u8>)> {
    let plain = [image(), installer(), b"Write-Output 1\r\n".to_vec(), archive()];
    let mut samples = Vec::new();
    for (format, file) in FORMATS.into_iter().zip(plain) {
        let signed = finish(format, &file, Existing::Replace).unwrap();
        if let Ok(twice) = finish(format, &signed, Existing::Append) {
            samples.push((format, twice));
        }
        samples.extend([(format, file), (format, signed)]);
    }
    assert_eq!(samples.len(), 11, "all but scripts can be signed twice");
    samples
}

fn finish(format: Format, file: &[u8], existing: Existing) -> Result<Vec<u8>, Error> {
    finish_with(CMS, format, file, existing)
}

fn finish_with(cms: &[u8], format: Format, file: &[u8], existing: Existing) -> Result<Vec<u8>, Error> {
    let mut signed = Limited { file: Cursor::new(Vec::new()), max: file.len() as u64 * 9 + (2 << 20) };
    let read = File::read(format, &file, Hash::Sha256, existing)?;
    let digest = read.digest()?;
    let _nobody_vouches = read.contents();
    if let Ok(table) = read.page_hashes() {
        assert!(is_page_hashes(&table));
    }
    read.finish(cms, &mut signed)?;
    let signed = signed.file.into_inner();
    // A verifier reads the same in it.
    let again = File::read(format, &signed.as_slice(), Hash::Sha256, existing).unwrap().digest().unwrap();
    assert!(again == digest || format == Format::Jar, "{format:?}: another digest");
    Ok(signed)
}

/// Somewhere to write to that nothing may fill.
struct Limited {
    file: Cursor<Vec<u8>>,
    max: u64,
}

impl Write for Limited {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        assert!(self.file.position() + piece.len() as u64 <= self.max, "more than 9 times the file and 2 MiB");
        self.file.write(piece)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Read for Limited {
    fn read(&mut self, piece: &mut [u8]) -> std::io::Result<usize> {
        self.file.read(piece)
    }
}

impl Seek for Limited {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.file.seek(to)
    }
}

/// Why a file is not signed.
#[track_caller]
fn refused(format: Format, file: &[u8], existing: Existing) -> String {
    match finish(format, file, existing) {
        Err(Error::Unfit(unfit)) => unfit.to_string(),
        other => panic!("signed, or a fault of the disk: {other:?}"),
    }
}

fn endure(format: Format, file: &[u8]) {
    for existing in [Existing::Replace, Existing::Append] {
        match finish(format, file, existing) {
            Ok(signed) => assert!(signed.len() <= file.len() + 64 * 1024, "{format:?}"),
            Err(Error::Unfit(_)) => {}
            Err(Error::Io(error)) => panic!("{format:?}: a fault of the file is none of the disk: {error:?}"),
        }
    }
}

#[test]
fn the_digest_of_a_signed_file_is_that_of_the_file() {
    for (format, file) in FORMATS.into_iter().zip([image(), installer(), b"1 + 1".to_vec(), archive()]) {
        let digest =
            |file: &[u8]| File::read(format, &file, Hash::Sha256, Existing::Replace).unwrap().digest().unwrap();
        let signed = finish(format, &file, Existing::Replace).unwrap();
        let again = finish(format, &signed, Existing::Replace).unwrap();
        if format == Format::Jar {
            // The archive had no manifest, and has one now that is kept.
            assert_eq!(digest(&again), digest(&signed));
        } else {
            assert_eq!(digest(&signed), digest(&file), "{format:?}");
        }
        assert!(again == signed, "{format:?}: signing again changes nothing");
    }
}

#[test]
fn pages_and_their_places() {
    let file = image();
    let table =
        File::read(Format::Pe, &file.as_slice(), Hash::Sha512, Existing::Replace).unwrap().page_hashes().unwrap();
    let places: Vec<_> = table.chunks(36).map(|entry| u32::from_le_bytes(entry[..4].try_into().unwrap())).collect();
    assert_eq!(places, [0, 0x200, 0x400, 0x500, 0x508]);
    // No sections, too many of them, sections that overlap or are in another order, pages of more than 1 MiB.
    for (at, value) in [(0x86, 0), (0x86, 97), (0x188 + 16, 0x301), (0x188 + 20, 0x600), (0x80 + 56, 0x20_0000)] {
        let mut odd = file.clone();
        odd[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        let odd = odd.as_slice();
        let read = File::read(Format::Pe, &odd, Hash::Sha256, Existing::Replace);
        assert!(read.and_then(|read| read.page_hashes()).is_err(), "{at:x}");
    }
}

#[test]
fn every_prefix_and_every_byte_in_other_values() {
    for (format, file) in samples() {
        // Most of an installer is the content of its one large stream.
        let step = if format == Format::Msi { 61 } else { 1 };
        for len in (0..file.len()).step_by(step) {
            endure(format, &file[..len]);
        }
        for at in (0..file.len()).filter(|at| step == 1 || at % step == 0 || *at < 0x50) {
            for value in [0, 1, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] = value;
                endure(format, &changed);
            }
        }
    }
}

/// A reader that goes from front to back, as Java's of streams, believes the headers of the entries, and finds entries
/// that the directory does not name where these say something else.
#[test]
fn an_entry_is_told_of_in_the_same_words_at_both_places() {
    let read = |file: &[u8]| File::read(Format::Jar, &file, Hash::Sha256, Existing::Replace).map(drop);
    let file = archive();
    // Method, checksum, length packed and unpacked.
    for at in [8, 14, 18, 22] {
        for value in [0, 1] {
            let mut other = file.clone();
            other[at] ^= 0x80;
            other[at + 1] = value;
            assert!(read(&other).is_err(), "{at}");
        }
    }
    let mut hidden = file.clone();
    hidden[18..26].fill(0);
    assert!(read(&hidden).is_err(), "an empty entry, and behind it another file");
    // What is told behind the data is zero in front of it.
    let mut described = archives::described(&[], true);
    assert_eq!(described[14..26], [0; 12]);
    read(&described).unwrap();
    described[18..26].fill(0xff);
    assert!(read(&described).is_err(), "no ZIP64 there");
}

#[test]
fn an_archive_holds_what_it_says_and_no_more() {
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![0; 64 << 20], 6);
    for says in [0, 1, 63 << 20] {
        assert!(finish(Format::Jar, &archive_of(&vec![0; says], &packed), Existing::Replace).is_err());
    }
}

/// A number as a file's tables have them: any, a small one, or a mark.
fn number() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), 0..64_u32, 0xffff_fff8_u32..=u32::MAX]
}

/// As many as take some seconds, or some minutes.
fn cases() -> u32 {
    if std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { 100_000 } else { 512 }
}

/// Resident bytes of this process at most, since it began.
#[cfg(target_os = "linux")]
fn resident_max_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn several_places_at_once(
        sample in 0..11_usize,
        aligned in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), number()), 1..6),
    ) {
        let (format, mut file) = samples().swap_remove(sample);
        for (index, value) in changes {
            let at = index.index(file.len());
            let at = if aligned { at & !3 } else { at };
            let end = (at + 4).min(file.len());
            file[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
        }
        endure(format, &file);
        #[cfg(target_os = "linux")]
        prop_assert!(resident_max_kib() < 512 << 10, "{} KiB for files of some KiB", resident_max_kib());
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        FORMATS.into_iter().for_each(|format| endure(format, &bytes));
    }
}
