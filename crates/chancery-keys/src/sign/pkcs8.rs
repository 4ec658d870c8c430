//! The outer layer of PKCS#8.

use der::{Decode, Sequence, asn1::OctetStringRef};
use spki::AlgorithmIdentifierRef;

/// ```text
/// PrivateKeyInfo ::= SEQUENCE {
///   version                   Version,
///   privateKeyAlgorithm       PrivateKeyAlgorithmIdentifier,
///   privateKey                PrivateKey }                      -- RFC 5208, 5; no attributes
/// ```
#[derive(Sequence)]
struct PrivateKeyInfo<'a> {
    version: u8,
    private_key_algorithm: AlgorithmIdentifierRef<'a>,
    private_key: &'a OctetStringRef,
}

/// What PKCS#8 wraps: for RSA an RSAPrivateKey (RFC 8017, A.1.2). The library has checked the wrapping.
pub(super) fn private_key(pkcs8: &[u8]) -> Option<&[u8]> {
    Some(PrivateKeyInfo::from_der(pkcs8).ok()?.private_key.as_bytes())
}
