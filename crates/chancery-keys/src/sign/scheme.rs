//! Which signatures there are.

use std::fmt;

use chancery_types::HashType;
use spki::{AlgorithmIdentifierOwned, ObjectIdentifier};

use super::identifier;
use crate::{KeySpec, MlDsaSet};

/// A signature scheme that some standard defines: a method together with a hash. Made only by
/// [`for_key`](Self::for_key), so that no other pair exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureScheme {
    method: Method,
    hash: HashType,
    oid: ObjectIdentifier,
}

/// The part of a scheme besides its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Method {
    /// RSASSA-PKCS1-v1_5 (RFC 8017).
    RsaPkcs1,
    /// RSASSA-PSS (RFC 8017), or with SHAKE (RFC 8702).
    RsaPss,
    /// ECDSA (FIPS 186-5).
    Ecdsa,
    /// Ed25519, pure (RFC 8032).
    Ed25519,
    /// ML-DSA, pure, with an empty context (FIPS 204).
    MlDsa(MlDsaSet),
}

/// No standard defines this hash for this kind of key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The hash asked for.
    pub hash: HashType,
    /// The kind of key.
    pub spec: KeySpec,
    /// What is defined for such keys; empty for keys that do not sign.
    pub allowed: Vec<HashType>,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.allowed.is_empty() {
            return write!(f, "{} keys do not sign", self.spec);
        }
        let allowed: Vec<_> = self.allowed.iter().map(|hash| hash.as_str()).collect();
        write!(f, "{} is not defined for {} keys; allowed: {}", self.hash, self.spec, allowed.join(", "))
    }
}

impl std::error::Error for Unsupported {}

impl SignatureScheme {
    /// The scheme for a kind of key, a hash, and for RSA the choice between PKCS#1 v1.5 and PSS. SHAKE with RSA is always
    /// PSS; `pss` says nothing for other keys.
    pub fn for_key(spec: KeySpec, hash: HashType, pss: bool) -> Result<Self, Unsupported> {
        Self::defined(spec, hash, pss).ok_or_else(|| Unsupported {
            hash,
            spec,
            allowed: HashType::ALL.iter().copied().filter(|hash| Self::defined(spec, *hash, pss).is_some()).collect(),
        })
    }

    /// The same, for whoever tries them all.
    pub(super) fn defined(spec: KeySpec, hash: HashType, pss: bool) -> Option<Self> {
        define(spec, hash, pss).map(|(method, oid)| Self { method, hash, oid })
    }

    /// The scheme that a `signatureAlgorithm` names, for a key of this kind. Ed25519 and ML-DSA name no hash there; theirs
    /// then is one of those that are defined, and plays no part in verifying a message.
    #[must_use]
    pub fn named(spec: KeySpec, algorithm: &AlgorithmIdentifierOwned) -> Option<Self> {
        let pairs = HashType::ALL.iter().flat_map(|hash| [false, true].map(|pss| (*hash, pss)));
        pairs
            .filter_map(|(hash, pss)| Self::defined(spec, hash, pss))
            .find(|scheme| scheme.algorithm_identifier() == *algorithm)
    }

    /// The hash: of the content, and for all but Ed25519 and ML-DSA also inside the signature.
    #[must_use]
    pub const fn hash(self) -> HashType {
        self.hash
    }

    /// Whether it can sign a digest in the place of the message.
    #[must_use]
    pub const fn signs_digests(self) -> bool {
        match self.method {
            Method::RsaPkcs1 | Method::RsaPss | Method::Ecdsa => true,
            Method::Ed25519 | Method::MlDsa(_) => false,
        }
    }

    /// `signatureAlgorithm` of a certificate, CRL or OCSP answer.
    #[must_use]
    pub fn algorithm_identifier(self) -> AlgorithmIdentifierOwned {
        match self.method {
            // RFC 3279, 4055, 9688: parameters are NULL.
            Method::RsaPkcs1 => identifier::with_null(self.oid),
            Method::RsaPss => identifier::rsa_pss_identifier(self.oid, self.hash),
            // RFC 5758, 8702, 9688 (ECDSA), 8410 (Ed25519), 9881 (ML-DSA): parameters are absent.
            Method::Ecdsa | Method::Ed25519 | Method::MlDsa(_) => identifier::bare(self.oid),
        }
    }

