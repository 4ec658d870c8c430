//! Kinds of keys.

use std::{fmt, str::FromStr};

use chancery_types::{Curve, KeyAlgorithm};

use crate::Purpose;

/// Length of an RSA modulus in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the lengths")]
pub enum RsaSize {
    Bits2048,
    Bits3072,
    Bits4096,
}

/// Parameter set of ML-DSA (FIPS 204).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in FIPS 204")]
pub enum MlDsaSet {
    MlDsa44,
    MlDsa65,
    MlDsa87,
}

/// Length of an AES key in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the lengths")]
pub enum AesSize {
    Bits128,
    Bits192,
    Bits256,
}

/// The kind of a key: algorithm and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeySpec {
    /// RSA with public exponent 65537.
    Rsa(RsaSize),
    /// An elliptic curve, for ECDSA.
    Ec(Curve),
    /// Ed25519 (RFC 8032).
    Ed25519,
    /// ML-DSA (FIPS 204), kept as its 32-byte seed.
    MlDsa(MlDsaSet),
    /// AES, for FF1 and AES-GCM.
    Aes(AesSize),
    /// 256 bits for HMAC-SHA-256.
    Hmac256,
}

impl KeySpec {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Rsa(RsaSize::Bits2048),
        Self::Rsa(RsaSize::Bits3072),
        Self::Rsa(RsaSize::Bits4096),
        Self::Ec(Curve::P256),
        Self::Ec(Curve::P384),
        Self::Ec(Curve::P521),
        Self::Ed25519,
        Self::MlDsa(MlDsaSet::MlDsa44),
        Self::MlDsa(MlDsaSet::MlDsa65),
        Self::MlDsa(MlDsaSet::MlDsa87),
        Self::Aes(AesSize::Bits128),
        Self::Aes(AesSize::Bits192),
        Self::Aes(AesSize::Bits256),
        Self::Hmac256,
    ];

    /// The kind with this algorithm and `keySize` or `curve`, the parameters of the interface. A size given together
    /// with a curve must be the curve's; Ed25519 needs neither.
    #[must_use]
    pub fn from_parameters(algorithm: KeyAlgorithm, size: Option<u32>, curve: Option<Curve>) -> Option<Self> {
        let fits = |spec: &Self| {
            spec.algorithm() == algorithm
                && match (size, curve) {
                    (None, None) => matches!(spec, Self::Ed25519),
                    (size, curve) => {
                        size.is_none_or(|size| size == spec.size()) && (curve.is_none() || curve == spec.curve())
                    }
                }
        };
        Self::ALL.iter().copied().find(fits)
    }

    /// The algorithm family.
    #[must_use]
    pub const fn algorithm(self) -> KeyAlgorithm {
        match self {
            Self::Rsa(_) => KeyAlgorithm::Rsa,
            Self::Ec(_) => KeyAlgorithm::Ec,
            Self::Ed25519 => KeyAlgorithm::Ed25519,
            Self::MlDsa(_) => KeyAlgorithm::MlDsa,
            Self::Aes(_) => KeyAlgorithm::Aes,
            Self::Hmac256 => KeyAlgorithm::Hmac,
        }
    }

    /// `keySize`: bits of the modulus, of the curve's field or of the secret; for ML-DSA the number in its name.
    #[must_use]
    pub const fn size(self) -> u32 {
        match self {
            Self::Rsa(RsaSize::Bits2048) => 2048,
            Self::Rsa(RsaSize::Bits3072) => 3072,
            Self::Rsa(RsaSize::Bits4096) => 4096,
            Self::Ec(curve) => curve.bits(),
            Self::Ed25519 | Self::Hmac256 | Self::Aes(AesSize::Bits256) => 256,
            Self::MlDsa(MlDsaSet::MlDsa44) => 44,
            Self::MlDsa(MlDsaSet::MlDsa65) => 65,
            Self::MlDsa(MlDsaSet::MlDsa87) => 87,
            Self::Aes(AesSize::Bits128) => 128,
            Self::Aes(AesSize::Bits192) => 192,
        }
    }

    /// The curve of an EC key.
    #[must_use]
    pub const fn curve(self) -> Option<Curve> {
        match self {
            Self::Ec(curve) => Some(curve),
            Self::Rsa(_) | Self::Ed25519 | Self::MlDsa(_) | Self::Aes(_) | Self::Hmac256 => None,
        }
    }

    /// Whether keys of this kind can serve a purpose.
    #[must_use]
    pub const fn fits(self, purpose: Purpose) -> bool {
        match self {
            Self::Rsa(_) | Self::MlDsa(_) => matches!(purpose, Purpose::Sign),
            Self::Ec(_) => matches!(purpose, Purpose::Sign | Purpose::Transport),
            Self::Ed25519 => matches!(purpose, Purpose::Sign | Purpose::Log | Purpose::Ledger),
            Self::Aes(_) => matches!(purpose, Purpose::Data),
            Self::Hmac256 => {
                matches!(purpose, Purpose::Data | Purpose::Bearer | Purpose::Rows | Purpose::Journal)
            }
        }
    }

    /// The spelling in the store, and part of what a seal binds: it never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rsa(RsaSize::Bits2048) => "RSA-2048",
            Self::Rsa(RsaSize::Bits3072) => "RSA-3072",
            Self::Rsa(RsaSize::Bits4096) => "RSA-4096",
            Self::Ec(Curve::P256) => "EC-P-256",
            Self::Ec(Curve::P384) => "EC-P-384",
            Self::Ec(Curve::P521) => "EC-P-521",
            Self::Ed25519 => "Ed25519",
            Self::MlDsa(MlDsaSet::MlDsa44) => "ML-DSA-44",
            Self::MlDsa(MlDsaSet::MlDsa65) => "ML-DSA-65",
            Self::MlDsa(MlDsaSet::MlDsa87) => "ML-DSA-87",
            Self::Aes(AesSize::Bits128) => "AES-128",
            Self::Aes(AesSize::Bits192) => "AES-192",
            Self::Aes(AesSize::Bits256) => "AES-256",
            Self::Hmac256 => "HMAC-256",
        }
    }
}

impl fmt::Display for KeySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for KeySpec {
    type Err = chancery_types::UnknownSpelling;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|spec| spec.as_str() == text).ok_or(chancery_types::UnknownSpelling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_and_parameters_name_each_kind_once() {
        for spec in KeySpec::ALL {
            assert_eq!(spec.as_str().parse(), Ok(*spec));
            assert_eq!(KeySpec::from_parameters(spec.algorithm(), Some(spec.size()), spec.curve()), Some(*spec));
        }
    }

    #[test]
    fn parameters_that_name_no_kind() {
        for (algorithm, size, curve) in [
            (KeyAlgorithm::Rsa, Some(1024), None),
            (KeyAlgorithm::Rsa, None, None),
            (KeyAlgorithm::Rsa, Some(2048), Some(Curve::P256)),
            (KeyAlgorithm::Ec, None, None),
            (KeyAlgorithm::Ec, Some(384), Some(Curve::P256)),
            (KeyAlgorithm::Ed25519, Some(512), None),
            (KeyAlgorithm::Aes, Some(512), None),
        ] {
            assert_eq!(KeySpec::from_parameters(algorithm, size, curve), None, "{algorithm} {size:?} {curve:?}");
        }
        assert_eq!(KeySpec::from_parameters(KeyAlgorithm::Ed25519, None, None), Some(KeySpec::Ed25519));
        assert_eq!(KeySpec::from_parameters(KeyAlgorithm::Ec, None, Some(Curve::P384)), Some(KeySpec::Ec(Curve::P384)));
    }
}
