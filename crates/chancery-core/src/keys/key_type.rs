//! The key types of the interface: the id, the name and the usages of each `KeySpec` that there is to choose from.

use chancery_keys::{AesSize, KeySpec, MlDsaSet, Purpose, RsaSize};
use chancery_types::{
    Curve, KeyTypeId, KeyUsage,
    wire::{
        ObjInfo,
        key_types::{KeyParameters, KeyTypeStub},
    },
};

/// The kinds of keys that there are to choose from, in the order of their numbers.
pub(crate) fn all() -> impl Iterator<Item = KeySpec> {
    KeySpec::ALL.iter().copied().filter(|spec| *spec != KeySpec::Aes(AesSize::Bits192))
}

/// The kind of keys that this id stands for.
pub(crate) fn by_id(id: KeyTypeId) -> Option<KeySpec> {
    all().find(|spec| self::id(*spec) == id)
}

/// The id of a key type: "kt" in ASCII stands in its fourth group, and a number at the end.
pub(crate) const fn id(spec: KeySpec) -> KeyTypeId {
    KeyTypeId::from_u128((0x6b74 << 48) | numbered(spec).0)
}

/// The name of a key type.
pub(crate) const fn name(spec: KeySpec) -> &'static str {
    numbered(spec).1
}

/// Numbers are part of ids and never change.
const fn numbered(spec: KeySpec) -> (u128, &'static str) {
    match spec {
        KeySpec::Rsa(RsaSize::Bits2048) => (1, "RSA 2048 Signing"),
        KeySpec::Rsa(RsaSize::Bits3072) => (2, "RSA 3072 Signing"),
        KeySpec::Rsa(RsaSize::Bits4096) => (3, "RSA 4096 Signing"),
        KeySpec::Ec(Curve::P256) => (4, "EC P-256 Signing"),
        KeySpec::Ec(Curve::P384) => (5, "EC P-384 Signing"),
        KeySpec::Ec(Curve::P521) => (6, "EC P-521 Signing"),
        KeySpec::Ed25519 => (7, "Ed25519 Signing"),
        KeySpec::MlDsa(MlDsaSet::MlDsa44) => (8, "ML-DSA-44 Signing"),
        KeySpec::MlDsa(MlDsaSet::MlDsa65) => (9, "ML-DSA-65 Signing"),
        KeySpec::MlDsa(MlDsaSet::MlDsa87) => (10, "ML-DSA-87 Signing"),
        KeySpec::Aes(AesSize::Bits128) => (11, "AES-128 Tokenization"),
        KeySpec::Aes(AesSize::Bits256) => (12, "AES-256 Tokenization"),
        KeySpec::Hmac256 => (13, "HMAC-SHA-256 Tokenization"),
        // Not to choose from.
        KeySpec::Aes(AesSize::Bits192) => (14, "AES-192 Tokenization"),
    }
}

/// What keys of a kind are for.
pub(crate) const fn purpose(spec: KeySpec) -> Purpose {
    if spec.fits(Purpose::Sign) { Purpose::Sign } else { Purpose::Data }
}

/// What keys of a kind may be used for.
pub(crate) const fn usages(spec: KeySpec) -> &'static [KeyUsage] {
    match spec {
        KeySpec::Rsa(_) | KeySpec::Ec(_) | KeySpec::Ed25519 | KeySpec::MlDsa(_) => &[KeyUsage::Sign],
        KeySpec::Aes(_) => &[KeyUsage::Tokenize, KeyUsage::Detokenize],
        // An HMAC leads nowhere back.
        KeySpec::Hmac256 => &[KeyUsage::Tokenize],
    }
}

/// The names of the key types for a purpose, for messages.
pub(crate) fn names(of: Purpose) -> String {
    all().filter(|spec| purpose(*spec) == of).map(name).collect::<Vec<_>>().join(", ")
}

/// As lists show it.
pub(crate) fn stub(spec: KeySpec) -> KeyTypeStub {
    KeyTypeStub {
        obj_info: ObjInfo { name: name(spec).to_owned(), uuid: id(spec) },
        parameters: parameters(spec),
        usages: usages(spec).to_vec(),
        system: true,
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
        let listed: Vec<_> = all().map(name).collect();
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
        assert_eq!(id(KeySpec::Hmac256).to_string(), "00000000-0000-0000-6b74-00000000000d");
        for (number, spec) in (1..).zip(all()) {
            assert_eq!(numbered(spec).0, number);
            assert_eq!(by_id(id(spec)), Some(spec));
            assert!(spec.fits(purpose(spec)));
        }
        assert_eq!(by_id(id(KeySpec::Aes(AesSize::Bits192))), None);
    }
}
