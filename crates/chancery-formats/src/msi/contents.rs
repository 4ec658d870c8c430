//! What an installer says of itself: its Property table and its summary.
//!
//! Tables are streams whose names are packed, two letters in a unit. Their texts are in a pool: lengths in one stream, the
//! texts one behind the other in another; tables have numbers of texts, column after column.

use super::{Installer, utf16};
use crate::{
    Error, Unfit,
    cms::nested_in,
    compound::{Node, Storage},
    contents::{Contents, FileKind},
};

const LETTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._";
const TABLE: u16 = 0x4840;
const PAIR: u16 = 0x3800;
const LETTER: u16 = 0x4800;
const SUMMARY: &str = "\u{5}SummaryInformation";
/// More than these streams of any installer have: a million texts, 32 MiB of them, and a table of a quarter of a million rows.
const POOL_MAX: u64 = 4 << 20;
const DATA_MAX: u64 = 32 << 20;
const TABLE_MAX: u64 = 1 << 20;
/// Numbers of texts have three bytes, not two.
const LONG_NUMBERS: u32 = 1 << 31;
const UTF_8: u32 = 65001;
const NAMES: [&str; 5] = ["ProductName", "ProductVersion", "Manufacturer", "ProductCode", "UpgradeCode"];
/// Of the summary, by their numbers.
const SUMMARY_NAMES: [(u32, &str); 6] = [
    (2, "Summary.Title"),
    (3, "Summary.Subject"),
    (4, "Summary.Author"),
    (7, "Summary.Template"),
    (9, "Summary.RevisionNumber"),
    (18, "Summary.CreatingApplication"),
];
const SUMMARY_PROPERTIES_MAX: usize = 256;
const CODE_PAGE: u32 = 1;
const VT_I2: u32 = 2;
const VT_LPSTR: u32 = 30;
const DAMAGED: Unfit = Unfit("The installer's tables are damaged.");

impl Installer<'_> {
    pub(crate) fn contents(&self) -> Contents {
        let mut contents = Contents::new(FileKind::Installer);
        contents.entries_total = Some(streams(&self.file.root));
        let [pool, data, table] = [("_StringPool", POOL_MAX), ("_StringData", DATA_MAX), ("Property", TABLE_MAX)]
            .map(|(name, max)| self.stream(&packed(name), max));
        if let (Ok(pool), Ok(data), Ok(table)) = (pool, data, table) {
            let texts = Texts::read(&pool, &data);
            texts.iter().flat_map(|texts| texts.properties(&table)).for_each(|(name, value)| {
                contents.property(&name, &value);
            });
        }
        if let Ok(summary) = self.stream(&utf16(SUMMARY), TABLE_MAX) {
            let _damaged = add_summary(&summary, &mut contents);
        }
        if let Ok(Some(signature)) = self.signature() {
            let nested = nested_in(&signature);
            contents.signature(signature);
            nested.into_iter().for_each(|signature| contents.signature(signature));
        }
        contents
    }

    /// The content of a stream of the root, of at most so many bytes.
    fn stream(&self, name: &[u8], max: u64) -> Result<Vec<u8>, Error> {
        match self.file.root.children.iter().find(|node| node.entry().name() == name) {
            Some(Node::Stream(stream)) => self.file.bytes(stream, max, DAMAGED),
            Some(Node::Storage(_)) | None => Err(DAMAGED.into()),
        }
    }
}

/// How many streams there are, in all storages.
fn streams(storage: &Storage) -> u64 {
    let count = |node: &Node| match node {
        Node::Stream(_) => 1,
        Node::Storage(storage) => streams(storage),
    };
    storage.children.iter().map(count).sum()
}

/// The name of a table's stream.
fn packed(table: &str) -> Vec<u8> {
    let letter = |byte: &u8| LETTERS.iter().zip(0..).find_map(|(one, number)| (one == byte).then_some(number));
    let pack = |pair: &[u8]| match pair {
        [one, other] => Some(PAIR + letter(one)? + (letter(other)? << 6)),
        [one] => Some(LETTER + letter(one)?),
        _ => None,
    };
    let units = std::iter::once(TABLE).chain(table.as_bytes().chunks(2).filter_map(pack));
    units.flat_map(u16::to_le_bytes).collect()
}

