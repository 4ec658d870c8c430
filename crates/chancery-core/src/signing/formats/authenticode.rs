//! Authenticode: what a CMS encloses in the place of a file (Microsoft, "Windows Authenticode Portable Executable
//! Signature Format", and for installers and scripts what Windows' own tools write).

use chancery_keys::{Digest, hash};
use chancery_types::SigningFormat;
use der::{
    Any, Decode, Encode, Sequence,
    asn1::{ObjectIdentifier, OctetString},
};
use spki::AlgorithmIdentifierOwned;

use super::cms::{self, Signed};

const SPC_STATEMENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.11");
const SPC_SP_OPUS_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.12");
const SPC_INDIRECT_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.4");
const SPC_PE_IMAGE_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.15");
const SPC_SIP_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.30");
/// The signer is an individual or an organisation; Windows tells them apart no more.
const INDIVIDUAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.21");

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

#[derive(Sequence)]
struct SpcSpOpusInfo {}

/// What stands for a file with this digest.
///
/// # Errors
/// When a part cannot be encoded.
pub(crate) fn indirect_data(
    format: SigningFormat,
    digest_algorithm: &AlgorithmIdentifierOwned,
    digest: &Digest,
) -> der::Result<Signed> {
    let (r#type, value) = match format {
        SigningFormat::Msi => (SPC_SIP_INFO, sip_info(1, MSI_HANDLER)?),
        SigningFormat::Powershell => (SPC_SIP_INFO, sip_info(0x1_0000, POWERSHELL_HANDLER)?),
        SigningFormat::Authenticode | SigningFormat::Raw | SigningFormat::Cms | SigningFormat::JavaJar => {
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
            cms::attribute(SPC_SP_OPUS_INFO, &SpcSpOpusInfo {})?,
            cms::attribute(SPC_STATEMENT_TYPE, &SpcStatementType { purpose: INDIVIDUAL })?,
        ],
    })
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
