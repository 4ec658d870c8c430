//! Looks into a CMS (RFC 5652), whoever wrote it, and adds an attribute to its signer.
//!
//! ```text
//! ContentInfo ::= SEQUENCE {
//!   contentType       OBJECT IDENTIFIER,
//!   content       [0] EXPLICIT SignedData }
//!
//! SignedData ::= SEQUENCE {
//!   version           INTEGER,
//!   …
//!   signerInfos       SET OF SignerInfo }
//!
//! SignerInfo ::= SEQUENCE {
//!   version           INTEGER,
//!   sid               ANY,
//!   digestAlgorithm   AlgorithmIdentifier,
//!   signedAttrs   [0] IMPLICIT SET OF Attribute OPTIONAL,
//!   signatureAlgorithm AlgorithmIdentifier,
//!   signature         OCTET STRING,
//!   unsignedAttrs [1] IMPLICIT SET OF Attribute OPTIONAL }
//! ```
//!
//! Elements are borrowed from the file and read as deep as they are needed, so that nothing nests and nothing is copied
//! because a file says so.

use der::{
    Decode, Encode, Reader, SliceReader, Tag, TagNumber, Tagged,
    asn1::{AnyRef, ObjectIdentifier},
};

use crate::Unfit;

/// A signature inside a signature, as an unsigned attribute of its signer.
const NESTED_SIGNATURE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.4.1");

const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

const CONTENT: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };
const UNSIGNED_ATTRS: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(1) };

/// The place of `signatureAlgorithm` in a signer that has signed attributes.
const SIGNATURE_ALGORITHM: usize = 4;

/// All elements of `bytes`, which has nothing else.
fn all(bytes: &[u8]) -> Option<Vec<AnyRef<'_>>> {
    let mut reader = SliceReader::new(bytes).ok()?;
    let mut elements = Vec::new();
    while !reader.is_finished() {
        elements.push(AnyRef::decode(&mut reader).ok()?);
    }
    Some(elements)
}

/// The first element of `bytes`, whatever follows it.
fn first(bytes: &[u8]) -> Option<AnyRef<'_>> {
    AnyRef::decode(&mut SliceReader::new(bytes).ok()?).ok()
}

fn encode(element: AnyRef<'_>) -> Option<Vec<u8>> {
    element.to_der().ok()
}

/// An element with these parts.
fn joined(tag: Tag, parts: &[Vec<u8>]) -> Option<Vec<u8>> {
    encode(AnyRef::new(tag, &parts.concat()).ok()?)
}

/// DER sorts the elements of a SET OF.
fn set_of(tag: Tag, mut parts: Vec<Vec<u8>>) -> Option<Vec<u8>> {
    parts.sort();
    joined(tag, &parts)
}

fn encoded(elements: &[AnyRef<'_>]) -> Option<Vec<Vec<u8>>> {
    elements.iter().copied().map(encode).collect()
}

/// A CMS, opened down to its one signer.
struct Opened<'a> {
    content_type: AnyRef<'a>,
    /// What stands before the signers.
    signed_data: Vec<AnyRef<'a>>,
    signer: Vec<AnyRef<'a>>,
}

fn open(cms: &[u8]) -> Option<Opened<'_>> {
    // The space for a signature may be padded with zeros.
    let content_info = first(cms).filter(|info| info.tag() == Tag::Sequence)?;
    let [content_type, content] = all(content_info.value())?[..] else { return None };
    let mut signed_data = all(first(content.value())?.value())?;
    let signers = signed_data.pop().filter(|last| last.tag() == Tag::Set)?;
    let [signer] = all(signers.value())?[..] else { return None };
    Some(Opened { content_type, signed_data, signer: all(signer.value())? })
}

/// Nests a CMS in an existing one, as an unsigned attribute of its signer.
pub(crate) fn nest(existing: &[u8], cms: &[u8]) -> Result<Vec<u8>, Unfit> {
    nested(existing, cms)
        .ok_or(Unfit("The existing signature is no CMS of one signer, so nothing can be appended to it."))
}

fn nested(existing: &[u8], cms: &[u8]) -> Option<Vec<u8>> {
    let Opened { content_type, signed_data, mut signer } = open(existing)?;
    let unsigned = signer.pop_if(|last| last.tag() == UNSIGNED_ATTRS);
    let mut signatures = vec![cms.to_vec()];
    let mut others = Vec::new();
    for attribute in unsigned.map_or_else(|| Some(Vec::new()), |unsigned| all(unsigned.value()))? {
        match all(attribute.value())?[..] {
            [kind, values] if kind.decode_as() == Ok(NESTED_SIGNATURE) => {
                signatures.extend(encoded(&all(values.value())?)?);
            }
            _ => others.push(encode(attribute)?),
        }
    }
    let signatures = [NESTED_SIGNATURE.to_der().ok()?, set_of(Tag::Set, signatures)?];
    others.push(joined(Tag::Sequence, &signatures)?);
    let mut signer = encoded(&signer).filter(|parts| !parts.is_empty())?;
    signer.push(set_of(UNSIGNED_ATTRS, others)?);
    let mut signed_data = encoded(&signed_data)?;
    signed_data.push(joined(Tag::Set, &[joined(Tag::Sequence, &signer)?])?);
    let content = joined(CONTENT, &[joined(Tag::Sequence, &signed_data)?])?;
    joined(Tag::Sequence, &[encode(content_type)?, content])
}

