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

/// The numbers of a key, as [`chancery_rsa`] wants them.
pub(super) fn parts(der: &[u8]) -> Option<Parts<'_>> {
    let key = RsaPrivateKey::from_der(der).ok()?;
    Some(Parts {
        n: key.modulus.as_bytes(),
        e: key.public_exponent.as_bytes(),
        p: key.prime1.as_bytes(),
        q: key.prime2.as_bytes(),
        d_p: key.exponent1.as_bytes(),
        d_q: key.exponent2.as_bytes(),
        q_inv: key.coefficient.as_bytes(),
    })
}