    /// `signatureAlgorithm` of a CMS SignerInfo: as in certificates, but plain rsaEncryption for PKCS#1 v1.5, which every
    /// reader knows (RFC 3370, 3.2).
    #[must_use]
    pub fn cms_algorithm_identifier(self) -> AlgorithmIdentifierOwned {
        match self.method {
            Method::RsaPkcs1 => identifier::with_null(identifier::RSA_ENCRYPTION),
            Method::RsaPss | Method::Ecdsa | Method::Ed25519 | Method::MlDsa(_) => self.algorithm_identifier(),
        }
    }

    /// `digestAlgorithm` of a CMS SignerInfo.
    #[must_use]
    pub fn digest_algorithm_identifier(self) -> AlgorithmIdentifierOwned {
        identifier::digest(self.hash)
    }

    pub(super) const fn method(self) -> Method {
        self.method
    }
}

/// The table of hashes and keys: what has an object identifier is defined.
const fn define(spec: KeySpec, hash: HashType, pss: bool) -> Option<(Method, ObjectIdentifier)> {
    let (method, oid) = match spec {
        KeySpec::Rsa(_) if pss || is_shake(hash) => (Method::RsaPss, identifier::rsa_pss(hash)),
        KeySpec::Rsa(_) => (Method::RsaPkcs1, identifier::rsa_pkcs1(hash)),
        KeySpec::Ec(_) => (Method::Ecdsa, identifier::ecdsa(hash)),
        KeySpec::Ed25519 => (Method::Ed25519, identifier::ed25519(hash)),
        KeySpec::MlDsa(set) => (Method::MlDsa(set), identifier::ml_dsa(set, hash)),
        KeySpec::Aes(_) | KeySpec::Hmac256 => return None,
    };
    match oid {
        Some(oid) => Some((method, oid)),
        None => None,
    }
}

const fn is_shake(hash: HashType) -> bool {
    matches!(hash, HashType::Shake128 | HashType::Shake256 | HashType::Shake256_64)
}

#[cfg(test)]
mod tests {
    use chancery_types::Curve;

    use super::*;
    use crate::RsaSize;

    fn allowed(spec: KeySpec, pss: bool) -> String {
        let allows = |hash: &HashType| SignatureScheme::for_key(spec, *hash, pss).is_ok();
        let names: Vec<_> = HashType::ALL.iter().copied().filter(allows).map(HashType::as_str).collect();
        names.join(" ")
    }

    /// Section 6 of the interface, row by row.
    #[test]
    fn every_cell_of_the_table() {
        let sha = "Sha1 Sha2_224 Sha2_256 Sha2_384 Sha2_512 Sha3_224 Sha3_256 Sha3_384 Sha3_512";
        let with_shake = format!("{sha} Shake128 Shake256 Shake256_64");
        let rsa = KeySpec::Rsa(RsaSize::Bits3072);
        assert_eq!(allowed(rsa, false), format!("Md5 RipeMd {with_shake}"));
        assert_eq!(allowed(rsa, true), with_shake);
        for pss in [false, true] {
            assert_eq!(allowed(KeySpec::Ec(Curve::P521), pss), with_shake);
            assert_eq!(allowed(KeySpec::Ed25519, pss), "Sha2_512");
            assert_eq!(
                allowed(KeySpec::MlDsa(MlDsaSet::MlDsa44), pss),
                "Sha2_256 Sha2_384 Sha2_512 Sha3_256 Sha3_384 Sha3_512 Shake128 Shake256 Shake256_64"
            );
            assert_eq!(
                allowed(KeySpec::MlDsa(MlDsaSet::MlDsa65), pss),
                "Sha2_384 Sha2_512 Sha3_384 Sha3_512 Shake256 Shake256_64"
            );
            assert_eq!(allowed(KeySpec::MlDsa(MlDsaSet::MlDsa87), pss), "Sha2_512 Sha3_512 Shake256 Shake256_64");
            assert_eq!(allowed(KeySpec::Hmac256, pss), "");
        }
    }

    #[test]
    fn a_refusal_names_what_is_allowed() {
        let refusal = |spec, pss| SignatureScheme::for_key(spec, HashType::Md5, pss).unwrap_err().to_string();
        assert_eq!(refusal(KeySpec::Ed25519, false), "Md5 is not defined for Ed25519 keys; allowed: Sha2_512");
        assert_eq!(refusal(KeySpec::Hmac256, false), "HMAC-256 keys do not sign");
    }
}
