//! PKCS#10 requests (RFC 2986): read, and the possession of the key proven.

use chancery_keys::{KeySpec, NamedAlgorithm, check_public_key, kind_of_public_key};
use chancery_types::Base64;
use der::{
    Decode, Encode, Sequence,
    asn1::{AnyRef, BitStringRef, ObjectIdentifier},
    oid::AssociatedOid,
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    ext::{Extensions, pkix::SubjectAltName},
    request::CertReqInfo,
};

use crate::{
    alt_name::{AltName, NotAnAltName},
    dn::DistinguishedName,
    has_padded_oid, universal_string,
};

type Result<T> = std::result::Result<T, CsrError>;

/// What asks for extensions: extensionRequest (RFC 2985, 5.4.2), and what Windows had before it, which OpenSSL reads too.
const EXTENSION_REQUESTS: [ObjectIdentifier; 2] =
    [ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14"), ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.14")];

/// Why a request is not taken.
#[derive(Debug, thiserror::Error)]
pub enum CsrError {
    /// It has more bytes than this.
    #[error("A PKCS#10 request has at most {0} bytes.")]
    TooLarge(usize),
    /// It is in no encoding of one.
    #[error("{0}")]
    Malformed(&'static str),
    /// It asks for what is not given, or proves nothing.
    #[error("{0}")]
    Refused(String),
    /// What was read could not be written again.
    #[error(transparent)]
    Encoding(#[from] der::Error),
}

/// A request whose sender has the private key.
#[derive(Clone, Debug)]
pub struct Csr {
    /// The public key, a SubjectPublicKeyInfo in DER.
    pub spki: Vec<u8>,
    /// Its kind.
    pub spec: KeySpec,
    /// The subject, which may be empty.
    pub subject: DistinguishedName,
    /// The alternative names that are asked for.
    pub alt_names: Vec<AltName>,
    /// The other extensions that are asked for, none of which is taken.
    pub ignored: Vec<ObjectIdentifier>,
}

impl Csr {
    /// Reads PEM or base64 and verifies the request's signature.
    pub fn read(text: &str, bytes_max: usize) -> Result<Self> {
        if text.len() > bytes_max {
            return Err(CsrError::TooLarge(bytes_max));
        }
        let der = bytes(text)?;
        let unreadable = |_| refused("A PKCS#10 request is expected, in PEM or base64.");
        let signed = Request::from_der(&der).map_err(unreadable)?;
        if has_padded_oid(&der) {
            return Err(refused(
                "An object identifier of the request begins an arc with a zero, which is not DER (X.690, 8.19.2).",
            ));
        }
        let info = signed.info.to_der().map_err(unreadable)?;
        let readable = universal_string::as_utf8(&info);
        let asked = CertReqInfo::from_der(readable.as_deref().unwrap_or(&info)).map_err(unreadable)?;
        let spki = asked.public_key.to_der()?;
        let spec = kind_of_public_key(&spki).ok_or_else(|| {
            refused(
                "The key of the request is of no kind that is certified: RSA with 2048, 3072 or 4096 bits and an exponent \
                 from 65537 to 2^33, EC on P-256, P-384 or P-521 with its point uncompressed, Ed25519, or ML-DSA.",
            )
        })?;
        prove_possession(&signed, &info, &spki)?;
        let (alt_names, ignored) = extensions(&asked)?;
        let subject = DistinguishedName::taken(&asked.subject)
            .map_err(|why| CsrError::Refused(format!("The subject of the request: {why}")))?;
        Ok(Self { spki, spec, subject, alt_names, ignored })
    }

    /// Refuses a key that anybody could break. It takes as long as some hundred signatures: where RSA is, on the pool.
    pub fn check_key(&self) -> Result<()> {
        check_public_key(&self.spki).map_err(|weak| CsrError::Refused(format!("The key of the request {weak}.")))
    }
}

/// A request whose parts are not looked into.
///
/// ```text
/// CertificationRequest ::= SEQUENCE {
///     certificationRequestInfo CertificationRequestInfo,
///     signatureAlgorithm AlgorithmIdentifier{{ SignatureAlgorithms }},
///     signature          BIT STRING }
/// ```
#[derive(Sequence)]
struct Request<'a> {
    info: AnyRef<'a>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitStringRef<'a>,
}

fn not_a_name(why: NotAnAltName) -> CsrError {
    CsrError::Refused(format!("An alternative name of the request is none that a certificate may carry. {why}"))
}

fn refused(message: &str) -> CsrError {
    CsrError::Refused(message.to_owned())
}

/// The request of a text: a PEM block with anything around it, as tools print it (RFC 7468, 2), or base64.
fn bytes(text: &str) -> Result<Vec<u8>> {
    let malformed = || CsrError::Malformed("A PKCS#10 request is expected: PEM, or its DER in base64.");
    if !text.contains(BEGIN) {
        return base64(text).ok_or_else(malformed);
    }
    let mut found = None;
    for block in text.split(BEGIN).skip(1) {
        let (label, rest) = block.split_once("-----").ok_or_else(malformed)?;
        if label.ends_with("PRIVATE KEY") {
            return Err(refused("There is a private key beside the request. It was not kept; nobody should send it."));
        }
        if !["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"].contains(&label) {
            return Err(refused("The PEM holds something else than a CERTIFICATE REQUEST."));
        }
        let (inner, _) = rest.split_once(&format!("-----END {label}-----")).ok_or_else(malformed)?;
        if found.replace(base64(inner).ok_or_else(malformed)?).is_some() {
            return Err(refused("There are several requests; they are sent one by one."));
        }
    }
    found.ok_or_else(malformed)
}

const BEGIN: &str = "-----BEGIN ";

/// What lines of base64 stand for, with whatever blanks and line ends there are between them.
pub fn base64(lines: &str) -> Option<Vec<u8>> {
    Base64::decode(&lines.split_ascii_whitespace().collect::<String>()).map(|Base64(bytes)| bytes)
}

/// The signature by the request's own key and algorithm. A collision of MD5 or SHA-1 would let somebody prove what they
/// do not have, so those prove nothing.
fn prove_possession(request: &Request<'_>, info: &[u8], spki: &[u8]) -> Result<()> {
    let algorithm = NamedAlgorithm::read(&request.algorithm, None);
    let algorithm = algorithm.filter(|algorithm| algorithm.hash().is_none_or(|hash| !hash.is_weak()));
    let algorithm =
        algorithm.ok_or_else(|| refused("The request is signed by an algorithm that proves nothing, or not known."))?;
    let signature = request.signature.as_bytes().unwrap_or_default();
    algorithm
        .verify(spki, info, signature)
        .map_err(|_| refused("The request's signature is not by its own key, so its sender may not have that key."))
}

fn extensions(asked: &CertReqInfo) -> Result<(Vec<AltName>, Vec<ObjectIdentifier>)> {
    let (mut names, mut ignored) = (Vec::new(), Vec::new());
    let asked = asked.attributes.iter().filter(|attribute| EXTENSION_REQUESTS.contains(&attribute.oid));
    for value in asked.flat_map(|attribute| attribute.values.iter()) {
        let extensions = value.to_der().and_then(|der| Extensions::from_der(&der));
        for extension in extensions.map_err(|_| refused("The extensions that the request asks for cannot be read."))? {
            if extension.extn_id != SubjectAltName::OID {
                ignored.push(extension.extn_id);
                continue;
            }
            let unreadable = |_| refused("The alternative names of the request cannot be read.");
            let SubjectAltName(asked) =
                SubjectAltName::from_der(extension.extn_value.as_bytes()).map_err(unreadable)?;
            let asked = asked.iter().map(|name| AltName::taken(name).map_err(not_a_name));
            names.extend(asked.collect::<Result<Vec<_>>>()?);
        }
    }
    Ok((names, ignored))
}
