//! OCSP requests (RFC 6960, 4.1).

use chancery_keys::hash;
use chancery_types::HashType;
use der::{
    Any, Decode, Encode, Sequence,
    asn1::{ObjectIdentifier, OctetString},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{ext::Extension, serial_number::SerialNumber};

use crate::certificate;

/// id-pkix-ocsp-nonce.
pub const NONCE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.2");

/// Certificates asked about at once: each costs a look into the store.
const CERTIFICATES_MAX: usize = 16;

/// Bytes of a nonce (RFC 9654).
const NONCE_MAX: usize = 128;

/// ```text
/// OCSPRequest ::= SEQUENCE { tbsRequest TBSRequest, optionalSignature [0] EXPLICIT Signature OPTIONAL }
/// ```
/// A signature is not looked at: anybody may ask.
#[derive(Sequence)]
struct OcspRequest {
    tbs_request: TbsRequest,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    optional_signature: Option<Any>,
}

/// ```text
/// TBSRequest ::= SEQUENCE {
///   version           [0] EXPLICIT Version DEFAULT v1,
///   requestorName     [1] EXPLICIT GeneralName OPTIONAL,
///   requestList           SEQUENCE OF Request,
///   requestExtensions [2] EXPLICIT Extensions OPTIONAL }
/// ```
#[derive(Sequence)]
struct TbsRequest {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", default = "Default::default")]
    version: u8,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    requestor_name: Option<Any>,
    request_list: Vec<Request>,
    #[asn1(context_specific = "2", tag_mode = "EXPLICIT", optional = "true")]
    request_extensions: Option<Vec<Extension>>,
}

/// ```text
/// Request ::= SEQUENCE { reqCert CertID, singleRequestExtensions [0] EXPLICIT Extensions OPTIONAL }
/// ```
#[derive(Sequence)]
struct Request {
    req_cert: CertId,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    single_request_extensions: Option<Vec<Extension>>,
}

/// ```text
/// CertID ::= SEQUENCE {
///   hashAlgorithm  AlgorithmIdentifier,
///   issuerNameHash OCTET STRING, -- Hash of issuer's DN
///   issuerKeyHash  OCTET STRING, -- Hash of issuer's public key
///   serialNumber   CertificateSerialNumber }
/// ```
#[derive(Clone, Debug, Sequence)]
pub struct CertId {
    hash_algorithm: AlgorithmIdentifierOwned,
    issuer_name_hash: OctetString,
    issuer_key_hash: OctetString,
    serial_number: SerialNumber,
}

/// The hashes that requests name issuers by. SHA-1 names things here, as most clients do; it protects nothing.
const FUNCTIONS: [(HashType, ObjectIdentifier); 4] = [
    (HashType::Sha1, ObjectIdentifier::new_unwrap("1.3.14.3.2.26")),
    (HashType::Sha2_256, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1")),
    (HashType::Sha2_384, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2")),
    (HashType::Sha2_512, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3")),
];

/// How requests name an issuer: by hashes of its name and its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IssuerHashes {
    function: ObjectIdentifier,
    name: Vec<u8>,
    key: Vec<u8>,
}

impl IssuerHashes {
    /// All by which an issuer can be named, from its name in DER and the bits of its key.
    pub fn all(name: &[u8], key_bits: &[u8]) -> [Self; FUNCTIONS.len()] {
        FUNCTIONS.map(|(with, function)| {
            let [name, key] = [name, key_bits].map(|bytes| hash(with, bytes).as_bytes().to_vec());
            Self { function, name, key }
        })
    }
}

impl CertId {
    /// Who issued it.
    pub fn issuer(&self) -> IssuerHashes {
        let [name, key] = [&self.issuer_name_hash, &self.issuer_key_hash].map(|hash| hash.as_bytes().to_vec());
        IssuerHashes { function: self.hash_algorithm.oid, name, key }
    }

    /// The serial number as the store has it.
    pub fn serial(&self) -> String {
        certificate::serial_text(&self.serial_number)
    }
}

/// What is asked.
pub struct Asked {
    /// The certificates asked about.
    pub certificates: Vec<CertId>,
    /// The nonce extension, to be repeated.
    pub nonce: Option<Extension>,
}

impl Asked {
    /// What stands for the question where its answer is the same for whoever asks: one certificate and no nonce.
    pub fn question(&self) -> der::Result<Option<Vec<u8>>> {
        match (self.certificates.as_slice(), &self.nonce) {
            ([certificate], None) => certificate.to_der().map(Some),
            (_, _) => Ok(None),
        }
    }
}

/// Reads a request; `None` for what is none, and for one that depends on something unknown here.
pub fn read(der: &[u8]) -> Option<Asked> {
    let request = OcspRequest::from_der(der).ok()?.tbs_request;
    if request.version != 0 || !(1..=CERTIFICATES_MAX).contains(&request.request_list.len()) {
        return None;
    }
    let nonce = nonce_of(request.request_extensions.unwrap_or_default())?;
    let certificates = request.request_list.into_iter().map(certificate_of).collect::<Option<_>>()?;
    Some(Asked { certificates, nonce })
}

/// The nonce, if there is one, as it is repeated; `None` where an extension makes the request one that cannot be answered:
/// a nonce that is none, a second one, or a critical extension that nobody here knows (RFC 6960, 4.4; RFC 5280, 4.2).
fn nonce_of(extensions: Vec<Extension>) -> Option<Option<Extension>> {
    let (mut nonces, others): (Vec<_>, Vec<_>) =
        extensions.into_iter().partition(|extension| extension.extn_id == NONCE);
    let nonce = nonces.pop();
    let is_bad = !nonces.is_empty() || others.iter().any(|other| other.critical) || !nonce.iter().all(is_nonce);
    (!is_bad).then(|| nonce.map(|nonce| Extension { critical: false, ..nonce }))
}

/// `Nonce ::= OCTET STRING (SIZE(1..128))` (RFC 9654, 2.1).
fn is_nonce(extension: &Extension) -> bool {
    let nonce = OctetString::from_der(extension.extn_value.as_bytes());
    nonce.is_ok_and(|nonce| (1..=NONCE_MAX).contains(&nonce.as_bytes().len()))
}

/// Nothing that can be asked besides about a single certificate is known here.
fn certificate_of(request: Request) -> Option<CertId> {
    let is_critical = request.single_request_extensions.iter().flatten().any(|extension| extension.critical);
    (!is_critical).then_some(request.req_cert)
}
