//! As much DER as it takes to look into a CMS and to add an attribute to it, whoever wrote it.

use crate::Unfit;

const NO_CMS: Unfit = Unfit("The existing signature is no CMS of one signer, so nothing can be appended to it.");

/// 1.3.6.1.4.1.311.2.4.1, a signature inside a signature.
const NESTED_SIGNATURE: &[u8] = &[0x06, 0x0a, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x04, 0x01];
/// 1.2.840.113549.1.1.1.
const RSA_ENCRYPTION: &[u8] = &[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const UNSIGNED_ATTRS: u8 = 0xa1;

/// One element: its tag, its content, and all of it.
#[derive(Clone, Copy)]
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    whole: &'a [u8],
}

/// The first element of `bytes`, and what follows it.
fn first(bytes: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let (&tag, &length) = (bytes.first()?, bytes.get(1)?);
    let (header, len) = match length {
        0..=0x7f => (2, usize::from(length)),
        0x81..=0x84 => {
            let count = usize::from(length & 0x7f);
            let len = bytes.get(2..2 + count)?.iter().fold(0_u64, |len, byte| len << 8 | u64::from(*byte));
            (2 + count, usize::try_from(len).ok()?)
        }
        _ => return None,
    };
    let end = header.checked_add(len)?;
    let whole = bytes.get(..end)?;
    Some((Element { tag, content: &whole[header..], whole }, &bytes[end..]))
}

/// All elements of `bytes`, which has nothing else.
fn all(mut bytes: &[u8]) -> Option<Vec<Element<'_>>> {
    let mut elements = Vec::new();
    while !bytes.is_empty() {
        let (element, rest) = first(bytes)?;
        elements.push(element);
        bytes = rest;
    }
    Some(elements)
}

fn encode(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    let mut der = vec![tag];
    if len < 0x80 {
        // Below 128, so it fits.
        der.push(len.to_le_bytes()[0]);
    } else {
        let bytes = len.to_be_bytes();
        let significant = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
        der.push(0x80 | significant.len().to_le_bytes()[0]);
        der.extend_from_slice(significant);
    }
    parts.iter().for_each(|part| der.extend_from_slice(part));
    der
}

/// A CMS, opened down to its one signer.
struct Opened<'a> {
    content_type: &'a [u8],
    signed_data: Vec<Element<'a>>,
    signer: Vec<Element<'a>>,
}

fn open(cms: &[u8]) -> Option<Opened<'_>> {
    // The space for a signature may be padded with zeros.
    let (content_info, _padding) = first(cms).filter(|(info, _)| info.tag == SEQUENCE)?;
    let [content_type, content] = all(content_info.content)?[..] else { return None };
    let (signed_data, _) = first(content.content)?;
    let signed_data = all(signed_data.content)?;
    let signers = signed_data.last().filter(|last| last.tag == SET)?;
    let [signer] = all(signers.content)?[..] else { return None };
    Some(Opened { content_type: content_type.whole, signed_data, signer: all(signer.content)? })
}

/// Nests a CMS in an existing one, as an unsigned attribute of its signer.
pub(crate) fn nest(existing: &[u8], cms: &[u8]) -> Result<Vec<u8>, Unfit> {
    let Opened { content_type, signed_data, signer } = open(existing).ok_or(NO_CMS)?;
    let (mut signer, attributes) = match signer.split_last() {
        Some((last, rest)) if last.tag == UNSIGNED_ATTRS => (rest.to_vec(), all(last.content).ok_or(NO_CMS)?),
        Some(_) => (signer, Vec::new()),
        None => return Err(NO_CMS),
    };
    let mut nested = vec![cms.to_vec()];
    let mut others = Vec::new();
    for attribute in attributes {
        let parts = all(attribute.content).ok_or(NO_CMS)?;
        match parts[..] {
            [oid, values] if oid.whole == NESTED_SIGNATURE => {
                nested.extend(all(values.content).ok_or(NO_CMS)?.iter().map(|value| value.whole.to_vec()));
            }
            _ => others.push(attribute.whole.to_vec()),
        }
    }
    // DER sorts the elements of a SET OF.
    nested.sort();
    let values = encode(SET, &nested.iter().map(Vec::as_slice).collect::<Vec<_>>());
    others.push(encode(SEQUENCE, &[NESTED_SIGNATURE, &values]));
    others.sort();
    let attributes = encode(UNSIGNED_ATTRS, &others.iter().map(Vec::as_slice).collect::<Vec<_>>());
    signer.extend(first(&attributes).map(|(element, _)| element));
    let signer = encode(SEQUENCE, &wholes(&signer));
    let signers = encode(SET, &[&signer]);
    let mut parts = wholes(&signed_data);
    parts.pop();
    parts.push(&signers);
    let content = encode(0xa0, &[&encode(SEQUENCE, &parts)]);
    Ok(encode(SEQUENCE, &[content_type, &content]))
}

fn wholes<'a>(elements: &[Element<'a>]) -> Vec<&'a [u8]> {
    elements.iter().map(|element| element.whole).collect()
}

/// The ending of a JAR's signature block: the kind of key that signed.
pub(crate) fn block_ending(cms: &[u8]) -> Result<&'static str, Unfit> {
    let no_cms = Unfit("The signature is no CMS of one signer.");
    let signer = open(cms).ok_or(no_cms)?.signer;
    // version, sid, digestAlgorithm, signedAttrs, signatureAlgorithm, signature.
    let algorithm = signer.get(4).and_then(|algorithm| first(algorithm.content)).ok_or(no_cms)?;
    Ok(if algorithm.0.whole == RSA_ENCRYPTION { "RSA" } else { "EC" })
}
