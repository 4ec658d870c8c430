//! BER as LDAP restricts it (RFC 4511, 5.1): definite lengths, tags of one byte, primitive strings.

use std::io::{self, Read};

use zeroize::Zeroizing;

/// Bytes of a message that is read. What is asked for are two entries with one attribute each.
const MESSAGE_MAX: usize = 64 * 1_024;

pub(crate) const BOOLEAN: u8 = 0x01;
pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const ENUMERATED: u8 = 0x0a;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;

/// What is written; passwords are among it.
pub(crate) type Bytes = Zeroizing<Vec<u8>>;

/// Tag, length and content, the content in parts.
pub(crate) fn tlv(tag: u8, parts: &[&[u8]]) -> Bytes {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    // All at once: a buffer that grows would leave copies of passwords behind.
    let mut written = Zeroizing::new(Vec::with_capacity(length + 6));
    written.push(tag);
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => written.push(short),
        Ok(_) | Err(_) => {
            let bytes = length.to_be_bytes();
            let bytes = &bytes[bytes.len() - 4..];
            written.push(0x84);
            written.extend_from_slice(bytes);
        }
    }
    parts.iter().for_each(|part| written.extend_from_slice(part));
    written
}

/// A number that is not negative.
pub(crate) fn number(tag: u8, number: u32) -> Bytes {
    let bytes = number.to_be_bytes();
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len() - 1);
    // The first bit is a sign.
    let sign: &[u8] = if bytes[start] >= 0x80 { &[0] } else { &[] };
    tlv(tag, &[sign, &bytes[start..]])
}

/// Bytes that are not what they ought to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Reads one value after the other.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The tag and the content of the next value.
    pub(crate) fn next(&mut self) -> Result<(u8, &'a [u8]), Malformed> {
        let (&tag, rest) = self.0.split_first().ok_or(Malformed)?;
        let (&first, mut rest) = rest.split_first().ok_or(Malformed)?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            let (bytes, after) = rest.split_at_checked(octets_of_length(first)?).ok_or(Malformed)?;
            (length, rest) = (long_length(bytes)?, after);
        }
        let (content, rest) = rest.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok((tag, content))
    }

    /// The content of the next value, which has this tag.
    pub(crate) fn expect(&mut self, tag: u8) -> Result<&'a [u8], Malformed> {
        self.next().and_then(|(found, content)| if found == tag { Ok(content) } else { Err(Malformed) })
    }

    /// A number that is not negative.
    pub(crate) fn number(&mut self, tag: u8) -> Result<u32, Malformed> {
        let content = self.expect(tag)?;
        let is_one = matches!(content, [0..=0x7f, ..]) && content.len() <= 4;
        let all = content.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte));
        if is_one { Ok(all) } else { Err(Malformed) }
    }
}

/// How many octets a long length has; the indefinite form is none.
fn octets_of_length(first: u8) -> Result<usize, Malformed> {
    // Active Directory always writes four of them.
    let octets = usize::from(first & 0x7f);
    if (1..=4).contains(&octets) { Ok(octets) } else { Err(Malformed) }
}

fn long_length(octets: &[u8]) -> Result<usize, Malformed> {
    let length = octets.iter().fold(0_u64, |length, byte| (length << 8) | u64::from(*byte));
    usize::try_from(length).map_err(|_| Malformed)
}

/// Why there is no message.
#[derive(Debug)]
pub(crate) enum NoMessage {
    Io(io::Error),
    /// No sequence of a definite length.
    Malformed,
    TooLong,
}

/// The content of the next message, and not a byte of what follows it: after StartTLS that is TLS.
pub(crate) fn read_message(stream: &mut (impl Read + ?Sized)) -> Result<Vec<u8>, NoMessage> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).map_err(NoMessage::Io)?;
    let [tag, first] = head;
    if tag != SEQUENCE {
        return Err(NoMessage::Malformed);
    }
    let mut length = usize::from(first);
    if first >= 0x80 {
        let mut octets = [0; 4];
        let octets = &mut octets[..octets_of_length(first).map_err(|Malformed| NoMessage::Malformed)?];
        stream.read_exact(octets).map_err(NoMessage::Io)?;
        length = long_length(octets).map_err(|Malformed| NoMessage::Malformed)?;
    }
    if length > MESSAGE_MAX {
        return Err(NoMessage::TooLong);
    }
    let mut content = vec![0; length];
    stream.read_exact(&mut content).map_err(NoMessage::Io)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_asn1_has_them_and_read_again() {
        for (value, written) in [
            (0, &[2, 1, 0][..]),
            (127, &[2, 1, 127]),
            (128, &[2, 2, 0, 128]),
            (256, &[2, 2, 1, 0]),
            (0x7fff_ffff, &[2, 4, 0x7f, 0xff, 0xff, 0xff]),
        ] {
            assert_eq!(*number(INTEGER, value), written);
            assert_eq!(Reader::new(written).number(INTEGER), Ok(value));
        }
        for wrong in [&[2, 0][..], &[2, 1, 0x80], &[2, 5, 0, 0, 0, 0, 1], &[10, 1, 0], &[2, 2, 0]] {
            assert_eq!(Reader::new(wrong).number(INTEGER), Err(Malformed), "{wrong:?}");
        }
    }

    #[test]
    fn lengths_are_definite_and_within_what_is_there() {
        let long = tlv(OCTET_STRING, &[&[7; 100], &[8; 100]]);
        assert_eq!(&long[..6], [4, 0x84, 0, 0, 0, 200]);
        let mut reader = Reader::new(&long);
        assert_eq!(reader.expect(OCTET_STRING).map(<[u8]>::len), Ok(200));
        assert!(reader.is_at_end());
        for wrong in [
            &[4][..],
            &[4, 1],
            &[4, 0x80, 0, 0],
            &[4, 0x85, 0, 0, 0, 0, 0],
            &[4, 0x84, 0xff, 0xff, 0xff, 0xff],
            &[4, 0x82, 1],
            &[4, 0xff],
        ] {
            assert_eq!(Reader::new(wrong).next(), Err(Malformed), "{wrong:?}");
        }
        // As Active Directory writes it.
        assert_eq!(Reader::new(&[4, 0x84, 0, 0, 0, 1, 9]).next(), Ok((4, &[9][..])));
    }

    #[test]
    fn a_message_is_bounded_before_it_is_read() {
        let read = |bytes: &[u8]| read_message(&mut &*bytes);
        assert_eq!(read(&[0x30, 2, 1, 2, 3]).unwrap(), [1, 2]);
        assert!(matches!(read(&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]), Err(NoMessage::TooLong)));
        assert!(matches!(read(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), Err(NoMessage::TooLong)));
        assert!(matches!(read(&[0x30, 0x80, 0, 0]), Err(NoMessage::Malformed)));
        assert!(matches!(read(&[0x16, 3, 1]), Err(NoMessage::Malformed)));
        assert!(matches!(read(&[0x30, 3, 1]), Err(NoMessage::Io(_))));
        assert!(matches!(read(&[]), Err(NoMessage::Io(_))));
    }
}
