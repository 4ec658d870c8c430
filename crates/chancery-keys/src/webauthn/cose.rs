//! Public keys of authenticators (COSE, RFC 9053), as SubjectPublicKeyInfo: what follows does not know where a key is from.

use der::{
    Encode as _,
    asn1::{AnyRef, BitStringRef, UintRef},
};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use super::cbor::{Key, Reader};
use crate::sign::{RSA_ENCRYPTION, RsaPublicKey};

/// `id-ecPublicKey` on P-256, up to the coordinates of an uncompressed point.
pub(super) const P256: [u8; 27] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
];

/// `id-Ed25519`, up to the key.
pub(super) const ED25519: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The algorithms that are asked for, in the order of preference: ES256, EdDSA, RS256.
pub const PASSKEY_ALGORITHMS: [i64; 3] = [-7, -8, -257];

/// Members of a key, by their labels (RFC 9052, 7.1; RFC 9053, 7.1 and 7.2; RFC 8230, 4).
#[derive(Default)]
struct Members<'a> {
    kty: Option<i64>,
    alg: Option<i64>,
    /// `crv` of an elliptic curve.
    curve: Option<i64>,
    /// `n` of RSA; it has the label of `crv`.
    modulus: Option<&'a [u8]>,
    /// `x` of a curve, `e` of RSA.
    second: Option<&'a [u8]>,
    /// `y`.
    third: Option<&'a [u8]>,
}

/// The SubjectPublicKeyInfo of a key that stands at the beginning of these bytes, and what stands behind it.
pub(super) fn read(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut reader = Reader::new(bytes);
    let mut found = Members::default();
    let mut last = None;
    for _ in 0..reader.map()? {
        let Key::Number(label) = reader.key()? else { return None };
        // In the order of their encodings, each once: 1, 3, -1, -2, -3.
        let place = if label >= 0 { label } else { 256_i64.saturating_sub(label) };
        if last.is_some_and(|last| last >= place) {
            return None;
        }
        last = Some(place);
        match label {
            1 => found.kty = Some(reader.number()?),
            3 => found.alg = Some(reader.number()?),
            -1 if found.kty == Some(3) => found.modulus = Some(reader.bytes()?),
            -1 => found.curve = Some(reader.number()?),
            -2 => found.second = Some(reader.bytes()?),
            -3 => found.third = Some(reader.bytes()?),
            // A private part, or what changes what the key is for.
            _ => return None,
        }
    }
    Some((found.spki()?, reader.rest()))
}

impl Members<'_> {
    fn spki(&self) -> Option<Vec<u8>> {
        match *self {
            Self {
                kty: Some(2),
                alg: Some(-7),
                curve: Some(1),
                modulus: None,
                second: Some(x),
                third: Some(y),
                ..
            } => (x.len() == 32 && y.len() == 32).then(|| [&P256[..], x, y].concat()),
            Self {
                kty: Some(1), alg: Some(-8), curve: Some(6), modulus: None, second: Some(x), third: None, ..
            } => (x.len() == 32).then(|| [&ED25519[..], x].concat()),
            Self {
                kty: Some(3), alg: Some(-257), curve: None, modulus: Some(n), second: Some(e), third: None, ..
            } => rsa(n, e),
            _ => None,
        }
    }
}

