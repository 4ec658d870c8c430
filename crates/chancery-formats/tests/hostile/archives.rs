//! Archives that hold far more than they are long.

use std::time::{Duration, Instant};

use chancery_formats::{Error, Existing, File, Format, Hash};

use super::{CMS, archive_of, finish, refused};

/// An archive of these entries, all deflated.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut body, mut central) = (Vec::new(), Vec::new());
    let len = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for (name, content) in entries {
        let packed = miniz_oxide::deflate::compress_to_vec(content, 6);
        let sizes = [&crc32fast::hash(content).to_le_bytes()[..], &len(packed.len()), &len(content.len())].concat();
        let name_len = u16::try_from(name.len()).unwrap().to_le_bytes();
        let common = [&[20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0][..], &sizes, &name_len, &[0, 0]].concat();
        let at = len(body.len());
        body.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        central.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &at, name.as_bytes()].concat());
    }
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &len(central.len()), &len(body.len()), &[0, 0]].concat();
    [body, central, end].concat()
}

#[test]
fn contents_out_of_proportion_are_refused_before_they_are_unpacked() {
    // 4 KiB that would be 253 MiB, and 64 KiB that would be 64 MiB: what is said is enough.
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![0; 64 << 20], 6);
    let mut file = archive_of(&vec![0; 64 << 20], &packed);
    let began = Instant::now();
    assert!(refused(Format::Jar, &file, Existing::Replace).contains("32 times"));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    // One that says less holds no more than it says.
    let at = file.len() - 22 - 46 - 5 + 24;
    file[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
    file[22..26].copy_from_slice(&1000_u32.to_le_bytes());
    refused(Format::Jar, &file, Existing::Replace);
    // What is large packs well, in an archive that is large too.
    finish(Format::Jar, &archive(&[("zeros", &vec![0; 16 << 20]), ("text", b"text")]), Existing::Replace).unwrap();
}

#[test]
fn a_manifest_is_no_place_for_what_is_packed_a_thousandfold() {
    let manifest = |len: usize| {
        let mut text = b"Manifest-Version: 1.0\r\n".to_vec();
        while text.len() < len {
            text.extend_from_slice(b"X-Filled: with what nobody reads, line after line after line\r\n");
        }
        text.extend_from_slice(b"\r\n");
        archive(&[("META-INF/MANIFEST.MF", &text), ("a.txt", b"a")])
    };
    assert!(refused(Format::Jar, &manifest(8 << 20), Existing::Replace).contains("manifest"));
    finish(Format::Jar, &manifest(500 << 10), Existing::Replace).unwrap();
}

#[test]
fn a_signed_archive_whose_entry_is_changed_afterwards_is_not_appended_to() {
    let signed =
        finish(Format::Jar, &archive(&[("a.txt", b"content"), ("b.txt", b"other")]), Existing::Replace).unwrap();
    let twice = finish(Format::Jar, &signed, Existing::Append).unwrap();
    assert!(twice.windows(CMS.len()).filter(|part| *part == CMS).count() == 2);
    let read = |file: &[u8]| File::read(Format::Jar, &file, Hash::Sha256, Existing::Append).map(drop);
    read(&twice).unwrap();
    let digest = signed.windows(15).position(|bytes| bytes == b"SHA-256-Digest:").unwrap() + 20;
    let mut changed = signed;
    changed[digest] ^= 1;
    assert!(matches!(read(&changed), Err(Error::Unfit(_))));
}

#[test]
fn very_many_small_entries_take_time_in_proportion() {
    let names: Vec<_> = (0..20_000).map(|number| format!("{number:05}")).collect();
    let entries: Vec<_> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let file = archive(&entries);
    let began = Instant::now();
    finish(Format::Jar, &file, Existing::Replace).unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
