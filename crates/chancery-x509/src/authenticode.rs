//! Authenticode: what a CMS encloses in the place of a file (Microsoft, "Windows Authenticode Portable Executable
//! Signature Format", and for installers and scripts what Windows' own tools write).

use chancery_keys::{Digest, hash};
use chancery_types::SigningFormat;
use der::{
    Any, Decode, Encode, Sequence, Tag, TagNumber,
    asn1::{BitString, ObjectIdentifier, OctetString},
};
use spki::AlgorithmIdentifierOwned;

use crate::cms::{self, Signed};

const SPC_STATEMENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.11");
const SPC_SP_OPUS_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.12");
/// SpcIndirectDataContent.
pub const SPC_INDIRECT_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.4");
const SPC_PE_IMAGE_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.15");
const SPC_SIP_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.30");
/// The signer is an individual or an organisation; Windows tells them apart no more.
const INDIVIDUAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.21");

const SPC_PE_IMAGE_PAGE_HASHES_V2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.3.2");
/// The class of serialized page hashes, as a GUID: {D586B5A6-A1B4-6624-AE05-A217DA8E60D6}.
const PAGE_HASHES_CLASS: [u8; 16] =
    [0xa6, 0xb5, 0x86, 0xd5, 0xb4, 0xa1, 0x24, 0x66, 0xae, 0x05, 0xa2, 0x17, 0xda, 0x8e, 0x60, 0xd6];

/// `SpcPeImageData`: no flags, and as the file the words that every tool writes there.
const PE_IMAGE_DATA: &[u8] = b"\x30\x25\x03\x01\x00\xa0\x20\xa2\x1e\x80\x1c\
    \0<\0<\0<\0O\0b\0s\0o\0l\0e\0t\0e\0>\0>\0>";
/// The handlers of installers and of scripts in Windows, as GUIDs: {000C10F1-0000-0000-C000-000000000046} and
/// {603BCC1F-4B59-4E08-B724-D2C6297EF351}.
const MSI_HANDLER: [u8; 16] = [0xf1, 0x10, 0x0c, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46];
const POWERSHELL_HANDLER: [u8; 16] =
    [0x1f, 0xcc, 0x3b, 0x60, 0x59, 0x4b, 0x08, 0x4e, 0xb7, 0x24, 0xd2, 0xc6, 0x29, 0x7e, 0xf3, 0x51];

/// ```text
/// SpcIndirectDataContent ::= SEQUENCE {
///   data SpcAttributeTypeAndOptionalValue,
///   messageDigest DigestInfo }
/// ```
#[derive(Sequence)]
struct SpcIndirectDataContent {
    data: SpcAttributeTypeAndOptionalValue,
    message_digest: DigestInfo,
}

/// ```text
/// SpcAttributeTypeAndOptionalValue ::= SEQUENCE { type OBJECT IDENTIFIER, value [0] EXPLICIT ANY OPTIONAL }
/// ```
/// In spite of its definition every tool writes the value without a tag.
#[derive(Sequence)]
struct SpcAttributeTypeAndOptionalValue {
    r#type: ObjectIdentifier,
    value: Any,
}

/// ```text
/// DigestInfo ::= SEQUENCE { digestAlgorithm AlgorithmIdentifier, digest OCTET STRING }
/// ```
#[derive(Sequence)]
struct DigestInfo {
    digest_algorithm: AlgorithmIdentifierOwned,
    digest: OctetString,
}

/// ```text
/// SpcSipInfo ::= SEQUENCE { version INTEGER, handler OCTET STRING, reserved1 … reserved5 INTEGER }
/// ```
#[derive(Sequence)]
struct SpcSipInfo {
    version: u32,
    handler: OctetString,
    reserved1: u8,
    reserved2: u8,
    reserved3: u8,
    reserved4: u8,
    reserved5: u8,
}

#[derive(Sequence)]
struct SpcStatementType {
    purpose: ObjectIdentifier,
}

/// What Windows shows of a signed program when it asks whether to run it: a name and an address, of which one at least is
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: Option<String>,
    /// Where there is more about it; ASCII.
    pub url: Option<String>,
}

