//! RSA private keys as PKCS #1 writes them.

use chancery_rsa::Parts;
use der::{Decode, Sequence, asn1::UintRef};

/// ```text
/// RSAPrivateKey ::= SEQUENCE {
///   version           Version,
///   modulus           INTEGER,  -- n
///   publicExponent    INTEGER,  -- e
///   privateExponent   INTEGER,  -- d
///   prime1            INTEGER,  -- p
///   prime2            INTEGER,  -- q
///   exponent1         INTEGER,  -- d mod (p-1)
///   exponent2         INTEGER,  -- d mod (q-1)
///   coefficient       INTEGER } -- (inverse of q) mod p        RFC 8017, A.1.2; two primes
/// ```
#[derive(Sequence)]
pub(super) struct RsaPrivateKey<'a> {
    pub(super) version: u8,
    pub(super) modulus: UintRef<'a>,
    pub(super) public_exponent: UintRef<'a>,
    pub(super) private_exponent: UintRef<'a>,
    pub(super) prime1: UintRef<'a>,
    pub(super) prime2: UintRef<'a>,
    pub(super) exponent1: UintRef<'a>,
    pub(super) exponent2: UintRef<'a>,
    pub(super) coefficient: UintRef<'a>,
}

/// What the Chinese remainder theorem needs of a key.
pub(super) fn parts(der: &[u8]) -> Option<Parts<'_>> {
    let RsaPrivateKey { prime1, prime2, exponent1, exponent2, coefficient, .. } = RsaPrivateKey::from_der(der).ok()?;
    let [p, q, d_p, d_q, q_inv] = [prime1, prime2, exponent1, exponent2, coefficient].map(|part| part.as_bytes());
    Some(Parts { p, q, d_p, d_q, q_inv })
}
