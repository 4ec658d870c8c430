//! Key types: which kinds of keys there are to choose from, and what they may be used for.

use chancery_keys::{AesSize, KeySpec, MlDsaSet, Purpose, RsaSize};
use chancery_types::{
    Curve, KeyTypeId, KeyUsage,
    wire::{
        ObjInfo,
        key_types::{KeyParameters, KeyTypeStub},
    },
};

/// A key type. All are built in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KeyType {
    pub(crate) id: KeyTypeId,
    pub(crate) name: &'static str,
    pub(crate) spec: KeySpec,
    pub(crate) purpose: Purpose,
    pub(crate) usages: &'static [KeyUsage],
}

const SIGN: &[KeyUsage] = &[KeyUsage::Sign];
const BOTH_WAYS: &[KeyUsage] = &[KeyUsage::Tokenize, KeyUsage::Detokenize];
/// An HMAC leads nowhere back.
const ONE_WAY: &[KeyUsage] = &[KeyUsage::Tokenize];

/// The id of the built-in key type with this number: "kt" in ASCII stands in its fourth group.
const fn id(number: u128) -> KeyTypeId {
    KeyTypeId::from_u128((0x6b74 << 48) | number)
}

const fn signing(number: u128, name: &'static str, spec: KeySpec) -> KeyType {
    KeyType { id: id(number), name, spec, purpose: Purpose::Sign, usages: SIGN }
}

const fn data(number: u128, name: &'static str, spec: KeySpec, usages: &'static [KeyUsage]) -> KeyType {
    KeyType { id: id(number), name, spec, purpose: Purpose::Data, usages }
}

/// All key types, by exact name.
pub(crate) static BUILT_IN: &[KeyType] = &[
    signing(1, "RSA 2048 Signing", KeySpec::Rsa(RsaSize::Bits2048)),
    signing(2, "RSA 3072 Signing", KeySpec::Rsa(RsaSize::Bits3072)),
    signing(3, "RSA 4096 Signing", KeySpec::Rsa(RsaSize::Bits4096)),
    signing(4, "EC P-256 Signing", KeySpec::Ec(Curve::P256)),
    signing(5, "EC P-384 Signing", KeySpec::Ec(Curve::P384)),
    signing(6, "EC P-521 Signing", KeySpec::Ec(Curve::P521)),
    signing(7, "Ed25519 Signing", KeySpec::Ed25519),
    signing(8, "ML-DSA-44 Signing", KeySpec::MlDsa(MlDsaSet::MlDsa44)),
    signing(9, "ML-DSA-65 Signing", KeySpec::MlDsa(MlDsaSet::MlDsa65)),
    signing(10, "ML-DSA-87 Signing", KeySpec::MlDsa(MlDsaSet::MlDsa87)),
    data(11, "AES-128 Tokenization", KeySpec::Aes(AesSize::Bits128), BOTH_WAYS),
    data(12, "AES-256 Tokenization", KeySpec::Aes(AesSize::Bits256), BOTH_WAYS),
    data(13, "HMAC-SHA-256 Tokenization", KeySpec::Hmac256, ONE_WAY),
];

impl KeyType {
    /// The key type of this id.
    pub(crate) fn by_id(id: KeyTypeId) -> Option<&'static Self> {
        BUILT_IN.iter().find(|key_type| key_type.id == id)
    }

    /// The key type for keys of this kind.
    pub(crate) fn by_spec(spec: KeySpec) -> Option<&'static Self> {
        BUILT_IN.iter().find(|key_type| key_type.spec == spec)
    }

    /// The names of the key types for a purpose, for messages.
    pub(crate) fn names(purpose: Purpose) -> String {
        let names: Vec<_> =
            BUILT_IN.iter().filter(|key_type| key_type.purpose == purpose).map(|key_type| key_type.name).collect();
        names.join(", ")
    }

    /// As lists show it.
    pub(crate) fn stub(&self) -> KeyTypeStub {
        KeyTypeStub {
            obj_info: ObjInfo { name: self.name.to_owned(), uuid: self.id },
            parameters: parameters(self.spec),
            usages: self.usages.to_vec(),
            system: true,
        }
    }
}

/// A kind of key in the interface's words.
pub(crate) const fn parameters(spec: KeySpec) -> KeyParameters {
    KeyParameters { key_algorithm: spec.algorithm(), key_size: spec.size(), curve: spec.curve() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_those_of_the_interface() {
        let listed: Vec<_> = BUILT_IN.iter().map(|key_type| key_type.name).collect();
        assert_eq!(
            listed,
            [
                "RSA 2048 Signing",
                "RSA 3072 Signing",
                "RSA 4096 Signing",
                "EC P-256 Signing",
                "EC P-384 Signing",
                "EC P-521 Signing",
                "Ed25519 Signing",
                "ML-DSA-44 Signing",
                "ML-DSA-65 Signing",
                "ML-DSA-87 Signing",
                "AES-128 Tokenization",
                "AES-256 Tokenization",
                "HMAC-SHA-256 Tokenization",
            ]
        );
        assert_eq!(BUILT_IN[12].id.to_string(), "00000000-0000-0000-6b74-00000000000d");
        for key_type in BUILT_IN {
            assert_eq!(KeyType::by_id(key_type.id), Some(key_type));
            assert_eq!(KeyType::by_spec(key_type.spec), Some(key_type));
            assert!(key_type.spec.fits(key_type.purpose));
        }
    }
}
