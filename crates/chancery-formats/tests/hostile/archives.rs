//! Archives that hold far more than they are long.

use std::time::{Duration, Instant};

use chancery_formats::{Error, Existing, File, Format, Hash};

use super::{CMS, archive_of, finish, refused};

const DESCRIPTOR: &[u8] = b"PK\x07\x08";

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

const CONTENT: &[u8] = b"content content content content";

/// The checksum and the two lengths of an archive's only entry, the lengths in so many bytes.
fn numbers(content: &[u8], len: usize) -> Vec<u8> {
    let packed = miniz_oxide::deflate::compress_to_vec(content, 6).len() as u64;
    let [packed, unpacked] = [packed, content.len() as u64].map(u64::to_le_bytes);
    [&crc32fast::hash(content).to_le_bytes()[..], &packed[..len], &unpacked[..len]].concat()
}

/// An archive of one entry, with these extra fields in front of the data and these bytes behind it.
fn archive_around(content: &[u8], extra: &[u8], behind: &[u8]) -> Vec<u8> {
    let file = archive_of(content, &miniz_oxide::deflate::compress_to_vec(content, 6));
    let (name_end, data_end) = (30 + 5, file.len() - 22 - 46 - 5);
    let mut file = [&file[..name_end], extra, &file[name_end..data_end], behind, &file[data_end..]].concat();
    file[28..30].copy_from_slice(&u16::try_from(extra.len()).unwrap().to_le_bytes());
    let (place, central) = (file.len() - 6, u32::try_from(data_end + extra.len() + behind.len()).unwrap());
    file[place..place + 4].copy_from_slice(&central.to_le_bytes());
    file
}

/// The same whose header leaves all numbers for behind the data, where these bytes are.
fn announced(content: &[u8], extra: &[u8], behind: &[u8]) -> Vec<u8> {
    let mut file = archive_around(content, extra, behind);
    file[6] = 8;
    file[14..18].fill(0);
    // With ZIP64's field they say that the numbers are there, or would be.
    file[18..26].fill(if extra.is_empty() { 0 } else { 0xff });
    file
}

/// The same with the right numbers, with or without the mark in front of them.
pub(super) fn described(extra: &[u8], is_marked: bool) -> Vec<u8> {
    let mark = if is_marked { DESCRIPTOR } else { &[] };
    announced(CONTENT, extra, &[mark, &numbers(CONTENT, if extra.is_empty() { 4 } else { 8 })].concat())
}

/// A reader that goes from front to back finds the next entry behind the descriptor, if it knows how long that is.
#[test]
fn behind_the_data_is_what_the_header_announces_and_nothing_else() {
    let (short, long) = (numbers(CONTENT, 4), numbers(CONTENT, 8));
    let zip64 = [&[1, 0, 16, 0][..], &[0; 16]].concat();
    for extra in [&[][..], &zip64] {
        for is_marked in [true, false] {
            let signed = finish(Format::Jar, &described(extra, is_marked), Existing::Replace).unwrap();
            finish(Format::Jar, &signed, Existing::Append).unwrap();
        }
    }
    let mut in_front = announced(CONTENT, &[], &short);
    in_front[14..26].copy_from_slice(&short);
    finish(Format::Jar, &in_front, Existing::Replace).unwrap();

    let mark = |numbers: &[u8]| [DESCRIPTOR, numbers].concat();
    for behind in [&b"x"[..], &[0; 24], &short, &long, &mark(&short), &mark(&long)] {
        assert!(
            refused(Format::Jar, &archive_around(CONTENT, &[], behind), Existing::Replace)
                .contains("belong to no entry")
        );
    }
    let refused = |file: &[u8]| {
        let why = refused(Format::Jar, file, Existing::Replace);
        assert!(why.contains("data descriptor") || why.contains("belong to no entry"), "{why}");
    };
    let (more, less) = ([&mark(&short)[..], b"x"].concat(), mark(&short)[..15].to_vec());
    let wrong = |at: usize| {
        let mut wrong = mark(&short);
        wrong[at] ^= 1;
        wrong
    };
    // Java takes a long one for a short one: of an empty entry it finds no mistake in it, and no further entry behind it.
    for behind in [&[][..], &more, &less, &wrong(0), &wrong(4), &wrong(8), &wrong(12), &[0; 16], &long, &mark(&long)] {
        refused(&announced(CONTENT, &[], behind));
    }
    for behind in [&short, &mark(&short)] {
        refused(&announced(CONTENT, &zip64, behind));
    }
    refused(&announced(CONTENT, &[], &[&mark(&short)[..], &[0; 24]].concat()));
}

