//! Cryptographic Message Syntax (RFC 5652): SignedData with one signer, in two phases, so that the key may live
//! anywhere: [`prepare`] gives the bytes to be signed, [`Unsigned::assemble`] puts the signature in its place.

use const_oid::db::rfc5911::{
    ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_DATA, ID_MESSAGE_DIGEST, ID_SIGNED_DATA, ID_SIGNING_TIME,
};
use der::{
    Any, Decode, Encode, Sequence, ValueOrd,
    asn1::{ObjectIdentifier, OctetString, SetOfVec},
};
use sha2::{Digest as _, Sha256};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{attr::Attribute, certificate::Certificate, name::Name, serial_number::SerialNumber};

use crate::validity::x509_time;

/// ```text
/// ContentInfo ::= SEQUENCE {
///   contentType ContentType,
///   content [0] EXPLICIT ANY DEFINED BY contentType }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Debug, Sequence)]
pub struct ContentInfo {
    pub content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    pub content: SignedData,
}

/// ```text
/// SignedData ::= SEQUENCE {
///   version CMSVersion,
///   digestAlgorithms DigestAlgorithmIdentifiers,
///   encapContentInfo EncapsulatedContentInfo,
///   certificates [0] IMPLICIT CertificateSet OPTIONAL,
///   crls [1] IMPLICIT RevocationInfoChoices OPTIONAL,
///   signerInfos SignerInfos }
/// ```
/// `crls` is never written. Time stamps leave the certificates out where nobody asked for them.
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Debug, Sequence)]
pub struct SignedData {
    version: u8,
    pub digest_algorithms: SetOfVec<AlgorithmIdentifierOwned>,
    encap_content_info: EncapsulatedContentInfo,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub certificates: Option<SetOfVec<Any>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    crls: Option<SetOfVec<Any>>,
    pub signer_infos: SetOfVec<SignerInfo>,
}

/// ```text
/// EncapsulatedContentInfo ::= SEQUENCE {
///   eContentType ContentType,
///   eContent [0] EXPLICIT OCTET STRING OPTIONAL }
/// ```
/// A detached signature has no `eContent`. Authenticode's is no OCTET STRING, as in PKCS #7.
#[derive(Debug, Sequence)]
struct EncapsulatedContentInfo {
    e_content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    e_content: Option<Any>,
}

/// ```text
/// SignerInfo ::= SEQUENCE {
///   version CMSVersion,
///   sid SignerIdentifier,
///   digestAlgorithm DigestAlgorithmIdentifier,
///   signedAttrs [0] IMPLICIT SignedAttributes OPTIONAL,
///   signatureAlgorithm SignatureAlgorithmIdentifier,
///   signature SignatureValue,
///   unsignedAttrs [1] IMPLICIT UnsignedAttributes OPTIONAL }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Clone, Debug, Sequence, ValueOrd)]
pub struct SignerInfo {
    version: u8,
    pub sid: IssuerAndSerialNumber,
    pub digest_algorithm: AlgorithmIdentifierOwned,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true")]
    pub signed_attrs: SetOfVec<Attribute>,
    pub signature_algorithm: AlgorithmIdentifierOwned,
    pub signature: OctetString,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub unsigned_attrs: Option<SetOfVec<Attribute>>,
}

/// ```text
/// IssuerAndSerialNumber ::= SEQUENCE { issuer Name, serialNumber CertificateSerialNumber }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Clone, Debug, Sequence, ValueOrd)]
pub struct IssuerAndSerialNumber {
    pub issuer: Name,
    pub serial_number: SerialNumber,
}

/// ```text
/// SigningCertificateV2 ::= SEQUENCE { certs SEQUENCE OF ESSCertIDv2, policies … OPTIONAL }
/// ```
#[derive(Sequence)]
struct SigningCertificateV2 {
    certs: Vec<EssCertIdV2>,
}

