//! The messages of RFC 4511 that are sent, and those that answer them.

use crate::ber::{self, BOOLEAN, Bytes, ENUMERATED, INTEGER, Malformed, OCTET_STRING, Reader, SEQUENCE, SET, tlv};

/// What StartTLS is called (RFC 4511, 4.14.1).
const START_TLS: &[u8] = b"1.3.6.1.4.1.1466.20037";

/// Characters of a directory's own words that are kept for the log.
const TEXT_MAX: usize = 200;

/// Entries that a search asks for: a second one tells that there is not exactly one.
const ENTRIES_MAX: u32 = 2;

fn message(id: u32, operation: &Bytes) -> Bytes {
    tlv(SEQUENCE, &[&ber::number(INTEGER, id), operation])
}

/// A simple bind (4.2).
pub(crate) fn bind(id: u32, name: &str, password: &[u8]) -> Bytes {
    let (version, name) = (ber::number(INTEGER, 3), tlv(OCTET_STRING, &[name.as_bytes()]));
    message(id, &tlv(0x60, &[&version, &name, &tlv(0x80, &[password])]))
}

/// Which entries are searched for, below what or it alone.
pub(crate) struct Search<'a> {
    pub(crate) base: &'a str,
    pub(crate) is_of_base_alone: bool,
    pub(crate) filter: Bytes,
    pub(crate) attribute: &'a str,
    pub(crate) time_limit_s: u32,
}

/// A search (4.5.1) that follows no aliases.
pub(crate) fn search(id: u32, search: &Search<'_>) -> Bytes {
    let scope = if search.is_of_base_alone { 0 } else { 2 };
    let attribute = tlv(OCTET_STRING, &[search.attribute.as_bytes()]);
    let parts = [
        tlv(OCTET_STRING, &[search.base.as_bytes()]),
        ber::number(ENUMERATED, scope),
        ber::number(ENUMERATED, 0),
        ber::number(INTEGER, ENTRIES_MAX),
        ber::number(INTEGER, search.time_limit_s),
        tlv(BOOLEAN, &[&[0]]),
        search.filter.clone(),
        tlv(SEQUENCE, &[&attribute]),
    ];
    message(id, &tlv(0x63, &parts.each_ref().map(|part| part.as_slice())))
}

/// The request for TLS.
pub(crate) fn start_tls(id: u32) -> Bytes {
    message(id, &tlv(0x77, &[&tlv(0x80, &[START_TLS])]))
}

/// The end (4.3), which nothing answers.
pub(crate) fn unbind(id: u32) -> Bytes {
    message(id, &tlv(0x42, &[]))
}

/// What a directory answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Bound(Outcome),
    Entry(Entry),
    /// Where the search would go on elsewhere, if it were followed.
    Reference,
    SearchDone(Outcome),
    Extended(Outcome),
}

/// How an operation ended (4.1.9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The result code.
    pub code: u32,
    /// The directory's own words, some of them, for the log.
    pub text: String,
}

/// An entry that was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The values of the attribute that was asked for.
    pub(crate) values: Vec<Vec<u8>>,
}

/// The number of the request that a message answers, and what it says; of an entry the values of this attribute.
pub(crate) fn read(content: &[u8], attribute: &str) -> Result<(u32, Operation), Malformed> {
    let mut message = Reader::new(content);
    let id = message.number(INTEGER)?;
    let (tag, content) = message.next()?;
    // Controls may follow, of which none was asked for.
    let operation = match tag {
        0x61 => Operation::Bound(outcome(content)?),
        0x64 => Operation::Entry(entry(content, attribute)?),
        0x65 => Operation::SearchDone(outcome(content)?),
        0x73 => Operation::Reference,
        0x78 => Operation::Extended(outcome(content)?),
        _ => return Err(Malformed),
    };
    Ok((id, operation))
}

fn outcome(content: &[u8]) -> Result<Outcome, Malformed> {
    let mut result = Reader::new(content);
    let code = result.number(ENUMERATED)?;
    result.expect(OCTET_STRING)?;
    let text = String::from_utf8_lossy(result.expect(OCTET_STRING)?);
    let text = text.chars().filter(|c| !c.is_control()).take(TEXT_MAX).collect();
    Ok(Outcome { code, text })
}

fn entry(content: &[u8], attribute: &str) -> Result<Entry, Malformed> {
    let mut entry = Reader::new(content);
    let name = std::str::from_utf8(entry.expect(OCTET_STRING)?).map_err(|_| Malformed)?;
    let (mut attributes, mut values) = (Reader::new(entry.expect(SEQUENCE)?), Vec::new());
    while !attributes.is_at_end() {
        let mut pair = Reader::new(attributes.expect(SEQUENCE)?);
        let is_asked_for = pair.expect(OCTET_STRING)?.eq_ignore_ascii_case(attribute.as_bytes());
        let mut set = Reader::new(pair.expect(SET)?);
        while is_asked_for && !set.is_at_end() {
            values.push(set.expect(OCTET_STRING)?.to_vec());
        }
    }
    Ok(Entry { name: name.to_owned(), values })
}