/// Java before version 23 takes each long descriptor of a small entry for a short one, and finds no mistake in that of an
/// empty entry; later it goes by the lengths in front, and others by ZIP64's field.
#[test]
fn a_descriptor_that_can_be_read_in_two_ways_is_refused() {
    let zip64 = [&[1, 0, 16, 0][..], &[0; 16]].concat();
    for len in [4, 8] {
        let mut announced = announced(CONTENT, &zip64, &numbers(CONTENT, len));
        announced[18..26].fill(0);
        assert!(refused(Format::Jar, &announced, Existing::Replace).contains("in two ways"));
    }
    finish(Format::Jar, &announced(b"", &[], &numbers(b"", 4)), Existing::Replace).unwrap();
    let empty = announced(b"", &zip64, &numbers(b"", 8));
    assert!(refused(Format::Jar, &empty, Existing::Replace).contains("in two ways"));
    let mut locked = archive_around(CONTENT, &[], b"");
    locked[6] = 1;
    assert!(refused(Format::Jar, &locked, Existing::Replace).contains("in two ways"));
}

/// What Java takes for a file of signatures it does not want signed, and only that.
#[test]
fn names_that_only_begin_as_those_of_signatures_are_signed() {
    let files = ["SIG-policy.json", "SIG-long.ABCD", "sig-odd.a-b", "SIG-none.", "SIG-X", "SIG-X.AB1", "sig-y.p7"];
    let names = files.map(|name| format!("META-INF/{name}"));
    let mut entries: Vec<_> = names.iter().map(|name| (name.as_str(), &b"content"[..])).collect();
    entries.push(("META-INF/folder/SIG-Z", b"content"));
    let signed = finish(Format::Jar, &archive(&entries), Existing::Replace).unwrap();
    let has = |file: &[u8], text: &str| file.windows(text.len()).any(|part| part == text.as_bytes());
    for (name, _) in &entries {
        let is_signed = !["META-INF/SIG-X", "META-INF/SIG-X.AB1", "META-INF/sig-y.p7"].contains(name);
        assert_eq!(has(&signed, &format!("Name: {name}\r\n")), is_signed, "{name}");
        assert_eq!(has(&signed, name), is_signed, "{name}: what belongs to signatures goes with them");
    }
    finish(Format::Jar, &signed, Existing::Append).unwrap();
}

#[test]
fn a_manifest_that_java_cannot_read_is_not_signed() {
    let long = format!("X: {}", "x".repeat(508));
    for (first, why) in [(" x", "half a line"), ("no colon", "odd lines"), (&long, "more than 510 bytes")] {
        let manifest = format!("{first}\r\nManifest-Version: 1.0\r\n\r\n");
        let manifest = ("META-INF/MANIFEST.MF", manifest.as_bytes());
        let (plain, signed) = (archive(&[manifest]), archive(&[manifest, ("META-INF/X.SF", b"")]));
        assert!(refused(Format::Jar, &plain, Existing::Replace).contains(why));
        assert!(refused(Format::Jar, &signed, Existing::Append).contains(why));
    }
    let manifest = format!("Manifest-Version: 1.0\r\n{}\r\n\r\n", &long[..510]);
    finish(Format::Jar, &archive(&[("META-INF/MANIFEST.MF", manifest.as_bytes())]), Existing::Replace).unwrap();
}

#[test]
fn contents_out_of_proportion_are_refused_before_they_are_unpacked() {
    // 4 KiB that would be 253 MiB, and 64 KiB that would be 64 MiB: what is said is enough.
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![0; 64 << 20], 6);
    let mut file = archive_of(&vec![0; 64 << 20], &packed);
    let began = Instant::now();
    assert!(refused(Format::Jar, &file, Existing::Replace).contains("32 times"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
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