/// ```text
/// ESSCertIDv2 ::= SEQUENCE {
///   hashAlgorithm AlgorithmIdentifier DEFAULT {algorithm id-sha256},
///   certHash Hash,
///   issuerSerial IssuerSerial OPTIONAL }
/// ```
/// (RFC 5035.) With SHA-256 DER leaves the algorithm out, and `issuerSerial` would repeat the signer's identifier.
#[derive(Sequence)]
struct EssCertIdV2 {
    cert_hash: OctetString,
}

impl SignedData {
    /// The kind of what was signed.
    pub const fn content_type(&self) -> ObjectIdentifier {
        self.encap_content_info.e_content_type
    }

    /// Whether what was signed is enclosed.
    pub const fn has_content(&self) -> bool {
        self.encap_content_info.e_content.is_some()
    }

    /// The content, where it is enclosed and of this kind.
    pub fn enclosed(&self, content_type: ObjectIdentifier) -> Option<Vec<u8>> {
        let content = self.enclosed_any(content_type)?;
        Some(content.decode_as::<OctetString>().ok()?.into_bytes().to_vec())
    }

    /// The same, where it is no OCTET STRING.
    pub fn enclosed_any(&self, content_type: ObjectIdentifier) -> Option<&Any> {
        let EncapsulatedContentInfo { e_content_type, e_content } = &self.encap_content_info;
        e_content.as_ref().filter(|_| *e_content_type == content_type)
    }
}

/// Who signs, and how.
#[derive(Clone, Debug)]
pub struct Signer {
    /// The signing certificate and what leads to its root, in DER: leaf first, root last.
    pub chain: Vec<Vec<u8>>,
    /// The hash of the content.
    pub digest_algorithm: AlgorithmIdentifierOwned,
    /// How the attributes are signed.
    pub signature_algorithm: AlgorithmIdentifierOwned,
}

/// What is signed.
#[derive(Debug)]
pub struct Signed {
    /// The SignedData's version: 1 for id-data with certificates and a signer identified by issuer and serial number
    /// (RFC 5652, 5.1), and for what follows PKCS #7; 3 for any other content.
    pub version: u8,
    /// Whether the signer's certificates are enclosed.
    pub with_certificates: bool,
    /// The kind of content.
    pub content_type: ObjectIdentifier,
    /// The content, where it is enclosed.
    pub content: Option<Any>,
    /// The content's digest.
    pub digest: Vec<u8>,
    /// Attributes besides content type, digest and time.
    pub attributes: Vec<Attribute>,
}

impl Signed {
    /// Content that stands apart, and the certificate that is to sign it.
    ///
    /// # Errors
    /// When the chain is empty.
    pub fn detached(chain: &[Vec<u8>], digest: &[u8]) -> der::Result<Self> {
        Ok(Self {
            version: 1,
            with_certificates: true,
            content_type: ID_DATA,
            content: None,
            digest: digest.to_vec(),
            attributes: vec![signing_certificate(chain)?],
        })
    }
}

/// The attribute that names the certificate which is to sign.
///
/// # Errors
/// When the chain is empty.
pub fn signing_certificate(chain: &[Vec<u8>]) -> der::Result<Attribute> {
    let leaf = chain.first().ok_or_else(|| der::Error::from(der::ErrorKind::Failed))?;
    let certs = vec![EssCertIdV2 { cert_hash: OctetString::new(Sha256::digest(leaf).as_slice())? }];
    attribute(ID_AA_SIGNING_CERTIFICATE_V_2, &SigningCertificateV2 { certs })
}

/// A SignedData that waits for its signature.
#[derive(Debug)]
pub struct Unsigned {
    to_be_signed: Vec<u8>,
    signed_attrs: SetOfVec<Attribute>,
    sid: IssuerAndSerialNumber,
    signer: Signer,
    version: u8,
    with_certificates: bool,
    encap_content_info: EncapsulatedContentInfo,
}