fn rsa(modulus: &[u8], exponent: &[u8]) -> Option<Vec<u8>> {
    let key = RsaPublicKey { modulus: UintRef::new(modulus).ok()?, public_exponent: UintRef::new(exponent).ok()? };
    let key = key.to_der().ok()?;
    let algorithm = AlgorithmIdentifierRef { oid: RSA_ENCRYPTION, parameters: Some(AnyRef::NULL) };
    SubjectPublicKeyInfoRef { algorithm, subject_public_key: BitStringRef::from_bytes(&key).ok()? }.to_der().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, SignatureScheme, kind_of_public_key, verify};
    use chancery_types::HashType;

    // Made by authenticators: a security key (ES256, EdDSA) and a TPM (RS256), as python-fido2's tests have them.
    const ES256: &str = "a5010203262001215820a5fd5ce1b1c458c530a54fa61b31bf6b04be8b97afde54dd8cbb69275a8a1be1225820fa3a3231\
        dd9deed9d1897be5a6228c59501e4bcd12975d3dff730f01278ea61c";
    const EDDSA: &str = "a4010103272006215820ee9b21803405d3cf45601e58b6f4c06ea93862de87d3af903c5870a5016e86f5";
    const RS256: &str = "a401030339010020590100b610dce84b65029fae24f7bf8a1730d37bc91435642a628e691e9b030bf3f7cec59ff91cbe82c54d\
        e16c136fa4fa8a58939b5a950b32e03073592fec8d8b33601c04f70e5e2d5cf7b4e805e1990ea5a86928a1b390eb9026527933acc03e6e41\
        dc0be40aa5eb7b9b460743e4dd80895a758fb3f3f794e5e9b8310d3a60c28f2410d95cf6e732749a243a30475267628b456de770bc2185bb\
        ed1d451ecb0062a3d132c0e4d842e0ddf93a444a3ee33a85c2e913156361713155f1f1dc64e8e68ed176466553bbde669eb82810b104cb44\
        07d32ae6316c3bd6f382ec3ae2c5fd49304986d64d92ed11c25b6c5cf1287233545a987e9a3e169f99790603dba5c8ad2143010001";

    fn key(hex: &str) -> Vec<u8> {
        hex::decode(hex).unwrap()
    }

    fn spki(bytes: &[u8]) -> Option<Vec<u8>> {
        read(bytes).filter(|(_, rest)| rest.is_empty()).map(|(spki, _)| spki)
    }

    #[test]
    fn signatures_of_authenticators_are_verified_with_their_keys() {
        let cases = [
            (
                ES256,
                "0021f5fc0b85cd22e60623bcd7d1ca48948909249b4776eb515154e57b66ae12010000002c\
                 7b89f12a9088b0f5ee0ef8f6718bccc374249c31aeebaeb79bd0450132cd536c",
                "304402202b3933fe954a2d29de691901eb732535393d4859aaa80d58b08741598109516d0220236fbe6b52326c0a6b1cfdc6bf0a35\
                 bda92a6c2e41e40c3a1643428d820941e0",
            ),
            (
                EDDSA,
                "a379a6f6eeafb9a55e378c118034e2751e682fab9f2d30ab13d2125586ce1947010000000500a11a323057d1103784ddff99a354dd\
                 d42348c2f00e88d8977b916cabf92268",
                "e8c927ef1a57c738ff4ba8d6f90e06d837a5219eee47991f96b126b0685d512520c9c2eedebe4b88ff2de2b19cb5f8686efc7c4261\
                 e9ed1cb3ac5de50869be0a",
            ),
            (
                RS256,
                "0021f5fc0b85cd22e60623bcd7d1ca48948909249b4776eb515154e57b66ae12010000002e\
                 cc9340fd84950987ba667dbe9b2c97c7241e15e2b54869a0dd1ce2013c4064b8",
                "071b707d11f0e7f62861dfaca89c4e674321ad8a6e329fdd40c7d6971348fbb0514e7b2b0efe215baac0365c4124a808f8180d6575\
                 b710e7c01dae8f052d0c5a2ce82f487c656e7ad824f3d699be389addde2cbf39e87a8955e93202bae8830ab4139a7688dfdad849f1\
                 bb689f3852ba05bed70897553cc44704f6941fd1467ad6a46b4dab503716d386fe7b398e78e0a5a8c4040539d2c9bfa37e4d94f960\
                 91ffd1d194de2ca58e9124a39757f013801421e09bd261ada31992a8b0386a80af51a87bd0cee8fdab0d4651477670d4c7b245489b\
                 ed30a57b83964db79418d5a4f5f2e5abca274426c9f90b007a962ae15dff7343af9e110746e2db9226d785c6",
            ),
        ];
        for (cose, message, signature) in cases {
            let spki = spki(&key(cose)).unwrap();
            let spec = kind_of_public_key(&spki).unwrap();
            let hash = if cose == EDDSA { HashType::Sha2_512 } else { HashType::Sha2_256 };
            let scheme = SignatureScheme::for_key(spec, hash, false).unwrap();
            let (message, mut signature) = (key(message), key(signature));
            verify(&spki, scheme, Input::Message(&message), &signature).unwrap();
            *signature.last_mut().unwrap() ^= 1;
            verify(&spki, scheme, Input::Message(&message), &signature).unwrap_err();
        }
    }

    #[test]
    fn what_is_no_plain_public_key_is_refused() {
        let good = key(ES256);
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            bytes
        };
        // kty, alg and crv of something else; a length of a coordinate; a label that comes twice, and one too many.
        for bytes in [with(2, 1), with(2, 3), with(4, 0x27), with(6, 2), with(9, 31), with(7, 0x20), with(0, 0xa6)] {
            assert_eq!(spki(&bytes), None, "{}", hex::encode(bytes));
        }
        for len in 0..good.len() {
            assert_eq!(spki(&good[..len]), None, "cut at {len}");
        }
        let more = [&good[..], &[0]].concat();
        assert_eq!(read(&more).map(|(_, rest)| rest.to_vec()), Some(vec![0]));
        // A private part (-4), members in another order, RS256 of a curve.
        assert_eq!(spki(&key(&ES256.replacen("a5", "a6", 1).replace("8ea61c", "8ea61c2341ff"))), None);
        assert_eq!(spki(&key(&EDDSA.replace("01010327", "03270101"))), None);
        assert_eq!(spki(&key(&EDDSA.replace("0327", "03390100"))), None);
    }
}
