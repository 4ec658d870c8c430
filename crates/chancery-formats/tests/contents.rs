//! What files say of themselves, of sound files and of an enemy's: nothing panics, what is kept has bounds, and what is
//! damaged keeps nobody from signing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Cursor, Write};

use chancery_formats::{Contents, Existing, File, FileKind, Format, Hash};

fn contents(format: Format, file: &[u8]) -> Option<Contents> {
    File::read(format, &file, Hash::Sha256, Existing::Replace).ok().map(|file| file.contents())
}

fn property<'a>(contents: &'a Contents, name: &str) -> Vec<&'a str> {
    contents.properties.iter().filter(|(one, _)| one == name).map(|(_, value)| value.as_str()).collect()
}

fn units(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

fn fill_up(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// A node of a version resource.
fn node(key: &str, value: &[u8], value_len: usize, children: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0; 6];
    bytes.extend(units(key));
    fill_up(&mut bytes);
    bytes.extend_from_slice(value);
    for child in children {
        fill_up(&mut bytes);
        bytes.extend_from_slice(child);
    }
    let len = u16::try_from(bytes.len()).unwrap();
    bytes[..2].copy_from_slice(&len.to_le_bytes());
    bytes[2..4].copy_from_slice(&u16::try_from(value_len).unwrap().to_le_bytes());
    bytes
}

fn version(strings: &[(&str, &str)]) -> Vec<u8> {
    let mut fixed = vec![0; 52];
    fixed[..4].copy_from_slice(&0xfeef_04bd_u32.to_le_bytes());
    fixed[8..24].copy_from_slice(&[2, 0, 1, 0, 4, 0, 3, 0, 6, 0, 5, 0, 8, 0, 7, 0]);
    let string = |(name, value): &(&str, &str)| node(name, &units(value), value.len() + 1, &[]);
    let strings: Vec<_> = strings.iter().map(string).collect();
    let table = node("StringFileInfo", &[], 0, &[node("040904b0", &[], 0, &strings)]);
    node("VS_VERSION_INFO", &fixed, fixed.len(), &[table])
}

/// A program of one section: its resources, three folders deep, with this one at their end.
fn image(version: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 0x200];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"MZ");
    put(0x3c, &[0x80]);
    put(0x80, b"PE\0\0\x64\x86\x01\0");
    put(0x94, &[240, 0, 0x22, 0x20, 0x0b, 0x02]);
    put(0x98 + 108, &[16]);
    put(0x98 + 112 + 16, &0x1000_u32.to_le_bytes());
    put(0x188 + 12, &0x1000_u32.to_le_bytes());
    put(0x188 + 16, &0x2000_u32.to_le_bytes());
    put(0x188 + 20, &0x200_u32.to_le_bytes());
    let folder = |id: u32, to: u32| {
        let head = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0];
        [&head[..], &id.to_le_bytes(), &to.to_le_bytes()].concat()
    };
    let below = |at: u32| at | 1 << 31;
    file.extend([folder(16, below(24)), folder(1, below(48)), folder(0x409, 72)].concat());
    file.extend(0x1058_u32.to_le_bytes());
    file.extend(u32::try_from(version.len()).unwrap().to_le_bytes());
    file.extend([0; 8]);
    file.extend_from_slice(version);
    file.resize(0x2200, 0);
    file
}

/// The name of a table's stream, in units that no text has.
fn table_name(table: &str) -> String {
    let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._";
    let number = |letter: char| u32::try_from(letters.find(letter).unwrap()).unwrap();
    let pack = |pair: &[char]| match pair {
        [one, other] => 0x3800 + number(*one) + (number(*other) << 6),
        [one] => 0x4800 + number(*one),
        _ => unreachable!("two at most"),
    };
    let symbols: Vec<_> = table.chars().collect();
    let units = std::iter::once(0x4840).chain(symbols.chunks(2).map(pack));
    units.map(|unit| char::from_u32(unit).unwrap()).collect()
}

