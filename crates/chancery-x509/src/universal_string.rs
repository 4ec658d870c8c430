//! UniversalString, a type of string that the DER library does not know, in names of requests.

use der::{Decode, Encode, Length, Reader, SliceReader};

const UNIVERSAL_STRING: u8 = 0x1c;
const UTF8_STRING: u8 = 0x0c;
const CONSTRUCTED: u8 = 0x20;

/// As deep as requests are ever nested.
const DEPTH_MAX: usize = 16;

/// The same value with its UniversalStrings as UTF8Strings; `None` where it has none, or is no DER.
pub(crate) fn as_utf8(der: &[u8]) -> Option<Vec<u8>> {
    if !der.contains(&UNIVERSAL_STRING) {
        return None;
    }
    let written = rewritten(der, 0).ok()?;
    (written != der).then_some(written)
}

fn rewritten(der: &[u8], depth: usize) -> der::Result<Vec<u8>> {
    let mut reader = SliceReader::new(der)?;
    let mut out = Vec::with_capacity(der.len());
    while !reader.is_finished() {
        let tag = reader.read_byte()?;
        let length = Length::decode(&mut reader)?;
        let value = reader.read_slice(length)?;
        let text = if tag == UNIVERSAL_STRING { text(value) } else { None };
        let (tag, value) = match text {
            Some(text) => (UTF8_STRING, text.into_bytes()),
            // Tags of several bytes occur in no request, and their second byte is read as a length that does not fit.
            None if tag & CONSTRUCTED != 0 && depth < DEPTH_MAX => (tag, rewritten(value, depth + 1)?),
            None => (tag, value.to_vec()),
        };
        out.push(tag);
        out.extend(Length::try_from(value.len())?.to_der()?);
        out.extend(value);
    }
    Ok(out)
}

/// Four bytes to a character.
fn text(value: &[u8]) -> Option<String> {
    let characters = value.chunks(4).map(|unit| char::from_u32(u32::from_be_bytes(unit.try_into().ok()?)));
    characters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn universal_strings_are_rewritten_and_nothing_else() {
        // SEQUENCE { OID 2.5.4.3, UniversalString "ä" }, in a SET.
        let der = hex::decode("310d300b06035504031c04000000e4").unwrap();
        assert_eq!(hex::encode(as_utf8(&der).unwrap()), "310b300906035504030c02c3a4");
        for same in ["", "310b300906035504030c02c3a4", "31021c", "1c03000000", "1c040000d800", "04021c00"] {
            assert_eq!(as_utf8(&hex::decode(same).unwrap()), None, "{same}");
        }
    }
}
