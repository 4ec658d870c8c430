//! What an image says of itself: its headers, and its version resource (RT_VERSION).
//!
//! The resources are a tree of three levels: kind, name, language. All version resources are read, in all languages: which
//! of them somebody is shown depends on their system, and an approver is to see what anybody may be shown.

use super::{
    Image,
    sections::{SECTIONS_MAX, Section},
};
use crate::{
    Error, Unfit,
    cms::{nested_in, without_padding},
    contents::{Contents, FileKind, text_of_units},
};

/// Of the characteristics.
pub(super) const DLL: u16 = 0x2000;
const NATIVE: u16 = 1;
/// Subsystems.
pub(super) const EFI: std::ops::RangeInclusive<u16> = 10..=13;
const RT_VERSION: u32 = 16;
/// A folder of resources is below, not data.
const FOLDER: u32 = 1 << 31;
/// Entries of one folder of resources, and version resources: more than anybody has.
const FOLDER_MAX: u64 = 4096;
const VERSIONS_MAX: usize = 16;
/// A node's length has 16 bits.
const VERSION_LEN_MAX: usize = 1 << 16;
const FIXED_SIGNATURE: [u8; 4] = 0xfeef_04bd_u32.to_le_bytes();
const NAMES: [&str; 7] = [
    "ProductName",
    "CompanyName",
    "FileDescription",
    "OriginalFilename",
    "InternalName",
    "FileVersion",
    "ProductVersion",
];
const DAMAGED: Unfit = Unfit("The image's resources are damaged.");

impl Image<'_> {
    pub(crate) fn contents(&self) -> Contents {
        let header = self.checksum - 64 - 24;
        let number = |at| self.input.u16_at(at).unwrap_or_default();
        let kind = match (number(self.checksum + 4), number(header + 22) & DLL != 0) {
            (NATIVE, _) => FileKind::Driver,
            (subsystem, _) if EFI.contains(&subsystem) => FileKind::Firmware,
            (_, true) => FileKind::Library,
            (_, false) => FileKind::Program,
        };
        let mut contents = Contents::new(kind);
        contents.machine = Some(machine(number(header + 4)));
        for resource in self.versions(header).unwrap_or_default() {
            add_version(&resource, &mut contents);
        }
        for range in self.entries().unwrap_or_default() {
            if self.is_signature(&range).unwrap_or_default() {
                let signature = self.content(&range).unwrap_or_default();
                let nested = nested_in(&signature);
                contents.signature(without_padding(signature));
                nested.into_iter().for_each(|signature| contents.signature(signature));
            }
        }
        contents
    }

    /// The version resources. What is in the certificate table is none of them: it is not signed, and not loaded.
    fn versions(&self, header: u64) -> Result<Vec<Vec<u8>>, Error> {
        let mut sections = Section::all(&self.covered(), header)?;
        sections.truncate(SECTIONS_MAX);
        // The third of the directories; that of the certificate table is the fifth.
        let Some(root) = place(&sections, self.input.u32_at(self.directory - 16)?) else { return Ok(Vec::new()) };
        let kinds = self.folder(root)?.into_iter().filter(|(kind, _)| *kind == RT_VERSION);
        // Sixteen of each level, so that folders that lead to one another cost no more.
        let languages = self.below(root, kinds.map(|(_, names)| names));
        let data = self.below(root, languages.into_iter()).into_iter().filter(|data| data & FOLDER == 0);
        Ok(data.filter_map(|data| self.data(&sections, root + u64::from(data)).ok()).collect())
    }

    /// Where the first entries of these folders lead.
    fn below(&self, root: u64, folders: impl Iterator<Item = u32>) -> Vec<u32> {
        let folders = folders.filter(|folder| folder & FOLDER != 0).take(VERSIONS_MAX);
        let entries = folders.flat_map(|folder| self.folder(root + u64::from(folder & !FOLDER)).unwrap_or_default());
        entries.map(|(_, to)| to).take(VERSIONS_MAX).collect()
    }

    /// What a folder of resources has: numbers or the places of names, and where it is or leads to.
    fn folder(&self, at: u64) -> Result<Vec<(u32, u32)>, Error> {
        let covered = self.covered();
        let count = u64::from(covered.u16_at(at + 12)?) + u64::from(covered.u16_at(at + 14)?);
        if count > FOLDER_MAX {
            return Err(DAMAGED.into());
        }
        let first = at + 16;
        let bytes = covered.bytes(first..first + 8 * count, usize::MAX, DAMAGED)?;
        let word =
            |bytes: &[u8; 8], at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Ok(bytes.as_chunks::<8>().0.iter().map(|entry| (word(entry, 0), word(entry, 4))).collect())
    }

    fn data(&self, sections: &[Section], at: u64) -> Result<Vec<u8>, Error> {
        let covered = self.covered();
        let start = place(sections, covered.u32_at(at)?).ok_or(DAMAGED)?;
        let len = u64::from(covered.u32_at(at + 4)?);
        covered.bytes(start..start + len, VERSION_LEN_MAX, DAMAGED)
    }
}