/// Builds everything but the signature of a SignedData.
///
/// # Errors
/// When the chain is empty or not made of certificates, or the time has no encoding.
pub fn prepare(signer: Signer, signed: Signed, signing_time_ms: i64) -> der::Result<Unsigned> {
    let leaf = signer.chain.first().ok_or_else(|| der::Error::from(der::ErrorKind::Failed))?;
    let certificate = Certificate::from_der(leaf)?;
    let tbs = certificate.tbs_certificate();
    let sid = IssuerAndSerialNumber { issuer: tbs.issuer().clone(), serial_number: tbs.serial_number().clone() };
    let Signed { version, with_certificates, content_type, content, digest, mut attributes } = signed;
    attributes.push(attribute(ID_CONTENT_TYPE, &content_type)?);
    attributes.push(attribute(ID_MESSAGE_DIGEST, &OctetString::new(digest)?)?);
    attributes.push(attribute(ID_SIGNING_TIME, &x509_time(signing_time_ms.div_euclid(1_000))?)?);
    let signed_attrs = SetOfVec::try_from(attributes)?;
    let encap_content_info = EncapsulatedContentInfo { e_content_type: content_type, e_content: content };
    // Signed with the tag of a SET OF, stored with [0] (RFC 5652, 5.4).
    let to_be_signed = signed_attrs.to_der()?;
    Ok(Unsigned { to_be_signed, signed_attrs, sid, signer, version, with_certificates, encap_content_info })
}

/// An attribute of one value.
///
/// # Errors
/// When the value cannot be encoded.
pub fn attribute(oid: ObjectIdentifier, value: &impl Encode) -> der::Result<Attribute> {
    let values = SetOfVec::try_from(vec![Any::from_der(&value.to_der()?)?])?;
    Ok(Attribute { oid, values })
}

impl Unsigned {
    /// What the key has to sign, as a message.
    #[must_use]
    pub fn to_be_signed(&self) -> &[u8] {
        &self.to_be_signed
    }

    /// The finished ContentInfo in DER, with this attribute beside the signature.
    ///
    /// # Errors
    /// When a part cannot be encoded.
    pub fn assemble(self, signature: &[u8], unsigned: Option<Attribute>) -> der::Result<Vec<u8>> {
        let Signer { chain, digest_algorithm, signature_algorithm } = self.signer;
        let signer_info = SignerInfo {
            version: 1,
            sid: self.sid,
            digest_algorithm: digest_algorithm.clone(),
            signed_attrs: self.signed_attrs,
            signature_algorithm,
            signature: OctetString::new(signature)?,
            unsigned_attrs: unsigned.map(|attribute| SetOfVec::try_from(vec![attribute])).transpose()?,
        };
        let content = SignedData {
            version: self.version,
            digest_algorithms: SetOfVec::try_from(vec![digest_algorithm])?,
            encap_content_info: self.encap_content_info,
            crls: None,
            certificates: self.with_certificates.then(|| certificate_set(&chain)).transpose()?,
            signer_infos: SetOfVec::try_from(vec![signer_info])?,
        };
        ContentInfo { content_type: ID_SIGNED_DATA, content }.to_der()
    }
}

/// Certificates and no signature, as `.p7c` files carry them (RFC 5652, 5.1: there may be no signers).
///
/// # Errors
/// When a part cannot be encoded.
pub fn certificates_only(chain: &[Vec<u8>]) -> der::Result<Vec<u8>> {
    let content = SignedData {
        version: 1,
        digest_algorithms: SetOfVec::new(),
        encap_content_info: EncapsulatedContentInfo { e_content_type: ID_DATA, e_content: None },
        certificates: Some(certificate_set(chain)?),
        crls: None,
        signer_infos: SetOfVec::new(),
    };
    ContentInfo { content_type: ID_SIGNED_DATA, content }.to_der()
}

fn certificate_set(chain: &[Vec<u8>]) -> der::Result<SetOfVec<Any>> {
    chain.iter().map(|der| Any::from_der(der)).collect::<der::Result<Vec<_>>>()?.try_into()
}

#[cfg(test)]
mod tests;
