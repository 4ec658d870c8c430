//! Object identifiers that the DER library takes and X.690 does not, and the other way round.

use der::{Decode, Length, Reader, SliceReader};

const OBJECT_IDENTIFIER: u8 = 0x06;
const OCTET_STRING: u8 = 0x04;
/// registeredID of a GeneralName (RFC 5280, 4.2.1.6), which only extensions have.
const REGISTERED_ID: u8 = 0x88;
const CONSTRUCTED: u8 = 0x20;

/// Deeper than any certificate or request is nested.
const DEPTH_MAX: usize = 32;

/// Whether an object identifier in this DER begins an arc with 0x80, which "shall not" be (X.690, 8.19.2). One reader takes
/// `55 80 04 03` for a common name and another for an attribute that nobody knows, so such a name would go past name
/// constraints.
#[must_use]
pub fn has_padded_oid(der: &[u8]) -> bool {
    looked_into(der, Within::Plain, 0, is_padded).unwrap_or(true)
}

/// Whether an object identifier in this DER begins with 2 and a number of 40 or more, such as 2.999.1. X.660 has them, and the
/// DER library does not read them.
#[must_use]
pub fn has_high_oid(der: &[u8]) -> bool {
    looked_into(der, Within::Plain, 0, is_high).unwrap_or_default()
}

/// What surrounds the bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Plain,
    /// The value of an extension. An octet string in there is what it is: of twenty bytes of a key identifier, one in some
    /// 70,000 begins as an object identifier with a padded arc does.
    OctetString,
}

/// `None` where it is nested deeper than anybody means it.
fn looked_into(der: &[u8], within: Within, depth: usize, is_meant: fn(&[u8]) -> bool) -> Option<bool> {
    if depth > DEPTH_MAX {
        return None;
    }
    let Ok(mut reader) = SliceReader::new(der) else { return Some(false) };
    while !reader.is_finished() {
        // What is no DER is refused by whoever reads it, or read by nobody: it hides nothing of what stands beside it.
        let Ok((tag, value)) = next(&mut reader) else { return Some(false) };
        let found = match tag {
            OBJECT_IDENTIFIER => is_meant(value),
            REGISTERED_ID if within == Within::OctetString => is_meant(value),
            // Extensions stand in octet strings.
            OCTET_STRING if within == Within::Plain => looked_into(value, Within::OctetString, depth + 1, is_meant)?,
            _ => tag & CONSTRUCTED != 0 && looked_into(value, within, depth + 1, is_meant)?,
        };
        if found {
            return Some(true);
        }
    }
    Some(false)
}

fn next<'r>(reader: &mut SliceReader<'r>) -> der::Result<(u8, &'r [u8])> {
    let tag = reader.read_byte()?;
    let length = Length::decode(reader)?;
    Ok((tag, reader.read_slice(length)?))
}

fn is_padded(arcs: &[u8]) -> bool {
    let begins = std::iter::once(true).chain(arcs.iter().map(|octet| octet & 0x80 == 0));
    begins.zip(arcs).any(|(begins, octet)| begins && *octet == 0x80)
}

/// The first octets have 40 times the first number, and the second (X.690, 8.19.4).
fn is_high(arcs: &[u8]) -> bool {
    arcs.first().is_some_and(|first| *first >= 2 * 40 + 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_that_begin_with_zeros_are_found_wherever_they_are() {
        for (der, expected) in [
            ("0603550403", false),
            ("060455800403", true),
            // 1.2.840.113549.1.9.1, as it is and with a zero before 840.
            ("06092a864886f70d010901", false),
            ("060a2a80864886f70d010901", true),
            // 2.5.4.384 has an octet 0x80 that is the end of nothing.
            ("06055504838000", false),
            ("3006060455800403", true),
            // A registeredID, in an extension and elsewhere.
            ("04083006880455800403", true),
            ("3006880455800403", false),
            ("300831060604558004030500", true),
            ("0406060455800403", true),
            ("04050604558004", false),
            // Beside something that is no DER, in a name and in an extension.
            ("300b3003040500060455800403", true),
            ("040d300b3003040500060455800403", true),
            // A key identifier of which the first bytes read so.
            ("04080406060455800403", false),
        ] {
            assert_eq!(has_padded_oid(&hex::decode(der).unwrap()), expected, "{der}");
        }
        let deep = (0..100).fold(vec![5, 0], |inner, _| {
            let length = u16::try_from(inner.len()).unwrap().to_be_bytes();
            [&[0x30, 0x82][..], &length, &inner].concat()
        });
        assert!(has_padded_oid(&deep), "nobody nests so deep");
    }

    #[test]
    fn second_numbers_of_40_or_more_are_found() {
        // 2.5.4.3, 2.39.1, 2.40.1, 2.48.1 and 2.999.1, the last also within others.
        for (der, expected) in [
            ("0603550403", false),
            ("06027701", false),
            ("06027801", true),
            ("0603810001", true),
            ("0603883701", true),
            ("040730050603883701", true),
            ("0403883701", false),
        ] {
            assert_eq!(has_high_oid(&hex::decode(der).unwrap()), expected, "{der}");
        }
    }
}