/// Where in the file an address is.
fn place(sections: &[Section], address: u32) -> Option<u64> {
    let inside = |section: &&Section| address.checked_sub(section.address).is_some_and(|offset| offset < section.len);
    let section = sections.iter().find(inside).filter(|_| address != 0)?;
    Some(u64::from(section.start) + u64::from(address - section.address))
}

fn machine(number: u16) -> String {
    let name = match number {
        0x014c => "x86",
        0x8664 => "x86-64",
        0x01c0 | 0x01c4 => "Arm",
        0xaa64 => "Arm64",
        0xa641 => "Arm64EC",
        0x5064 => "RISC-V 64",
        0x0ebc => "EFI byte code",
        _ => return format!("0x{number:04x}"),
    };
    name.to_owned()
}

/// A node of a version resource: length, length of the value, kind, key, value, further nodes; each at a multiple of four
/// bytes.
struct Node<'a> {
    key: String,
    /// What stands behind the key: the value, and what follows it.
    rest: &'a [u8],
    value_len: usize,
}

impl<'a> Node<'a> {
    /// The nodes from the beginning of `bytes` on, which is at a multiple of four bytes, until one is damaged.
    fn all(bytes: &'a [u8]) -> impl Iterator<Item = Self> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let (node, next) = Self::first(rest)?;
            rest = next;
            Some(node)
        })
    }

    fn first(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let [len, value_len] = [0, 2].map(|at| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
        let (len, value_len) = (usize::from(len?), usize::from(value_len?));
        let (own, next) = (bytes.get(..len)?, bytes.get(len.next_multiple_of(4)..).unwrap_or_default());
        let units = own.get(6..)?.as_chunks::<2>().0;
        let key_len = units.iter().position(|unit| *unit == [0, 0])?;
        let key = text_of_units(units.as_flattened());
        let behind = (6 + 2 * (key_len + 1)).next_multiple_of(4);
        Some((Self { key, rest: own.get(behind..).unwrap_or_default(), value_len }, next))
    }
}

/// Adds what a version resource says.
fn add_version(resource: &[u8], contents: &mut Contents) {
    let Some(root) = Node::all(resource).next().filter(|root| root.key == "VS_VERSION_INFO") else { return };
    let fixed = root.rest.get(..root.value_len).unwrap_or_default();
    if fixed.starts_with(&FIXED_SIGNATURE) {
        for (name, at) in [("FixedFileVersion", 8), ("FixedProductVersion", 16)] {
            let Some([a, b, c, d, e, f, g, h]) = fixed.get(at..at + 8) else { continue };
            let parts = [[c, d], [a, b], [g, h], [e, f]].map(|[low, high]| u16::from_le_bytes([*low, *high]));
            contents.property(name, &parts.map(|part| part.to_string()).join("."));
        }
    }
    let children = root.rest.get(root.value_len.next_multiple_of(4)..).unwrap_or_default();
    for table in Node::all(children).filter(|node| node.key == "StringFileInfo").flat_map(|node| Node::all(node.rest)) {
        for string in Node::all(table.rest) {
            if NAMES.iter().any(|name| name.eq_ignore_ascii_case(&string.key)) {
                contents.property(&string.key, &text_of_units(string.rest));
            }
        }
    }
}
