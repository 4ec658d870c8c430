//! PowerShell scripts: the signature is a block of comments at the end, and what is signed is the text before it, in
//! UTF-16LE.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    Error, Unfit,
    hash::Hash,
    source::{Input, Source},
};

/// More than any script has: it is looked at as a whole.
const SCRIPT_MAX: usize = 64 << 20;
const BEGIN: &str = "# SIG # Begin signature block";
const END: &str = "# SIG # End signature block";
/// Characters of base64 on a line.
const LINE: usize = 64;

/// A script.
pub(crate) struct Script {
    /// The file without its signature block.
    text: Vec<u8>,
    wide: bool,
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
        let no_text = Unfit("The file is no script in UTF-8 or little-endian UTF-16.");
        let units =
            |bytes: &[u8]| bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect::<Vec<_>>();
        let text = if wide {
            if !file.len().is_multiple_of(2) {
                return Err(no_text);
            }
            Cow::Owned(String::from_utf16(&units(&file)).map_err(|_| no_text)?)
        } else {
            Cow::Borrowed(std::str::from_utf8(&file).map_err(|_| no_text)?)
        };
        if let Some(end) = block(&text)? {
            let end = if wide { text[..end].encode_utf16().count() * 2 } else { end };
            drop(text);
            file.truncate(end);
        }
        Ok(Self { text: file, wide })
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

    pub(crate) fn finish(self, cms: &[u8]) -> Vec<u8> {
        let base64 = STANDARD.encode(cms);
        let mut block = format!("\r\n{BEGIN}");
        let mut rest = base64.as_str();
        while !rest.is_empty() {
            let (line, next) = rest.split_at(rest.len().min(LINE));
            block.push_str("\r\n# ");
            block.push_str(line);
            rest = next;
        }
        block.push_str(&format!("\r\n{END}\r\n"));
        let mut file = self.text;
        if self.wide {
            file.extend(block.encode_utf16().flat_map(u16::to_le_bytes));
        } else {
            file.extend_from_slice(block.as_bytes());
        }
        file
    }
}

/// Where the text before the signature block ends, the line break in front of the block left out.
fn block(text: &str) -> Result<Option<usize>, Unfit> {
    let mut at = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        if found.is_none() && line.trim_end() == BEGIN {
            let before = &text[..at];
            let before = before.strip_suffix('\n').unwrap_or(before);
            found = Some((before.strip_suffix('\r').unwrap_or(before).len(), at + line.len()));
        }
        at += line.len();
    }
    let Some((end, after)) = found else { return Ok(None) };
    let Some((_, rest)) = text[after..].split_once(END) else {
        return Err(Unfit("The script's signature block has no end."));
    };
    if !rest.trim().is_empty() || text[after..].lines().any(|line| !line.is_empty() && !line.starts_with('#')) {
        // Whatever is there would be lost, or not be covered by the signature.
        return Err(Unfit("There is text inside or behind the script's signature block."));
    }
    Ok(Some(end))
}
