//! Compound files whose tables and directories say what cannot be. Each of these kinds once took memory without end, much
//! time, or a signature that no verifier accepts.

use std::{
    io::{Cursor, Read, Write},
    time::{Duration, Instant},
};

use cfb::{CompoundFile, OpenOptions, Version};
use chancery_formats::{Existing, File, Format, Hash};

use super::{CMS, finish, finish_with, refused};

/// With 512 bytes a sector, as installers have them: some streams of a kind, and one of 20,000 bytes.
fn installer(small: usize) -> Vec<u8> {
    let mut file = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new())).unwrap();
    file.create_storage("/storage").unwrap();
    file.create_stream("/storage/inner").unwrap().write_all(b"inner").unwrap();
    for number in 0..small {
        file.create_stream(format!("/small {number}")).unwrap().write_all(&[7; 100]).unwrap();
    }
    file.create_stream("/large").unwrap().write_all(&[8; 20_000]).unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

fn put(file: &mut [u8], at: usize, number: u32) {
    file[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

fn sector(number: u32) -> usize {
    (number as usize + 1) * 512
}

/// Where the table's number of a sector is.
fn next_of(file: &[u8], number: u32) -> usize {
    sector(u32_at(file, 0x4c + 4 * (number as usize / 128))) + 4 * (number as usize % 128)
}

/// Where the directory's entry of this name is.
fn entry(file: &[u8], name: &str) -> usize {
    let name: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    (512..file.len())
        .step_by(128)
        .find(|at| file[*at..].starts_with(&name) && file[at + 64] == name.len() as u8)
        .unwrap()
}

fn start_of(file: &[u8], name: &str) -> u32 {
    u32_at(file, entry(file, name) + 116)
}

#[test]
fn a_table_that_loops_is_no_endless_file() {
    let sound = installer(3);
    finish(Format::Msi, &sound, Existing::Replace).unwrap();
    let large = start_of(&sound, "large");
    let directory = u32_at(&sound, 0x30);
    let mini_table = u32_at(&sound, 0x3c);
    let root = start_of(&sound, "Root Entry");
    for chain in [large, directory, mini_table, root] {
        // To itself, to the beginning of another, out of the file.
        for next in [chain, large, directory, 0xffff, 0xffff_fff9] {
            let mut file = sound.clone();
            let at = next_of(&file, chain);
            put(&mut file, at, next);
            if file != sound {
                refused(Format::Msi, &file, Existing::Replace);
            }
        }
    }
    // The table of tables: one of them twice, and one that is a stream's.
    for place in [u32_at(&sound, 0x4c), large, 0x00ff_ffff] {
        let mut file = sound.clone();
        put(&mut file, 0x2c, 2);
        put(&mut file, 0x50, place);
        refused(Format::Msi, &file, Existing::Replace);
    }
    for (at, number) in [(0x2c, u32::MAX), (0x2c, 200), (0x44, 0), (0x30, 0xffff), (0x38, 1), (0x40, 5)] {
        let mut file = sound.clone();
        put(&mut file, at, number);
        if at != 0x44 && at != 0x40 {
            refused(Format::Msi, &file, Existing::Replace);
        } else {
            finish(Format::Msi, &file, Existing::Replace).unwrap();
        }
    }
}

#[test]
fn a_sector_of_two_streams_is_refused() {
    let mut file = installer(3);
    let (at, first) = (entry(&file, "small 1"), start_of(&file, "small 0"));
    put(&mut file, at + 116, first);
    assert!(refused(Format::Msi, &file, Existing::Replace).contains("one sector twice"));
    // The second half of another, and a place outside of the mini stream.
    put(&mut file, at + 116, first + 1);
    refused(Format::Msi, &file, Existing::Replace);
    put(&mut file, at + 116, 1_000_000);
    refused(Format::Msi, &file, Existing::Replace);
    let mut file = installer(3);
    let (at, mini_stream) = (entry(&file, "large"), start_of(&file, "Root Entry"));
    put(&mut file, at + 116, mini_stream);
    refused(Format::Msi, &file, Existing::Replace);
}

#[test]
fn a_length_that_the_file_does_not_have_is_refused() {
    for (name, len) in [("Root Entry", 270 << 20), ("large", 270 << 20), ("large", u32::MAX), ("small 0", 4095)] {
        let mut file = installer(3);
        let at = entry(&file, name);
        put(&mut file, at + 120, len);
        refused(Format::Msi, &file, Existing::Replace);
    }
    // A shorter one is just that, and 512-byte sectors know lengths of 32 bits only.
    for (offset, len) in [(120, 19_000), (124, 7)] {
        let mut file = installer(3);
        let at = entry(&file, "large");
        put(&mut file, at + offset, len);
        finish(Format::Msi, &file, Existing::Replace).unwrap();
    }
}

#[test]
fn many_streams_that_share_a_long_chain_cost_nothing() {
    // The longest chain of small sectors that there can be, and streams of one byte that all begin with it.
    let mut file = installer(4_000);
    let first = start_of(&file, "inner");
    for at in (512..file.len()).step_by(128) {
        let name = "small".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        if file[at..].starts_with(&name) {
            put(&mut file, at + 116, first);
            put(&mut file, at + 120, 1);
        }
    }
    let began = Instant::now();
    refused(Format::Msi, &file, Existing::Replace);
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    let began = Instant::now();
    finish(Format::Msi, &installer(4_000), Existing::Replace).unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_directory_that_loops_is_refused() {
    let sound = installer(3);
    let root = entry(&sound, "Root Entry");
    for name in ["storage", "small 0", "small 2"] {
        for link in [68, 72, 76] {
            for to in [0, u32_at(&sound, root + 76), 2, 0xffff] {
                let mut file = sound.clone();
                let at = entry(&file, name);
                put(&mut file, at + link, to);
                if file != sound {
                    refused(Format::Msi, &file, Existing::Replace);
                }
            }
        }
    }
    let mut file = sound.clone();
    let at = entry(&file, "small 1");
    file[at + 12] = b'0';
    assert!(refused(Format::Msi, &file, Existing::Replace).contains("two streams of one name"));
}

fn streams(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    // Somebody else's reader, and as strict as it can be.
    let mut file = OpenOptions::new().strict().open_with(Cursor::new(file)).unwrap();
    let paths: Vec<_> = file.walk().filter(|entry| entry.is_stream()).map(|entry| entry.path().to_owned()).collect();
    let mut content = |path: &std::path::Path| {
        let mut bytes = Vec::new();
        file.open_stream(path).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    };
    paths.iter().map(|path| (path.display().to_string(), content(path))).collect()
}

#[test]
fn another_reader_finds_everything_in_a_signed_installer() {
    for small in [0, 1, 2, 3, 40, 1_000] {
        for signature in [0, 1, 4_095, 4_096, 70_000] {
            let file = installer(small);
            let cms = [CMS, &vec![1; signature]].concat();
            let signed = finish_with(&cms, Format::Msi, &file, Existing::Replace).unwrap();
            let mut expected = streams(&file);
            expected.push(("/\u{5}DigitalSignature".to_owned(), cms));
            let mut found = streams(&signed);
            expected.sort();
            found.sort();
            assert_eq!(found.len(), expected.len());
            assert!(found == expected, "{small} {signature}");
            assert!(signed.len() <= file.len() + CMS.len() + signature + 4 * 512 + signature / 64);
        }
    }
}

#[test]
fn an_installer_whose_tables_have_tables() {
    // More than 109 sectors of the table, so that some stand behind the header's list; and none is lost.
    let mut file = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new())).unwrap();
    let content: Vec<u8> = (0..9_000_000_u32).map(|number| (number / 1_000) as u8).collect();
    file.create_stream("/large").unwrap().write_all(&content).unwrap();
    file.flush().unwrap();
    let file = file.into_inner().into_inner();
    let signed = finish(Format::Msi, &file, Existing::Replace).unwrap();
    assert!(u32_at(&signed, 0x48) > 0 && streams(&signed)[0].1.len() + streams(&signed)[1].1.len() > 9_000_000);
    assert!(finish(Format::Msi, &signed, Existing::Replace).unwrap() == signed);
    let mut looped = signed.clone();
    let difat = u32_at(&looped, 0x44);
    put(&mut looped, sector(difat) + 127 * 4, difat);
    put(&mut looped, 0x2c, 109 + 127 * 3);
    refused(Format::Msi, &looped, Existing::Replace);
}

/// A digest of names, lengths and times in front of what is hashed: what `signtool` writes for installers.
#[test]
fn what_the_first_signature_covers_besides_stays_when_another_is_appended() {
    let extended = |digest: &[u8]| {
        let mut file = CompoundFile::open(Cursor::new(installer(2))).unwrap();
        file.create_stream("/\u{5}DigitalSignature").unwrap().write_all(CMS).unwrap();
        file.create_stream("/\u{5}MsiDigitalSignatureEx").unwrap().write_all(digest).unwrap();
        file.flush().unwrap();
        file.into_inner().into_inner()
    };
    let why = refused(Format::Msi, &extended(&[1; 32]), Existing::Append);
    assert!(why.contains("not those that its signature covers"), "{why}");
    let why = refused(Format::Msi, &extended(&[1; 20]), Existing::Append);
    assert!(why.contains("under another hash"), "{why}");
    refused(Format::Msi, &extended(&[1; 65]), Existing::Append);
    let replaced = finish(Format::Msi, &extended(&[1; 32]), Existing::Replace).unwrap();
    assert!(streams(&replaced).iter().all(|(name, _)| !name.contains("SignatureEx")));
    let file = installer(2);
    let digest =
        |file: &[u8]| File::read(Format::Msi, &file, Hash::Sha256, Existing::Replace).unwrap().digest().unwrap();
    assert_eq!(digest(&replaced), digest(&file));
}
