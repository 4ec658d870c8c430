//! PKCS#10 requests (RFC 2986): read, and the possession of the key proven.

use chancery_keys::{Input, KeySpec, SignatureScheme, kind_of_public_key, verify};
use chancery_types::Base64;
use der::{
    Decode, Encode,
    asn1::{Ia5String, ObjectIdentifier},
    oid::AssociatedOid,
};
use x509_cert::{
    ext::{
        Extensions,
        pkix::{SubjectAltName, name::GeneralName},
    },
    request::CertReq,
};

use crate::{alt_name::AltName, dn::DistinguishedName};

type Result<T> = std::result::Result<T, CsrError>;

/// extensionRequest (RFC 2985, 5.4.2).
const EXTENSION_REQUEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14");

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
pub struct Csr {
    /// The public key, a SubjectPublicKeyInfo in DER.
    pub spki: Vec<u8>,
    /// Its kind.
    pub spec: KeySpec,
    /// The subject; `None` where the request leaves it empty.
    pub subject: Option<DistinguishedName>,
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
        let request =
            CertReq::from_der(&der).map_err(|_| refused("A PKCS#10 request is expected, in PEM or base64."))?;
        let spki = request.info.public_key.to_der()?;
        let spec = kind_of_public_key(&spki).ok_or_else(|| {
            refused(
                "The key of the request is of no kind that is certified: RSA with 2048, 3072 or 4096 bits and an exponent \
                 from 65537, EC on P-256, P-384 or P-521 with its point uncompressed, Ed25519, or ML-DSA.",
            )
        })?;
        prove_possession(&request, &spki, spec)?;
        let (alt_names, ignored) = extensions(&request)?;
        let name = &request.info.subject;
        let is_empty = name.iter_rdn().next().is_none();
        let subject = (!is_empty).then(|| DistinguishedName::taken(name));
        let subject =
            subject.transpose().map_err(|why| CsrError::Refused(format!("The subject of the request: {why}")))?;
        Ok(Self { spki, spec, subject, alt_names, ignored })
    }
}

fn refused(message: &str) -> CsrError {
    CsrError::Refused(message.to_owned())
}

fn bytes(text: &str) -> Result<Vec<u8>> {
    let malformed = || CsrError::Malformed("A PKCS#10 request is expected: PEM, or its DER in base64.");
    let text = text.trim();
    let inner = match text.strip_prefix("-----BEGIN ") {
        None => text,
        Some(rest) => {
            let (label, rest) = rest.split_once("-----").ok_or_else(malformed)?;
            if !["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"].contains(&label) {
                return Err(refused("The PEM holds something else than a CERTIFICATE REQUEST."));
            }
            rest.strip_suffix(&format!("-----END {label}-----")).ok_or_else(malformed)?
        }
    };
    Ok(Base64::decode(inner.trim()).ok_or_else(malformed)?.0)
}

/// The signature by the request's own key and algorithm. A collision of MD5 or SHA-1 would let somebody prove what they
/// do not have, so those prove nothing.
fn prove_possession(request: &CertReq, spki: &[u8], spec: KeySpec) -> Result<()> {
    let scheme = SignatureScheme::named(spec, &request.algorithm).filter(|scheme| !scheme.hash().is_weak());
    let scheme =
        scheme.ok_or_else(|| refused("The request is signed by an algorithm that proves nothing, or not known."))?;
    let signed = request.info.to_der()?;
    let signature = request.signature.as_bytes().unwrap_or_default();
    verify(spki, scheme, Input::Message(&signed), signature)
        .map_err(|_| refused("The request's signature is not by its own key, so its sender may not have that key."))
}

fn extensions(request: &CertReq) -> Result<(Vec<AltName>, Vec<ObjectIdentifier>)> {
    let (mut names, mut ignored) = (Vec::new(), Vec::new());
    let asked = request.info.attributes.iter().filter(|attribute| attribute.oid == EXTENSION_REQUEST);
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
            names.extend(asked.iter().map(alt_name).collect::<Result<Vec<_>>>()?);
        }
    }
    Ok((names, ignored))
}

/// Reads a name as if it were given as text, by the same rules.
pub fn alt_name(name: &GeneralName) -> Result<AltName> {
    let prefixed = |prefix: &str, text: &Ia5String| format!("{prefix}:{}", text.as_str()).parse().ok();
    let known = match name {
        GeneralName::DnsName(name) => prefixed("DNS", name),
        GeneralName::Rfc822Name(name) => prefixed("email", name),
        GeneralName::UniformResourceIdentifier(name) => prefixed("URI", name),
        GeneralName::IpAddress(bytes) => address(bytes.as_bytes()).map(AltName::Ip),
        GeneralName::OtherName(_)
        | GeneralName::DirectoryName(_)
        | GeneralName::EdiPartyName(_)
        | GeneralName::RegisteredId(_) => None,
    };
    known.ok_or_else(|| {
        refused(
            "An alternative name of the request is no host name, address, mailbox or URI that a certificate may carry.",
        )
    })
}

fn address(bytes: &[u8]) -> Option<std::net::IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(Into::into);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(Into::into)).ok()
}