/// The pool of an installer's texts.
struct Texts<'a> {
    code_page: u32,
    /// Bytes of a text's number in tables.
    width: usize,
    /// By their numbers, from 1.
    texts: Vec<&'a [u8]>,
}

impl<'a> Texts<'a> {
    /// A pool whose lengths are those of the texts, together; `None` for any other.
    fn read(pool: &[u8], data: &'a [u8]) -> Option<Self> {
        let (entries, []) = pool.as_chunks::<4>() else { return None };
        let [head, entries @ ..] = entries else { return None };
        let head = u32::from_le_bytes(*head);
        let (mut texts, mut rest) = (vec![&data[..0]], data);
        let mut entries = entries.iter().map(|[a, b, c, d]| [[*a, *b], [*c, *d]].map(u16::from_le_bytes));
        while let Some([len, count]) = entries.next() {
            let len = match (len, count) {
                // A length of more than 16 bits: its upper half stands where the count does, its lower one in the next entry.
                (0, high @ 1..) => u32::from(high) << 16 | u32::from(entries.next()?[0]),
                (len, _) => u32::from(len),
            };
            let (text, behind) = rest.split_at_checked(usize::try_from(len).ok()?)?;
            texts.push(text);
            rest = behind;
        }
        let width = if head & LONG_NUMBERS == 0 { 2 } else { 3 };
        rest.is_empty().then_some(Self { code_page: head & !LONG_NUMBERS, width, texts })
    }

    /// What the Property table says of the product: first all names, then all values.
    fn properties(&self, table: &[u8]) -> Vec<(String, String)> {
        if !table.len().is_multiple_of(2 * self.width) {
            return Vec::new();
        }
        let (names, values) = table.split_at(table.len() / 2);
        let rows = names.chunks(self.width).zip(values.chunks(self.width));
        let known = rows.filter(|(name, _)| NAMES.iter().any(|known| self.text(name) == known.as_bytes()));
        known
            .map(|(name, value)| [name, value].map(|number| text_of(self.text(number), self.code_page)).into())
            .collect()
    }

    fn text(&self, number: &[u8]) -> &'a [u8] {
        let number = number.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        self.texts.get(number).copied().unwrap_or_default()
    }
}

/// A text of a code page. Of those that are no Unicode only the letters of ASCII are sure; others stand as marks of
/// replacement.
fn text_of(bytes: &[u8], code_page: u32) -> String {
    if code_page == UTF_8 {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let symbol = |byte: &u8| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER };
    bytes.iter().map(symbol).collect()
}

/// Adds what the summary says: a property set (Microsoft, [MS-OLEPS]) of one section.
fn add_summary(summary: &[u8], contents: &mut Contents) -> Option<()> {
    let word = |at: usize| {
        let bytes = summary.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let start = usize::try_from(word(44)?).ok()?;
    let count = usize::try_from(word(start.checked_add(4)?)?).ok()?.min(SUMMARY_PROPERTIES_MAX);
    let place = |number: u32| {
        let entries = (0..count).map(|index| start.checked_add(8 + 8 * index));
        let found = entries.flatten().find(|at| word(*at) == Some(number))?;
        start.checked_add(usize::try_from(word(found + 4)?).ok()?)
    };
    let code_page = place(CODE_PAGE).filter(|at| word(*at) == Some(VT_I2)).and_then(|at| word(at.checked_add(4)?));
    // Sixteen bits, with a sign.
    let code_page = code_page.unwrap_or_default() & 0xffff;
    for (number, name) in SUMMARY_NAMES {
        let text = place(number).filter(|at| word(*at) == Some(VT_LPSTR)).and_then(|at| {
            let start = at.checked_add(8)?;
            let text = summary.get(start..start.checked_add(usize::try_from(word(at + 4)?).ok()?)?)?;
            text.split(|byte| *byte == 0).next()
        });
        contents.property(name, &text_of(text.unwrap_or_default(), code_page));
    }
    Some(())
}
