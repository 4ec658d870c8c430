//! Public keys from outside: which kind they are, and whether they are such as a certificate may carry.

use der::{Decode, Sequence, asn1::UintRef};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use super::{
    identifier::RSA_ENCRYPTION,
    verify::{EC_PUBLIC_KEY, curve},
};
use crate::{KeySpec, MlDsaSet, RsaSize, SignatureScheme};

/// ```text
/// RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }
/// ```
#[derive(Sequence)]
pub(crate) struct RsaPublicKey<'a> {
    pub(crate) modulus: UintRef<'a>,
    pub(crate) public_exponent: UintRef<'a>,
}

/// Exponents from 65,537 have at least three bytes (FIPS 186-5, A.1.1).
const EXPONENT_BYTES_MIN: usize = 3;

/// Exponents have at most so many bits: with larger ones AWS-LC makes and verifies no signature.
const EXPONENT_BITS_MAX: usize = 33;

/// The kind of key of a SubjectPublicKeyInfo in DER. `None` for keys that are none of ours: of another algorithm, curve or
/// length, with a compressed point, with a small or very large exponent. Whether a point lies on its curve shows when a signature is
/// verified.
#[must_use]
pub fn kind_of_public_key(spki: &[u8]) -> Option<KeySpec> {
    let spki = SubjectPublicKeyInfoRef::from_der(spki).ok()?;
    let key = spki.subject_public_key.as_bytes()?;
    let oid = spki.algorithm.oid;
    if oid == RSA_ENCRYPTION {
        let is_null = spki.algorithm.parameters.is_some_and(|parameters| parameters.is_null());
        return if is_null { rsa(key) } else { None };
    }
    if oid == EC_PUBLIC_KEY {
        let curve = curve(&spki)?;
        let uncompressed = key.first() == Some(&4) && key.len() == 1 + 2 * curve.bits().div_ceil(8) as usize;
        return uncompressed.then_some(KeySpec::Ec(curve));
    }
    let spec = kind_without_parameters(spki.algorithm)?;
    let len = match spec {
        KeySpec::MlDsa(MlDsaSet::MlDsa44) => 1_312,
        KeySpec::MlDsa(MlDsaSet::MlDsa65) => 1_952,
        KeySpec::MlDsa(MlDsaSet::MlDsa87) => 2_592,
        KeySpec::Rsa(_) | KeySpec::Ec(_) | KeySpec::Ed25519 | KeySpec::Aes(_) | KeySpec::Hmac256 => 32,
    };
    (key.len() == len).then_some(spec)
}

/// The kind of key of an algorithm whose name says it all: Ed25519 and ML-DSA, named like their signatures (RFC 8410,
/// 9881).
pub(crate) fn kind_without_parameters(algorithm: AlgorithmIdentifierRef<'_>) -> Option<KeySpec> {
    let kinds = [
        KeySpec::Ed25519,
        KeySpec::MlDsa(MlDsaSet::MlDsa44),
        KeySpec::MlDsa(MlDsaSet::MlDsa65),
        KeySpec::MlDsa(MlDsaSet::MlDsa87),
    ];
    let is = |spec: &KeySpec| {
        let scheme = SignatureScheme::for_key(*spec, chancery_types::HashType::Sha2_512, false);
        scheme.is_ok_and(|scheme| scheme.algorithm_identifier().oid == algorithm.oid) && algorithm.parameters.is_none()
    };
    kinds.into_iter().find(is)
}

fn rsa(key: &[u8]) -> Option<KeySpec> {
    let key = RsaPublicKey::from_der(key).ok()?;
    let modulus = key.modulus.as_bytes();
    let full = modulus.first().is_some_and(|first| first & 0x80 != 0);
    let exponent = key.public_exponent.as_bytes();
    let odd = exponent.last().is_some_and(|last| last & 1 == 1);
    let leading = exponent.first().map_or(0, |first| first.leading_zeros() as usize);
    let bits = 8 * exponent.len() - leading;
    if !full || !odd || exponent.len() < EXPONENT_BYTES_MIN || bits > EXPONENT_BITS_MAX {
        return None;
    }
    let size = match modulus.len() {
        256 => RsaSize::Bits2048,
        384 => RsaSize::Bits3072,
        512 => RsaSize::Bits4096,
        _ => return None,
    };
    Some(KeySpec::Rsa(size))
}
