//! Programs whose certificate table has more in it than one signature.

use chancery_formats::{Existing, File, Format, Hash};

use super::{CMS, finish, image, refused};

/// An entry of this revision and type.
fn entry(revision: u16, kind: u16, content: &[u8]) -> Vec<u8> {
    let len = u32::try_from(8 + content.len()).unwrap();
    let mut entry = [&len.to_le_bytes()[..], &revision.to_le_bytes(), &kind.to_le_bytes(), content].concat();
    entry.resize(entry.len().next_multiple_of(8), 0);
    entry
}

/// An image with this certificate table.
fn with_table(table: &[u8]) -> Vec<u8> {
    let mut file = image();
    file.resize(file.len().next_multiple_of(8), 0);
    let directory = 0x98 + 112 + 32;
    let at = u32::try_from(file.len()).unwrap();
    file[directory..directory + 4].copy_from_slice(&at.to_le_bytes());
    file[directory + 4..directory + 8].copy_from_slice(&u32::try_from(table.len()).unwrap().to_le_bytes());
    [&file, table].concat()
}

#[test]
fn what_else_is_in_the_certificate_table_stays_when_a_signature_is_appended() {
    let (old, other) = (entry(0x100, 1, b"of revision one"), entry(0x200, 4, b"of another type"));
    let (first, second) = (entry(0x200, 2, CMS), entry(0x200, 2, b"a further one"));
    let file = with_table(&[&old[..], &first, &other, &second].concat());
    let plain = with_table(&[]).len();
    let signed = finish(Format::Pe, &file, Existing::Append).unwrap();
    let table = &signed[plain..];
    assert!(table.starts_with(&old));
    assert!(table.ends_with(&[&other[..], &second].concat()));
    assert!(table.len() > old.len() + first.len() + other.len() + second.len(), "one is nested in the first");
    // Where there is no signature among them it is put behind them.
    let signed = finish(Format::Pe, &with_table(&[&old[..], &other].concat()), Existing::Append).unwrap();
    assert_eq!(signed[plain..], [&old[..], &other, &first].concat());
    let signed = finish(Format::Pe, &file, Existing::Replace).unwrap();
    assert_eq!(signed[plain..], first[..], "one in the place of all");
}

/// The image with another number at this place.
fn with(file: &[u8], at: usize, number: usize) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at..at + 4].copy_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
    file
}

/// Length and place of the second section, and the length of all headers.
const SECTION: usize = 0x1b0 + 16;
const HEADERS: usize = 0x80 + 84;

/// What is hashed ends with the file, and afterwards in front of the certificate table: a section that goes on behind
/// it would have in it what is not signed.
#[test]
fn an_image_that_is_cut_off_is_refused() {
    let cut_off = |file: &[u8]| {
        for existing in [Existing::Replace, Existing::Append] {
            assert!(refused(Format::Pe, file, existing).contains("cut off"));
        }
    };
    let text = with(&with(&image(), 0x188 + 16, 0x200), SECTION, 0x1_0000);
    let text = with(&text, SECTION + 4, 0x400);
    cut_off(&text[..0x400]);
    cut_off(&text);
    cut_off(&with(&image(), SECTION, u32::MAX as usize));
    cut_off(&with(&image(), HEADERS, 0x509));
    // Headers of sections that nobody sent.
    let mut headers = image();
    headers[0x87] = 0xff;
    cut_off(&headers);
    // A section ends with the file, and not with what fills that up to eight bytes.
    let odd = [&image()[..], b"x"].concat();
    finish(Format::Pe, &with(&odd, SECTION, 9), Existing::Replace).unwrap();
    cut_off(&with(&odd, SECTION, 10));
    // No bytes of it are in the file.
    let empty = with(&with(&image(), SECTION, 0), SECTION + 4, 0xffff_fff0);
    finish(Format::Pe, &empty, Existing::Replace).unwrap();
}

#[test]
fn an_image_of_which_something_is_loaded_from_the_certificate_table_is_refused() {
    let signed = finish(Format::Pe, &image(), Existing::Replace).unwrap();
    let table = image().len();
    let other = with_table(&[entry(0x200, 2, CMS), entry(0x200, 4, b"what runs")].concat());
    for file in [signed, other] {
        finish(Format::Pe, &with(&file, SECTION, 8), Existing::Append).unwrap();
        for odd in [
            with(&file, SECTION, 9),
            with(&file, SECTION + 4, table + 8),
            with(&file, SECTION, file.len() - 0x500),
            with(&file, HEADERS, table + 1),
            // The headers of the sections.
            with(&file, 0x80 + 20, table - 0x98),
        ] {
            for existing in [Existing::Replace, Existing::Append] {
                let why = refused(Format::Pe, &odd, existing);
                assert!(why.contains("reach into its certificate table"), "{why}");
            }
        }
    }
}

/// Alignments of sections and of the file, entry point and length of the image; characteristics and subsystem.
const ALIGNMENTS: [usize; 2] = [0x80 + 56, 0x80 + 60];
const ENTRY: usize = 0x80 + 40;
const IMAGE_LEN: usize = 0x80 + 80;
const DLL: usize = 0x80 + 23;
const SUBSYSTEM: usize = 0x80 + 92;

