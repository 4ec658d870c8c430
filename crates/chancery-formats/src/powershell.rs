//! PowerShell scripts: the signature is a block of comments at the end, and what is signed is the text before it, in
//! UTF-16LE.
//!
//! What ends a line is read in more than one way: PowerShell also takes a carriage return alone for an end, and runs what
//! stands behind it, where others see one comment. So there is none, and in the block there is nothing but the block.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    Error, Unfit,
    contents::{Contents, FileKind},
    hash::Hash,
    source::{Input, Source},
};

/// More than any script has: it is looked at as a whole.
const SCRIPT_MAX: usize = 64 << 20;
/// PowerShell neither signs shorter files nor looks for a signature in them.
const SCRIPT_MIN: usize = 4;
const BEGIN: &str = "SIG # Begin signature block";
const END: &str = "SIG # End signature block";
/// Characters of base64 on a line.
const LINE: usize = 64;

/// How a comment is written.
#[derive(Clone, Copy)]
struct Comment {
    open: &'static str,
    close: &'static str,
}

/// In scripts (ps1, psm1, psd1).
const HASH: Comment = Comment { open: "# ", close: "" };
/// In XML (ps1xml, psc1, cdxml).
const XML: Comment = Comment { open: "<!-- ", close: " -->" };

/// A script.
pub(crate) struct Script {
    /// The file without its signature block.
    text: Vec<u8>,
    wide: bool,
    comment: Comment,
    /// The signature that is there.
    signature: Option<Vec<u8>>,
}

impl Script {
    pub(crate) fn read(source: &dyn Source) -> Result<Self, Error> {
        let too_large = Unfit("The script is larger than 64 MiB.");
        let input = Input::new(source, too_large)?;
        Ok(Self::of(input.bytes(0..input.len, SCRIPT_MAX, too_large)?)?)
    }

    fn of(mut file: Vec<u8>) -> Result<Self, Unfit> {
        let wide = file.starts_with(&[0xff, 0xfe]);
        if file.starts_with(&[0xfe, 0xff]) {
            return Err(Unfit("A script in big-endian UTF-16 cannot be signed; UTF-8 and little-endian UTF-16 can."));
        }
        let text = decoded(&file, wide)?;
        check_line_ends(&text)?;
        let comment = Comment::of(&text);
        let (mut end, mut signature) = (text.len(), None);
        if let Some(block) = comment.block(&text)? {
            (end, signature) = (block.start, Some(block.signature));
        }
        let end = if wide { text[..end].encode_utf16().count() * 2 } else { end };
        drop(text);
        file.truncate(end);
        if file.len() < SCRIPT_MIN || decoded(&file, wide)?.trim_matches(is_blank).is_empty() {
            let message =
                "The script is empty, or shorter than four bytes: PowerShell finds no signature in such a file.";
            return Err(Unfit(message));
        }
        Ok(Self { text: file, wide, comment, signature })
    }

    /// Of the text in UTF-16LE, as it is in the file: with its byte order mark, if it has one.
    pub(crate) fn digest(&self, hash: Hash) -> Vec<u8> {
        if self.wide {
            return hash.of(&self.text);
        }
        let mut running = hash.begin();
        // Checked when it was read; the block begins between two characters.
        for unit in std::str::from_utf8(&self.text).unwrap_or_default().encode_utf16() {
            running.update(&unit.to_le_bytes());
        }
        running.finish()
    }

    /// The signature that is there.
    pub(crate) fn signature(&self) -> Option<&[u8]> {
        self.signature.as_deref()
    }

    /// What the script says of itself: its length, since the rest is a person's to read.
    pub(crate) fn contents(&self) -> Contents {
        let mut contents = Contents::new(FileKind::Script);
        let text = decoded(&self.text, self.wide).unwrap_or_default();
        contents.lines = Some(text.lines().count() as u64);
        if let Some(signature) = &self.signature {
            contents.signature(signature.clone());
        }
        contents
    }