/// An installer whose Property table has these.
fn installer(properties: &[(&str, &str)]) -> Vec<u8> {
    let (mut pool, mut data, mut rows) = (vec![0xe9, 0xfd, 0, 0], Vec::new(), [Vec::new(), Vec::new()]);
    let mut count = 0_u16;
    for (name, value) in properties {
        for (column, text) in [name, value].into_iter().enumerate() {
            let len = u32::try_from(text.len()).unwrap();
            if let Ok(len) = u16::try_from(len) {
                pool.extend([len.to_le_bytes(), [1, 0]].concat());
            } else {
                let [a, b, c, d] = len.to_le_bytes();
                pool.extend([0, 0, c, d, a, b, 1, 0]);
            }
            data.extend_from_slice(text.as_bytes());
            count += 1;
            rows[column].extend(count.to_le_bytes());
        }
    }
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (name, content) in [("_StringPool", pool), ("_StringData", data), ("Property", rows.concat())] {
        file.create_stream(format!("/{}", table_name(name))).unwrap().write_all(&content).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

#[test]
fn a_version_resource_is_read() {
    let found = contents(Format::Pe, &image(&version(&[("ProductName", "Ein Gerät"), ("Comments", "none")]))).unwrap();
    assert_eq!((found.kind, found.machine.as_deref()), (Some(FileKind::Library), Some("x86-64")));
    let says = [("FixedFileVersion", "1.2.3.4"), ("FixedProductVersion", "5.6.7.8"), ("ProductName", "Ein Gerät")];
    assert_eq!(found.properties, says.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert!(!found.is_cut);
}

#[test]
fn an_installer_tells_its_property_table() {
    let long = "x".repeat(70_000);
    let found =
        contents(Format::Msi, &installer(&[("ProductName", "A ü"), ("Other", &long), ("ProductVersion", "1.2")]));
    let found = found.unwrap();
    assert_eq!((found.kind, found.entries_total), (Some(FileKind::Installer), Some(3)));
    assert_eq!((property(&found, "ProductName"), property(&found, "ProductVersion")), (vec!["A ü"], vec!["1.2"]));
    assert_eq!(found.properties.len(), 2);
}

#[test]
fn texts_and_their_number_have_bounds() {
    let long = "ü".repeat(20_000);
    let found = contents(Format::Pe, &image(&version(&[("ProductName", &long[..4_000])]))).unwrap();
    assert_eq!(property(&found, "ProductName")[0].chars().count(), 256);
    assert!(found.is_cut);
    let many: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    let many: Vec<_> = many.iter().map(|value| ("FileVersion", value.as_str())).collect();
    let found = contents(Format::Pe, &image(&version(&many))).unwrap();
    assert_eq!((found.properties.len(), found.is_cut), (64, true));
}

#[test]
fn a_damaged_resource_is_left_out_and_the_file_is_read() {
    let sound = image(&version(&[("ProductName", "A product"), ("FileVersion", "1")]));
    // The folders lead to themselves; a length of nothing, of all; an address that no section has.
    let changes: [(usize, [u8; 4]); 6] = [
        (0x200 + 20, u32::to_le_bytes(1 << 31)),
        (0x200 + 44, u32::to_le_bytes(1 << 31)),
        (0x258, [0; 4]),
        (0x258, [0xff; 4]),
        (0x200 + 72, [0xff; 4]),
        (0x200 + 76, [0xff; 4]),
    ];
    for (at, value) in changes {
        let mut damaged = sound.clone();
        damaged[at..at + 4].copy_from_slice(&value);
        let found = contents(Format::Pe, &damaged).unwrap();
        assert!(found.properties.is_empty(), "{at:x}: {:?}", found.properties);
        assert_eq!(found.kind, Some(FileKind::Library));
    }
    for at in 0x200..0x400 {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = sound.clone();
            damaged[at] = value;
            assert!(contents(Format::Pe, &damaged).unwrap().properties.len() <= 64);
        }
    }
}

#[test]
fn folders_that_lead_to_one_another_cost_no_more() {
    let mut file = image(&[]);
    file.resize(0x200 + 0x10_0000, 0);
    file[0x188 + 16..0x188 + 20].copy_from_slice(&0x10_0000_u32.to_le_bytes());
    // One folder of 4,096 entries, each of which leads to it again.
    file[0x200 + 14..0x200 + 16].copy_from_slice(&4096_u16.to_le_bytes());
    for entry in 0..4096 {
        let at = 0x210 + 8 * entry;
        file[at..at + 8].copy_from_slice(&[16, 0, 0, 0, 0, 0, 0, 0x80]);
    }
    let began = std::time::Instant::now();
    assert!(contents(Format::Pe, &file).unwrap().properties.is_empty());
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn tables_of_an_enemy_tell_nothing_and_the_installer_is_read() {
    let sound = installer(&[("ProductName", "A"), ("ProductVersion", "1")]);
    let mut told = 0;
    for at in 0..sound.len() {
        for value in [0, 1, 0x80, 0xff] {
            let mut damaged = sound.clone();
            damaged[at] = value;
            told += contents(Format::Msi, &damaged).map_or(0, |found| found.properties.len());
        }
    }
    assert!(told > 0, "most changes are of what nobody reads");
    // A pool whose lengths are not those of the texts.
    let pool = sound.windows(8).position(|part| part == [0xe9, 0xfd, 0, 0, 11, 0, 1, 0]).unwrap();
    let mut damaged = sound.clone();
    damaged[pool + 4] = 10;
    assert!(contents(Format::Msi, &damaged).unwrap().properties.is_empty());
    assert_eq!(contents(Format::Msi, &sound).unwrap().properties.len(), 2);
}

#[test]
fn a_script_tells_its_lines_and_its_signature() {
    let found = contents(Format::Powershell, b"1\r\n2\r\n").unwrap();
    assert_eq!((found.kind, found.lines, found.signatures_total), (Some(FileKind::Script), Some(2), 0));
    let signed = b"1\r\n2\r\n# SIG # Begin signature block\r\n# AQID\r\n# SIG # End signature block\r\n";
    let found = contents(Format::Powershell, signed).unwrap();
    assert_eq!((found.lines, found.signatures_total, found.signatures), (Some(2), 1, vec![vec![1, 2, 3]]));
}

/// An archive of files as they are, unpacked.
fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut file, mut central) = (Vec::new(), Vec::new());
    let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for (name, content) in files {
        let offset = word(file.len());
        let name_len = &word(name.len())[..2];
        let crc = crc32fast::hash(content).to_le_bytes();
        let len = word(content.len());
        let common = [&[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..], &crc, &len, &len, name_len, &[0, 0]].concat();
        file.extend([b"PK\x03\x04", &common[..], name.as_bytes(), content].concat());
        central.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &offset, name.as_bytes()].concat());
    }
    let count = &word(files.len())[..2];
    let end = [b"PK\x05\x06\0\0\0\0", count, count, &word(central.len()), &word(file.len()), &[0, 0]].concat();
    [file, central, end].concat()
}

