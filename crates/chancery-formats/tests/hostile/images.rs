//! Programs whose certificate table has more in it than one signature.

use chancery_formats::{Existing, Format};

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
