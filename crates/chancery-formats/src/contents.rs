//! What a file says of itself: for people who decide whether it shall be signed. Nothing of it is needed to sign the file,
//! so what is damaged is left out, and fails nothing. All texts are an enemy's: bounded in number and length.

use crate::{File, Kind};

/// Characters of a text that are kept.
const TEXT_MAX: usize = 256;
/// Names with their values.
const PROPERTIES_MAX: usize = 64;
/// Entries of an archive that are named.
pub(crate) const ENTRIES_MAX: usize = 300;
/// Signatures that are handed out, and bytes of each.
pub(crate) const SIGNATURES_MAX: usize = 16;
pub(crate) const SIGNATURE_LEN_MAX: u64 = 1 << 20;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A program that is started.
    Program,
    /// A library that programs load.
    Library,
    /// A driver, or what else runs in the kernel.
    Driver,
    /// What a machine starts before its system.
    Firmware,
    /// A Windows installer.
    Installer,
    /// A script.
    Script,
    /// An archive.
    Archive,
}

/// What a file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// What it is; nothing of it is known where this is absent.
    pub kind: Option<FileKind>,
    /// For which machine a program is, as people call it; its number where it has no name here.
    pub machine: Option<String>,
    /// Names and values, as the format has them: of the version resource, the Property table and the summary of an
    /// installer, the main section of a manifest. A name comes twice where two readers could see two values.
    pub properties: Vec<(String, String)>,
    /// Lines of a script, without its signature.
    pub lines: Option<u64>,
    /// Streams of an installer, or entries of an archive.
    pub entries_total: Option<u64>,
    /// The first entries of an archive, in their order, each with its unpacked length.
    pub entries: Vec<(String, u64)>,
    /// How many signatures it has.
    pub signatures_total: u64,
    /// The first of them: each a CMS. Nobody has verified them.
    pub signatures: Vec<Vec<u8>>,
    /// Whether a text was longer, or there were more properties, than is kept.
    pub is_cut: bool,
}

impl Contents {
    pub(crate) fn new(kind: FileKind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    /// Adds a name with its value, once.
    pub(crate) fn property(&mut self, name: &str, value: &str) {
        let property = (self.clipped(name), self.clipped(value));
        if value.is_empty() || self.properties.contains(&property) {
            return;
        }
        if self.properties.len() == PROPERTIES_MAX {
            self.is_cut = true;
            return;
        }
        self.properties.push(property);
    }

    /// Adds an entry of an archive.
    pub(crate) fn entry(&mut self, name: &str, len: u64) {
        let name = self.clipped(name);
        self.entries.push((name, len));
    }

    /// Adds a signature.
    pub(crate) fn signature(&mut self, cms: Vec<u8>) {
        self.signatures_total += 1;
        if self.signatures.len() < SIGNATURES_MAX && cms.len() as u64 <= SIGNATURE_LEN_MAX {
            self.signatures.push(cms);
        }
    }

    fn clipped(&mut self, text: &str) -> String {
        match text.char_indices().nth(TEXT_MAX) {
            None => text.to_owned(),
            Some((end, _)) => {
                self.is_cut = true;
                text[..end].to_owned()
            }
        }
    }
}

impl File<'_> {
    /// What the file says of itself.
    #[must_use]
    pub fn contents(&self) -> Contents {
        match &self.kind {
            Kind::Pe(image) => image.contents(),
            Kind::Msi(installer) => installer.contents(),
            Kind::Powershell(script) => script.contents(),
            Kind::Jar(jar) => jar.contents(),
        }
    }
}

/// UTF-16 up to the first zero; what is none stands as a mark of replacement.
pub(crate) fn text_of_units(bytes: &[u8]) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    char::decode_utf16(units.take_while(|unit| *unit != 0))
        .map(|symbol| symbol.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}