/// A CMS without what fills its place up.
pub(crate) fn without_padding(mut cms: Vec<u8>) -> Vec<u8> {
    if let Some(len) = first(&cms).and_then(encode).map(|own| own.len()) {
        cms.truncate(len);
    }
    cms
}

/// The signatures that are nested in a CMS.
pub(crate) fn nested_in(cms: &[u8]) -> Vec<Vec<u8>> {
    nested_values(cms).unwrap_or_default()
}

fn nested_values(cms: &[u8]) -> Option<Vec<Vec<u8>>> {
    let signer = open(cms)?.signer;
    let unsigned = signer.last().filter(|last| last.tag() == UNSIGNED_ATTRS)?;
    let mut signatures = Vec::new();
    for attribute in all(unsigned.value())? {
        if let [kind, values] = all(attribute.value())?[..]
            && kind.decode_as() == Ok(NESTED_SIGNATURE)
        {
            signatures.extend(encoded(&all(values.value())?)?);
        }
    }
    Some(signatures)
}

/// The ending of a JAR's signature block: the kind of key that signed.
pub(crate) fn block_ending(cms: &[u8]) -> Result<&'static str, Unfit> {
    let kind = kind_of_key(cms).ok_or(Unfit("The signature is no CMS of one signer."))?;
    Ok(if kind.decode_as() == Ok(RSA_ENCRYPTION) { "RSA" } else { "EC" })
}

fn kind_of_key(cms: &[u8]) -> Option<AnyRef<'_>> {
    first(open(cms)?.signer.get(SIGNATURE_ALGORITHM)?.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::STAND_IN;

    /// The unsigned attributes of the signer, each with its values.
    fn attributes(cms: &[u8]) -> Vec<(ObjectIdentifier, Vec<Vec<u8>>)> {
        let signer = open(cms).unwrap().signer;
        let unsigned = signer.last().filter(|last| last.tag() == UNSIGNED_ATTRS).unwrap();
        let read = |attribute: &AnyRef<'_>| {
            let [kind, values] = all(attribute.value()).unwrap()[..] else { panic!("two parts") };
            (kind.decode_as().unwrap(), encoded(&all(values.value()).unwrap()).unwrap())
        };
        all(unsigned.value()).unwrap().iter().map(read).collect()
    }

    #[test]
    fn signatures_are_nested_beside_those_that_are_there() {
        let once = nest(&[STAND_IN, &[0; 7]].concat(), b"\x04\x01b").unwrap();
        assert_eq!(attributes(&once), [(NESTED_SIGNATURE, vec![b"\x04\x01b".to_vec()])]);
        let twice = nest(&once, b"\x04\x01a").unwrap();
        assert_eq!(nested_in(&twice), [b"\x04\x01a", b"\x04\x01b"]);
        // As DER has a SET OF: sorted.
        assert_eq!(attributes(&twice), [(NESTED_SIGNATURE, vec![b"\x04\x01a".to_vec(), b"\x04\x01b".to_vec()])]);
        // All but the attribute is as it was.
        let [before, after] = [STAND_IN, &twice].map(|cms| open(cms).unwrap());
        assert_eq!((before.content_type, before.signed_data), (after.content_type, after.signed_data));
        assert_eq!(before.signer, after.signer[..before.signer.len()]);
        assert_eq!(block_ending(&twice).unwrap(), "RSA");
    }

    #[test]
    fn what_is_no_der_is_refused() {
        let with_header = |header: &[u8]| [header, &STAND_IN[2..]].concat();
        let (head, version, signer) = (&STAND_IN[2..5], &STAND_IN[9..12], &STAND_IN[14..]);
        let with_signers = |signers: &[Vec<u8>]| {
            let signed_data = joined(Tag::Sequence, &[version.to_vec(), joined(Tag::Set, signers)?])?;
            joined(Tag::Sequence, &[head.to_vec(), joined(CONTENT, &[signed_data])?])
        };
        assert_eq!(with_signers(&[signer.to_vec()]).unwrap(), STAND_IN);
        for (what, cms) in [
            ("nothing", vec![]),
            ("a length alone", vec![0x30]),
            ("no sequence", with_header(b"\x31\x26")),
            ("a length without an end", with_header(b"\x30\x80")),
            ("a length that could be shorter", with_header(b"\x30\x81\x26")),
            ("a length beyond the end", with_header(b"\x30\x84\xff\xff\xff\xff")),
            ("a length of more than four bytes", with_header(b"\x30\x85\x00\x00\x00\x00\x26")),
            ("a tag in several bytes without an end", vec![0xbf; 100]),
            ("one that ends before its signer", STAND_IN[..STAND_IN.len() - 1].to_vec()),
            ("no signer", with_signers(&[]).unwrap()),
            ("two signers", with_signers(&[signer.to_vec(), signer.to_vec()]).unwrap()),
            ("a signer without anything", with_signers(&[vec![0x30, 0]]).unwrap()),
        ] {
            assert!(nest(&cms, STAND_IN).is_err(), "{what}");
            assert!(block_ending(&cms).is_err(), "{what}");
        }
    }
}
