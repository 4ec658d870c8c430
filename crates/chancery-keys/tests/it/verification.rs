//! Verification: what was signed is accepted, and nothing else.

use chancery_keys::{Input, KeySpec, Purpose, RsaSize, SignError, SignatureScheme, VerifyError, hash, verify};
use chancery_types::{Curve, HashType};

use crate::signatures::{MESSAGE, key, schemes};

#[test]
fn a_signature_is_accepted_for_its_message_key_and_scheme_only() {
    // The shortest RSA key, for speed, and every other kind.
    let longer_rsa = [RsaSize::Bits3072, RsaSize::Bits4096].map(KeySpec::Rsa);
    let specs = KeySpec::ALL.iter().copied();
    for spec in specs.filter(|spec| spec.fits(Purpose::Sign) && !longer_rsa.contains(spec)) {
        let (one, other) = (key(spec), key(spec));
        for scheme in schemes(spec) {
            let signature = one.sign(scheme, Input::Message(MESSAGE)).unwrap();
            let accepts =
                |key: &[u8], message, signature: &[u8]| verify(key, scheme, Input::Message(message), signature);
            let key = one.public_key_spki();
            assert_eq!(accepts(key, MESSAGE, &signature), Ok(()), "{scheme:?}");
            assert_eq!(accepts(key, b"another", &signature), Err(VerifyError::Signature), "{scheme:?}");
            assert_eq!(accepts(other.public_key_spki(), MESSAGE, &signature), Err(VerifyError::Signature));
            for wrong in [&signature[1..], &signature[..signature.len() - 1], &[], &[&signature[..], &[0]].concat()] {
                assert_eq!(accepts(key, MESSAGE, wrong), Err(VerifyError::Signature), "{scheme:?}");
            }
            if scheme.signs_digests() {
                let digest = hash(scheme.hash(), MESSAGE);
                assert_eq!(verify(key, scheme, Input::Digest(&digest), &signature), Ok(()), "{scheme:?}");
            }
        }
    }
}

#[test]
fn rsa_padding_of_another_scheme_is_refused() {
    let key = key(KeySpec::Rsa(RsaSize::Bits2048));
    let scheme = |hash, pss| SignatureScheme::for_key(key.key().spec, hash, pss).unwrap();
    let digest = hash(HashType::Sha2_256, MESSAGE);
    let signature = key.sign(scheme(HashType::Sha2_256, false), Input::Digest(&digest)).unwrap();
    for other in [scheme(HashType::Sha2_256, true), scheme(HashType::Sha3_256, false)] {
        let verdict = verify(key.public_key_spki(), other, Input::Message(MESSAGE), &signature);
        assert_eq!(verdict, Err(VerifyError::Signature), "{other:?}");
    }
}

#[test]
fn a_public_key_of_another_kind_is_told() {
    let keys = [KeySpec::Rsa(RsaSize::Bits2048), KeySpec::Ec(Curve::P256), KeySpec::Ed25519].map(key);
    for signer in &keys {
        let scheme = SignatureScheme::for_key(signer.key().spec, HashType::Sha2_512, false).unwrap();
        for other in keys.iter().filter(|other| other.key().spec != signer.key().spec) {
            let verdict = verify(other.public_key_spki(), scheme, Input::Message(MESSAGE), b"");
            assert_eq!(verdict, Err(VerifyError::PublicKey));
        }
        assert_eq!(verify(b"junk", scheme, Input::Message(MESSAGE), b""), Err(VerifyError::PublicKey));
    }
}

#[test]
fn inputs_are_refused_as_when_signing() {
    let digest = hash(HashType::Sha2_256, MESSAGE);
    for (spec, reason) in
        [(KeySpec::Ed25519, SignError::NeedsMessage), (KeySpec::Ec(Curve::P256), SignError::WrongDigest)]
    {
        let scheme = SignatureScheme::for_key(spec, HashType::Sha2_512, false).unwrap();
        let verdict = verify(key(spec).public_key_spki(), scheme, Input::Digest(&digest), b"");
        assert_eq!(verdict, Err(VerifyError::Input(reason)));
    }
}

/// RFC 8032, 7.1, test 2.
#[test]
fn vector_of_rfc_8032() {
    let public_key = "302a300506032b6570032100\
                      3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    let signature = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
                     085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    let scheme = SignatureScheme::for_key(KeySpec::Ed25519, HashType::Sha2_512, false).unwrap();
    let (public_key, signature) = (hex::decode(public_key).unwrap(), hex::decode(signature).unwrap());
    assert_eq!(verify(&public_key, scheme, Input::Message(&[0x72]), &signature), Ok(()));
    assert_eq!(verify(&public_key, scheme, Input::Message(&[0x73]), &signature), Err(VerifyError::Signature));
}