#[test]
fn an_archive_of_very_much_is_told_of_in_bounds() {
    let named = |name: String, content: &[u8]| (name, content.to_vec());
    let mut text = "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n".to_owned();
    (0..10_000).for_each(|number| text.push_str(&format!("X-{number}: {number}\r\n")));
    let mut files = vec![named("META-INF/MANIFEST.MF".to_owned(), text.as_bytes())];
    files.extend((0..20).map(|number| named(format!("META-INF/S{number}.RSA"), b"no CMS")));
    files.extend((0..400).map(|number| named(format!("{number}/{}", "x".repeat(300)), b"1")));
    let found = contents(Format::Jar, &archive(&files)).unwrap();
    assert_eq!((found.kind, found.entries_total, found.entries.len()), (Some(FileKind::Archive), Some(421), 300));
    assert_eq!((found.signatures_total, found.signatures.len()), (20, 16));
    assert_eq!((property(&found, "Main-Class"), found.properties.len(), found.is_cut), (vec!["a.B"], 64, true));
    assert!(found.entries.iter().all(|(name, _)| name.chars().count() <= 256));
    assert_eq!(found.entries[21], (format!("0/{}", "x".repeat(254)), 1));
    let plain = contents(Format::Jar, &archive(&[named("a".to_owned(), b"1")])).unwrap();
    assert_eq!((plain.properties.len(), plain.signatures_total, plain.is_cut), (0, 0, false), "no manifest, no facts");
}