    pub(crate) fn finish(self, cms: &[u8]) -> Vec<u8> {
        let Comment { open, close } = self.comment;
        let base64 = STANDARD.encode(cms);
        let mut block = format!("\r\n{open}{BEGIN}{close}");
        let mut rest = base64.as_str();
        while !rest.is_empty() {
            let (line, next) = rest.split_at(rest.len().min(LINE));
            block.push_str(&format!("\r\n{open}{line}{close}"));
            rest = next;
        }
        block.push_str(&format!("\r\n{open}{END}{close}\r\n"));
        let mut file = self.text;
        if self.wide {
            file.extend(block.encode_utf16().flat_map(u16::to_le_bytes));
        } else {
            file.extend_from_slice(block.as_bytes());
        }
        file
    }
}

fn decoded(file: &[u8], wide: bool) -> Result<Cow<'_, str>, Unfit> {
    let no_text = Unfit("The file is no script in UTF-8 or little-endian UTF-16.");
    if !wide {
        return std::str::from_utf8(file).map(Cow::Borrowed).map_err(|_| no_text);
    }
    let (units, []) = file.as_chunks::<2>() else { return Err(no_text) };
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    char::decode_utf16(units).collect::<Result<String, _>>().map(Cow::Owned).map_err(|_| no_text)
}

/// White space, or the mark that a file may begin with.
const fn is_blank(symbol: char) -> bool {
    symbol.is_ascii_whitespace() || symbol == '\u{feff}'
}

/// No carriage return stands without its line feed.
fn check_line_ends(text: &str) -> Result<(), Unfit> {
    let bytes = text.as_bytes();
    let alone = bytes.iter().enumerate().any(|(at, byte)| *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    let message = "The script has a carriage return without a line feed: PowerShell ends a line there and others do not, so \
                   that text could hide behind the signature.";
    if alone { Err(Unfit(message)) } else { Ok(()) }
}

/// A signature block.
struct Block {
    /// Where the text before it ends, the line break between them left out.
    start: usize,
    signature: Vec<u8>,
}

impl Comment {
    /// No script begins like XML: `<` is no operator of PowerShell, and `<#` begins a comment.
    fn of(text: &str) -> Self {
        let text = text.trim_start_matches(is_blank);
        if text.starts_with('<') && !text.starts_with("<#") { XML } else { HASH }
    }

    /// What a line of a block says.
    fn content<'x>(&self, line: &'x str) -> Option<&'x str> {
        line.trim_end().strip_prefix(self.open.trim_end())?.strip_suffix(self.close.trim_start()).map(str::trim)
    }

    /// Whether somebody less strict would see a block begin: in other letters, set in, with something behind it.
    fn almost_begins(&self, line: &str) -> bool {
        let comment = line.trim_start_matches(is_blank).strip_prefix(self.open.trim_end());
        let begin = comment.and_then(|comment| comment.trim_start().get(..BEGIN.len()));
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(BEGIN))
    }

    fn block(&self, text: &str) -> Result<Option<Block>, Unfit> {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if line.trim_end() == format!("{}{BEGIN}{}", self.open, self.close) {
                let before = text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
                let start = before.strip_suffix('\r').unwrap_or(before).len();
                return Ok(Some(Block { start, signature: self.signature(&text[at + line.len()..])? }));
            }
            if self.almost_begins(line) {
                return Err(Unfit("A line of the script is almost the beginning of a signature block."));
            }
            at += line.len();
        }
        Ok(None)
    }

    /// The signature of a block, from its second line on.
    fn signature(&self, block: &str) -> Result<Vec<u8>, Unfit> {
        // Whatever else is there would be lost, or not be covered by the signature.
        let odd = Unfit("There is text inside or behind the script's signature block.");
        let (mut base64, mut at) = (String::new(), 0);
        for line in block.split_inclusive('\n') {
            at += line.len();
            if line.trim_end() == format!("{}{END}{}", self.open, self.close) {
                let rest_is_blank = block[at..].trim_matches(is_blank).is_empty();
                return if rest_is_blank { STANDARD.decode(base64).map_err(|_| odd) } else { Err(odd) };
            }
            if line.trim_end().is_empty() {
                continue;
            }
            base64.push_str(self.content(line).ok_or(odd)?);
        }
        Err(Unfit("The script's signature block has no end."))
    }
}
