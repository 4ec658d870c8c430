//! Signatures, verified by the `openssl` program.

use std::{fs, path::Path, process::Command};

use chancery_keys::{Input, KeySpec, MlDsaSet, Purpose, RsaSize, SignError, SignatureScheme, SigningKey, hash};
use chancery_types::{Curve, HashType};

use crate::custody::{custodian, key_ref};

const MESSAGE: &[u8] = b"to whom it may concern";

fn key(spec: KeySpec) -> SigningKey {
    let custodian = custodian();
    let new = custodian.generate(key_ref(Purpose::Sign, spec)).unwrap();
    custodian.open_signing_key(&new.sealed).unwrap()
}

/// What `openssl` says of a signature over [`MESSAGE`].
fn openssl_accepts(key: &SigningKey, signature: &[u8], arguments: &[&str]) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let (public_key, signature) = (file("key", key.public_key_spki()), file("signature", signature));
    let message = file("message", MESSAGE);
    run(&public_key, &signature, &message, arguments)
}

fn run(public_key: &Path, signature: &Path, message: &Path, arguments: &[&str]) -> bool {
    let mut openssl = Command::new("openssl");
    openssl.args(["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey"]).arg(public_key);
    openssl.arg("-sigfile").arg(signature).arg("-in").arg(message).args(arguments);
    let output = openssl.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    match said.trim() {
        "Signature Verified Successfully" => true,
        "Signature Verification Failure" => false,
        _ => panic!("openssl {arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Signs the message and its digest, and has both verified, and a changed signature refused.
fn check(key: &SigningKey, hash_type: HashType, pss: bool, arguments: &[&str]) {
    let scheme = SignatureScheme::for_key(key.key().spec, hash_type, pss).unwrap();
    let digest = hash(hash_type, MESSAGE);
    for input in [Input::Message(MESSAGE), Input::Digest(&digest)] {
        let signature = key.sign(scheme, input).unwrap();
        assert!(openssl_accepts(key, &signature, arguments), "{scheme:?} {arguments:?}");
    }
    let other = key.sign(scheme, Input::Message(b"another message")).unwrap();
    assert!(!openssl_accepts(key, &other, arguments), "{scheme:?} {arguments:?}");
}

#[test]
fn rsa_pkcs1_v1_5() {
    for size in [RsaSize::Bits2048, RsaSize::Bits3072, RsaSize::Bits4096] {
        check(&key(KeySpec::Rsa(size)), HashType::Sha2_256, false, &["-rawin", "-digest", "sha256"]);
    }
}

#[test]
fn ecdsa() {
    for curve in [Curve::P256, Curve::P384, Curve::P521] {
        check(&key(KeySpec::Ec(curve)), HashType::Sha2_256, false, &["-rawin", "-digest", "sha256"]);
    }
}

#[test]
fn ed25519() {
    let key = key(KeySpec::Ed25519);
    let scheme = SignatureScheme::for_key(KeySpec::Ed25519, HashType::Sha2_512, false).unwrap();
    let signature = key.sign(scheme, Input::Message(MESSAGE)).unwrap();
    assert!(openssl_accepts(&key, &signature, &["-rawin"]));
    let other = key.sign(scheme, Input::Message(b"another message")).unwrap();
    assert!(!openssl_accepts(&key, &other, &["-rawin"]));
}

#[test]
fn ed25519_and_ml_dsa_refuse_digests() {
    let digest = hash(HashType::Sha2_512, MESSAGE);
    for spec in [KeySpec::Ed25519, KeySpec::MlDsa(MlDsaSet::MlDsa65)] {
        let scheme = SignatureScheme::for_key(spec, HashType::Sha2_512, false).unwrap();
        assert_eq!(key(spec).sign(scheme, Input::Digest(&digest)), Err(SignError::NeedsMessage));
    }
}

#[test]
fn a_digest_of_another_hash_is_refused() {
    let spec = KeySpec::Ec(Curve::P256);
    let scheme = SignatureScheme::for_key(spec, HashType::Sha2_256, false).unwrap();
    let digest = hash(HashType::Sha3_256, MESSAGE);
    assert_eq!(key(spec).sign(scheme, Input::Digest(&digest)), Err(SignError::WrongDigest));
}

#[test]
fn a_scheme_for_another_kind_of_key_is_refused() {
    let scheme = |spec| SignatureScheme::for_key(spec, HashType::Sha2_512, false).unwrap();
    let (ec, ml_dsa) = (key(KeySpec::Ec(Curve::P256)), key(KeySpec::MlDsa(MlDsaSet::MlDsa44)));
    for other in [KeySpec::Rsa(RsaSize::Bits2048), KeySpec::Ed25519, KeySpec::MlDsa(MlDsaSet::MlDsa44)] {
        assert_eq!(ec.sign(scheme(other), Input::Message(MESSAGE)), Err(SignError::WrongKey));
    }
    let larger = scheme(KeySpec::MlDsa(MlDsaSet::MlDsa65));
    assert_eq!(ml_dsa.sign(larger, Input::Message(MESSAGE)), Err(SignError::WrongKey));
}