/// What follows a section up to its file's alignment is loaded along with it.
#[test]
fn an_image_whose_last_section_is_not_filled_up_is_refused_but_for_firmware() {
    let paged = with(&image(), ALIGNMENTS[0], 0x1000);
    for (alignment, end) in [(0x200, 0x600), (0x20, 0x600), (0x1000, 0x1000)] {
        let file = with(&paged, ALIGNMENTS[1], alignment);
        let filled = |len: usize| [&file[..], &vec![0; len - file.len()]].concat();
        for existing in [Existing::Replace, Existing::Append] {
            for len in [file.len(), end - 8] {
                let why = refused(Format::Pe, &filled(len), existing);
                assert!(why.contains("fill the file up"), "{why}");
            }
            let signed = finish(Format::Pe, &filled(end), existing).unwrap();
            finish(Format::Pe, &signed, Existing::Append).unwrap();
        }
        // What is missing to eight bytes is filled up by whoever signs.
        finish(Format::Pe, &filled(end - 7), Existing::Replace).unwrap();
        let mut firmware = file.clone();
        firmware[SUBSYSTEM] = 10;
        finish(Format::Pe, &firmware, Existing::Replace).unwrap();
        firmware[DLL] = 0x20;
        assert!(refused(Format::Pe, &firmware, Existing::Replace).contains("fill the file up"));
    }
}

/// Windows maps such a file as it is, with its certificate table.
#[test]
fn an_image_in_small_pages_has_its_length_and_its_entry_point_in_front_of_the_table() {
    let (table, signed) = (image().len(), finish(Format::Pe, &image(), Existing::Replace).unwrap());
    for file in [image(), signed] {
        for place in [ENTRY, IMAGE_LEN] {
            finish(Format::Pe, &with(&file, place, table), Existing::Replace).unwrap();
            let mut odd = with(&file, place, table + 1);
            assert!(refused(Format::Pe, &odd, Existing::Append).contains("maps all of the file"));
            odd[SUBSYSTEM] = 10;
            finish(Format::Pe, &odd, Existing::Replace).unwrap();
        }
    }
    // A section without a place in the file has none of its bytes.
    let nowhere = with(&with(&image(), SECTION, 0x1_0000), SECTION + 4, 0);
    finish(Format::Pe, &nowhere, Existing::Replace).unwrap();
}

/// An approver is shown what is signed.
#[test]
fn what_an_image_says_of_itself_is_not_read_from_the_certificate_table() {
    let shown = |file: &[u8]| {
        let read = File::read(Format::Pe, &file, Hash::Sha256, Existing::Replace).unwrap();
        read.contents().properties.len()
    };
    // Resources in the second section: the first folder and the data, and behind them what leads from one to the other.
    let folder = |id: u32, to: u32| {
        let head = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
        [&head[..], &id.to_le_bytes(), &to.to_le_bytes()].concat()
    };
    let below = |at: u32| at | 1 << 31;
    let fixed = [&0xfeef_04bd_u32.to_le_bytes()[..], &[0; 4], &[1; 44]].concat();
    let key: Vec<_> = "VS_VERSION_INFO\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let version = [&[92, 0, 52, 0, 0, 0][..], &key, &[0; 2], &fixed].concat();
    let data = [0x1018_u32, 92, 0, 0].map(u32::to_le_bytes).concat();
    let table = entry(0x200, 4, &[&folder(1, below(152))[..], &folder(0x409, 176), &data].concat());
    let mut file = image();
    file.truncate(0x500);
    file.extend([&folder(16, below(128))[..], &version, &[0; 4]].concat());
    for (at, number) in [(SECTION - 4, 0x1000), (SECTION, 120), (0x98 + 112 + 16, 0x1000)] {
        file = with(&file, at, number);
    }
    let directory = 0x98 + 112 + 32;
    let (end, file) = (file.len(), [&file[..], &table].concat());
    assert_eq!(shown(&with(&file, SECTION, 120 + table.len())), 2, "all of it is in the section");
    assert_eq!(shown(&with(&with(&file, directory, end), directory + 4, table.len())), 0);
}

#[test]
fn a_certificate_table_that_is_none_is_not_appended_to() {
    let first = entry(0x200, 2, CMS);
    for odd in [&[7, 0, 0, 0, 0, 2, 2, 0][..], &[0xff, 0, 0, 0, 0, 2, 2, 0], &[0, 0, 0, 0, 0, 0, 0, 1]] {
        let file = with_table(&[&first, odd].concat());
        assert!(refused(Format::Pe, &file, Existing::Append).contains("do not follow one another"));
        finish(Format::Pe, &file, Existing::Replace).unwrap();
    }
    finish(Format::Pe, &with_table(&[&first[..], &[0; 16]].concat()), Existing::Append).unwrap();
    let many = entry(0x200, 4, b"").repeat(2_000);
    refused(Format::Pe, &with_table(&many), Existing::Append);
}
