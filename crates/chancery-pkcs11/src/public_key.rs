//! Public keys, as certificates have them.

use der::{
    Decode as _, Encode as _, Sequence,
    asn1::{ObjectIdentifier, OctetStringRef, UintRef},
};
use spki::SubjectPublicKeyInfoOwned;

use crate::mechanism::Scheme;

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");

/// Curves, and the length of their fields in bytes.
const CURVES: [(ObjectIdentifier, usize); 3] = [
    (ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"), 32),
    (ObjectIdentifier::new_unwrap("1.3.132.0.34"), 48),
    (ObjectIdentifier::new_unwrap("1.3.132.0.35"), 66),
];

/// A key of a kind that PKCS#11 2.40 and the EdDSA of 3.0 know.
pub(crate) enum PublicKey {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    Ec { field_len: usize, parameters: Vec<u8>, point: Vec<u8> },
    Ed25519 { parameters: Vec<u8>, point: Vec<u8> },
}

/// RSAPublicKey (RFC 8017, A.1.1).
#[derive(Sequence)]
struct RsaPublicKey<'a> {
    modulus: UintRef<'a>,
    public_exponent: UintRef<'a>,
}

impl PublicKey {
    /// Reads one; `None` where it is of another kind.
    pub(crate) fn read(spki: &SubjectPublicKeyInfoOwned) -> der::Result<Option<Self>> {
        let bits = spki.subject_public_key.raw_bytes();
        let point = || OctetStringRef::new(bits)?.to_der();
        match spki.algorithm.oid {
            RSA => {
                let key = RsaPublicKey::from_der(bits)?;
                let bytes = |number: UintRef<'_>| number.as_bytes().to_vec();
                Ok(Some(Self::Rsa { modulus: bytes(key.modulus), exponent: bytes(key.public_exponent) }))
            }
            EC => {
                let Some(parameters) = &spki.algorithm.parameters else { return Ok(None) };
                let curve: ObjectIdentifier = parameters.decode_as()?;
                let known = CURVES.iter().find(|(oid, _)| *oid == curve);
                let Some((_, field_len)) = known else { return Ok(None) };
                Ok(Some(Self::Ec { field_len: *field_len, parameters: curve.to_der()?, point: point()? }))
            }
            ED25519 => Ok(Some(Self::Ed25519 { parameters: ED25519.to_der()?, point: point()? })),
            _ => Ok(None),
        }
    }

    pub(crate) const fn signs_by(&self, scheme: Scheme) -> bool {
        match self {
            Self::Rsa { .. } => matches!(scheme, Scheme::RsaPkcs | Scheme::RsaPss),
            Self::Ec { .. } => matches!(scheme, Scheme::Ecdsa),
            Self::Ed25519 { .. } => matches!(scheme, Scheme::Eddsa),
        }
    }

    /// Bytes of its signatures, as PKCS#11 has them.
    pub(crate) const fn signature_len(&self) -> usize {
        match self {
            Self::Rsa { modulus, .. } => modulus.len(),
            Self::Ec { field_len, .. } => 2 * *field_len,
            Self::Ed25519 { .. } => 64,
        }
    }
}
