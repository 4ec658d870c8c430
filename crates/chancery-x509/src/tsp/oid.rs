//! Object identifiers of any size: policies live under arcs that do not fit the 32 bits which the usual type has for
//! each, such as those below 2.25, where anybody may make one from a UUID (ITU-T X.667).

use std::str::FromStr;

use der::{DecodeValue, EncodeValue, ErrorKind, FixedTag, Header, Length, Reader, Tag, Writer};

/// Bytes of an identifier at most: three times what one made from a UUID has.
const BYTES_MAX: usize = 64;

/// An OBJECT IDENTIFIER, as DER writes its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oid(Vec<u8>);

/// Bits of an arc that everybody reads: Go refuses whole files for arcs from 2^31 on, others from 2^28 on, where an arc
/// takes a fifth byte.
const READABLE_BITS: usize = 28;

/// Whether every verifier can read this content of an OBJECT IDENTIFIER: all its arcs are below 2^28, as they are encoded (the
/// first two are one).
pub(crate) fn is_readable(content: &[u8]) -> bool {
    content.split_inclusive(|byte| byte & 0x80 == 0).all(|arc| 7 * arc.len() <= READABLE_BITS)
}

impl Oid {
    /// Whether every verifier can read it.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        is_readable(&self.0)
    }
}

/// A text that is not an object identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoOid;

impl FromStr for Oid {
    type Err = NoOid;

    /// Dotted decimal numbers of at most 128 bits, without leading zeros (X.660: the first is 0, 1 or 2, and below 0 and 1
    /// the second is at most 39).
    fn from_str(text: &str) -> Result<Self, NoOid> {
        let arcs = text.split('.').map(arc).collect::<Option<Vec<_>>>().ok_or(NoOid)?;
        let [top @ 0..=2, second, ref rest @ ..] = arcs[..] else { return Err(NoOid) };
        if top < 2 && second > 39 {
            return Err(NoOid);
        }
        let mut bytes = Vec::new();
        push(&mut bytes, second.checked_add(top * 40).ok_or(NoOid)?);
        rest.iter().for_each(|arc| push(&mut bytes, *arc));
        if bytes.len() > BYTES_MAX { Err(NoOid) } else { Ok(Self(bytes)) }
    }
}

fn arc(text: &str) -> Option<u128> {
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}

/// Seven bits a byte, most significant first, all but the last with the top bit set (X.690, 8.19).
fn push(bytes: &mut Vec<u8>, arc: u128) {
    let len = (128 - arc.leading_zeros()).div_ceil(7).max(1);
    for index in (0..len).rev() {
        let [low, ..] = (arc >> (7 * index)).to_le_bytes();
        bytes.push(low & 0x7f | if index == 0 { 0 } else { 0x80 });
    }
}

impl FixedTag for Oid {
    const TAG: Tag = Tag::ObjectIdentifier;
}

impl<'a> DecodeValue<'a> for Oid {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        let bytes = reader.read_vec(header.length())?;
        let ends = bytes.last().is_some_and(|last| last & 0x80 == 0);
        let starts = |index: usize| index == 0 || bytes[index - 1] & 0x80 == 0;
        let padded = bytes.iter().enumerate().any(|(index, byte)| *byte == 0x80 && starts(index));
        if !ends || padded || bytes.len() > BYTES_MAX {
            return Err(reader.error(ErrorKind::OidMalformed));
        }
        Ok(Self(bytes))
    }
}

impl EncodeValue for Oid {
    fn value_len(&self) -> der::Result<Length> {
        Length::try_from(self.0.len())
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        writer.write(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use chancery_testkit::Tool;
    use der::{Decode, Encode};

    use super::*;

    #[test]
    fn openssl_reads_what_is_written() {
        for text in
            ["0.4.0.2023.1.1", "1.3.6.1.4.1.311.3.3.1", "2.999", "2.25.320781712739444776180356191924422156348", "1.0"]
        {
            let der = text.parse::<Oid>().unwrap().to_der().unwrap();
            assert_eq!(Oid::from_der(&der).unwrap(), text.parse().unwrap());
            let shown = Tool::new("openssl").args(["asn1parse", "-inform", "DER"]).input(der).run().text();
            let known = text == "1.3.6.1.4.1.311.3.3.1" || shown.trim_end().ends_with(&format!(":{text}"));
            assert!(known, "{text}: {shown}");
        }
    }

    #[test]
    fn arcs_of_28_bits_can_be_read_by_all_and_larger_ones_cannot() {
        for (text, is_readable) in [
            ("1.3.6.1.4.1.99999.1", true),
            ("2.999.3161.1", true),
            ("1.2.268435455.1", true),
            ("1.2.268435456.1", false),
            ("2.268435375", true),
            // 80 + the second arc is what is encoded.
            ("2.268435376", false),
            ("2.25.165084092700511969831031241147850479574", false),
        ] {
            assert_eq!(text.parse::<Oid>().unwrap().is_readable(), is_readable, "{text}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        let long = format!("1.2{}", ".268435456".repeat(13));
        for text in ["", "1", "3.1", "0.40", "1.40", "1..2", "1.02", "1.+2", "1.2.", "a.b", "1.-2", &long] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
        format!("2.25.{}", u128::MAX).parse::<Oid>().unwrap();
        assert!(format!("2.{}", u128::MAX).parse::<Oid>().is_err());
        for der in [&[6, 0][..], &[6, 1, 0x80], &[6, 2, 0x2a, 0x81], &[6, 3, 0x2a, 0x80, 1], &[6, 2, 0x2a]] {
            assert!(Oid::from_der(der).is_err(), "{der:?}");
        }
    }
}