/// What stands for a file with this digest.
///
/// # Errors
/// When a part cannot be encoded.
pub fn indirect_data(
    format: SigningFormat,
    digest_algorithm: &AlgorithmIdentifierOwned,
    digest: &Digest,
    page_hashes: Option<&[u8]>,
    program: Option<&Program>,
) -> der::Result<Signed> {
    let (r#type, value) = match (format, page_hashes) {
        (SigningFormat::Authenticode, Some(page_hashes)) => (SPC_PE_IMAGE_DATA, pe_image_data(page_hashes)?),
        (SigningFormat::Msi, _) => (SPC_SIP_INFO, sip_info(1, MSI_HANDLER)?),
        (SigningFormat::Powershell, _) => (SPC_SIP_INFO, sip_info(0x1_0000, POWERSHELL_HANDLER)?),
        (SigningFormat::Authenticode | SigningFormat::Raw | SigningFormat::Cms | SigningFormat::JavaJar, _) => {
            (SPC_PE_IMAGE_DATA, Any::from_der(PE_IMAGE_DATA)?)
        }
    };
    // Windows writes the parameters of hashes as NULL.
    let digest_algorithm = AlgorithmIdentifierOwned { oid: digest_algorithm.oid, parameters: Some(Any::null()) };
    let message_digest = DigestInfo { digest_algorithm, digest: OctetString::new(digest.as_bytes())? };
    let content = SpcIndirectDataContent { data: SpcAttributeTypeAndOptionalValue { r#type, value }, message_digest };
    let content = Any::from_der(&content.to_der()?)?;
    Ok(Signed {
        version: 1,
        with_certificates: true,
        content_type: SPC_INDIRECT_DATA,
        // Of the value alone, without tag and length.
        digest: hash(digest.hash(), content.value()).as_bytes().to_vec(),
        content: Some(content),
        attributes: vec![
            cms::attribute(SPC_SP_OPUS_INFO, &opus_info(program)?)?,
            cms::attribute(SPC_STATEMENT_TYPE, &SpcStatementType { purpose: INDIVIDUAL })?,
        ],
    })
}

/// The digest of the file for which such a content stands, and what made it.
pub fn file_digest(content: &Any) -> Option<(AlgorithmIdentifierOwned, Vec<u8>)> {
    let content = content.decode_as::<SpcIndirectDataContent>().ok()?;
    let DigestInfo { digest_algorithm, digest } = content.message_digest;
    Some((digest_algorithm, digest.into_bytes().to_vec()))
}

/// ```text
/// SpcSpOpusInfo ::= SEQUENCE {
///   programName [0] EXPLICIT SpcString OPTIONAL,
///   moreInfo [1] EXPLICIT SpcLink OPTIONAL }
/// SpcString ::= CHOICE { unicode [0] IMPLICIT BMPSTRING, ascii [1] IMPLICIT IA5STRING }
/// SpcLink ::= CHOICE { url [0] IMPLICIT IA5STRING, … }
/// ```
/// Windows reads the name as UTF-16.
fn opus_info(program: Option<&Program>) -> der::Result<Any> {
    let tag = |constructed, number| Tag::ContextSpecific { constructed, number: TagNumber(number) };
    let mut parts = Vec::new();
    if let Some(name) = program.and_then(|program| program.name.as_ref()) {
        let unicode: Vec<u8> = name.encode_utf16().flat_map(u16::to_be_bytes).collect();
        parts.push(encoded(tag(true, 0), &[encoded(tag(false, 0), &[unicode])?])?);
    }
    if let Some(url) = program.and_then(|program| program.url.as_ref()) {
        parts.push(encoded(tag(true, 1), &[encoded(tag(false, 0), &[url.clone().into_bytes()])?])?);
    }
    Any::from_der(&encoded(Tag::Sequence, &parts)?)
}

/// ```text
/// SpcPeImageData ::= SEQUENCE { flags SpcPeImageFlags, file [0] EXPLICIT SpcLink }
/// SpcLink ::= CHOICE { …, moniker [1] IMPLICIT SpcSerializedObject, … }
/// SpcSerializedObject ::= SEQUENCE { classId OCTET STRING, serializedData OCTET STRING }
/// ```
/// The serialized data is a SET of one attribute, whose values are a SET of one OCTET STRING.
fn pe_image_data(page_hashes: &[u8]) -> der::Result<Any> {
    let constructed = |number| Tag::ContextSpecific { constructed: true, number: TagNumber(number) };
    let values = encoded(Tag::Set, &[OctetString::new(page_hashes)?.to_der()?])?;
    let attribute = encoded(Tag::Sequence, &[SPC_PE_IMAGE_PAGE_HASHES_V2.to_der()?, values])?;
    let data = OctetString::new(encoded(Tag::Set, &[attribute])?)?.to_der()?;
    let moniker = encoded(constructed(1), &[OctetString::new(PAGE_HASHES_CLASS)?.to_der()?, data])?;
    let flags = BitString::from_bytes(&[])?.to_der()?;
    Any::from_der(&encoded(Tag::Sequence, &[flags, encoded(constructed(0), &[moniker])?])?)
}

fn encoded(tag: Tag, parts: &[Vec<u8>]) -> der::Result<Vec<u8>> {
    Any::new(tag, parts.concat())?.to_der()
}

fn sip_info(version: u32, handler: [u8; 16]) -> der::Result<Any> {
    let info = SpcSipInfo {
        version,
        handler: OctetString::new(handler)?,
        reserved1: 0,
        reserved2: 0,
        reserved3: 0,
        reserved4: 0,
        reserved5: 0,
    };
    Any::from_der(&info.to_der()?)
}
