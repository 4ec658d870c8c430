//! Times before 1970 in certificates, which the DER library does not know: it counts seconds since then.

use der::{Decode, Length, Reader, SliceReader, asn1::UtcTime};

const UTC_TIME: u8 = 0x17;
const VERSION: u8 = 0xa0;

/// The earliest time that the library knows.
const EARLIEST: &[u8; 13] = b"700101000000Z";

/// The same certificate with 1970 in the place of the times of its validity that lie before; `None` where none does. Paths
/// are about now, so it makes no difference to them; the signature is over the original.
pub(super) fn as_of_1970(certificate: &[u8]) -> Option<Vec<u8>> {
    let whole = Place::of(certificate, 0)?;
    let to_be_signed = Place::of(certificate, whole.begin)?;
    let first = Place::of(certificate, to_be_signed.begin)?;
    // Version, serial number, algorithm, issuer.
    let mut at = if first.tag == VERSION { first.end } else { to_be_signed.begin };
    for _ in 0..3 {
        at = Place::of(certificate, at)?.end;
    }
    let validity = Place::of(certificate, at)?;
    let not_before = Place::of(certificate, validity.begin)?;
    let not_after = Place::of(certificate, not_before.end)?;
    let mut changed = certificate.to_vec();
    for time in [not_before, not_after] {
        let text = changed.get_mut(time.begin..time.end)?;
        if time.tag == UTC_TIME && is_early(text) {
            text.copy_from_slice(EARLIEST);
        }
    }
    (changed != certificate).then_some(changed)
}

/// Whether this is a time from 1950 to 1969: years of two digits are those of 1950 to 2049 (RFC 5280, 4.1.2.5.1).
fn is_early(text: &[u8]) -> bool {
    if text.len() != EARLIEST.len() || !(b'5'..=b'6').contains(&text[0]) || !text[1].is_ascii_digit() {
        return false;
    }
    // A time that is none is not made one: 1972 has all the days that a year can have.
    let mut der = vec![UTC_TIME, 13];
    der.extend(b"72");
    der.extend(&text[2..]);
    UtcTime::from_der(&der).is_ok()
}

/// Where the contents of a value lie.
struct Place {
    tag: u8,
    begin: usize,
    end: usize,
}

impl Place {
    /// Of the value that begins here.
    fn of(der: &[u8], at: usize) -> Option<Self> {
        let mut reader = SliceReader::new(der.get(at..)?).ok()?;
        let tag = reader.read_byte().ok()?;
        let length = usize::try_from(Length::decode(&mut reader).ok()?).ok()?;
        let begin = at.checked_add(usize::try_from(reader.position()).ok()?)?;
        let end = begin.checked_add(length).filter(|end| *end <= der.len())?;
        Some(Self { tag, begin, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As much of a certificate as is looked at, with these times.
    fn certificate(not_before: &str, not_after: &str) -> Vec<u8> {
        let value = |tag: u8, contents: &[u8]| [&[tag, u8::try_from(contents.len()).unwrap()][..], contents].concat();
        let times = [value(UTC_TIME, not_before.as_bytes()), value(UTC_TIME, not_after.as_bytes())].concat();
        let parts =
            [value(VERSION, &[2, 1, 2]), value(2, &[1]), value(0x30, &[]), value(0x30, &[]), value(0x30, &times)];
        value(0x30, &value(0x30, &parts.concat()))
    }

    #[test]
    fn times_before_1970_are_1970_and_no_others_change() {
        let later = "300101000000Z";
        let expected = certificate("700101000000Z", later);
        for early in ["500101000000Z", "690228235959Z", "600229120000Z"] {
            assert_eq!(as_of_1970(&certificate(early, later)), Some(expected.clone()), "{early}");
        }
        let both = certificate("700101000000Z", "700101000000Z");
        assert_eq!(as_of_1970(&certificate("500101000000Z", "510101000000Z")), Some(both));
        for same in
            ["700101000000Z", "490101000000Z", "501301000000Z", "500132000000Z", "5001010000Z", "", "500101000000+"]
        {
            assert_eq!(as_of_1970(&certificate(same, later)), None, "{same}");
        }
        let whole = certificate("500101000000Z", later);
        for length in 0..whole.len() {
            assert_eq!(as_of_1970(&whole[..length]), None, "{length}");
        }
    }
}
