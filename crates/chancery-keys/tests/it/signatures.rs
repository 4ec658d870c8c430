//! Signatures of every scheme, verified by Bouncy Castle and by OpenSSL.

use chancery_keys::{
    Input, KeySpec, MlDsaSet, Purpose, RsaBatch, RsaSize, SIGNED_TOGETHER, SignError, SignatureScheme, SigningKey,
    ToSign, hash, sign_together, verify,
};
use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::{Base64, Curve, HashType};
use der::Encode;

use crate::custody::{custodian, key_ref};

pub(crate) const MESSAGE: &[u8] = b"to whom it may concern";

pub(crate) fn key(spec: KeySpec) -> SigningKey {
    let custodian = custodian();
    let new = custodian.generate(key_ref(Purpose::Sign, spec)).unwrap();
    custodian.open_signing_key(&new.sealed, RsaBatch::Allowed).unwrap()
}

/// Every scheme of a kind of key.
pub(crate) fn schemes(spec: KeySpec) -> Vec<SignatureScheme> {
    let cells = HashType::ALL.iter().flat_map(|hash| [(*hash, false), (*hash, true)]);
    let mut schemes: Vec<_> = cells.filter_map(|(hash, pss)| SignatureScheme::for_key(spec, hash, pss).ok()).collect();
    schemes.dedup();
    schemes
}

/// What can be signed: the message, and where the scheme signs digests, the digest of the same message. Each by itself and,
/// where that is another way, together with others.
fn signatures(key: &SigningKey, scheme: SignatureScheme) -> Vec<Vec<u8>> {
    let digest = hash(scheme.hash(), MESSAGE);
    let digest = scheme.signs_digests().then_some(Input::Digest(&digest));
    let sign = |input| {
        let to_sign = ToSign { key, scheme, input };
        let together = key.group().map(|_| sign_together(&vec![to_sign; *SIGNED_TOGETHER.end()]).signatures);
        together.unwrap_or_default().into_iter().skip(1).take(1).chain([to_sign.sign()])
    };
    let inputs = [Some(Input::Message(MESSAGE)), digest].into_iter().flatten();
    inputs.flat_map(sign).map(Result::unwrap).collect()
}

/// Of several signatures each is what it would be alone, whatever the others are.
#[test]
fn signatures_made_together_are_independent() {
    let (rsa, ec) = (key(KeySpec::Rsa(RsaSize::Bits2048)), key(KeySpec::Ec(Curve::P256)));
    let larger = key(KeySpec::Rsa(RsaSize::Bits3072));
    let scheme = |key: &SigningKey, hash| SignatureScheme::for_key(key.key().spec, hash, false).unwrap();
    let message = |key, hash| ToSign { key, scheme: scheme(key, hash), input: Input::Message(MESSAGE) };
    let wrong = hash(HashType::Sha1, MESSAGE);
    let all = [
        message(&rsa, HashType::Sha2_256),
        message(&ec, HashType::Sha2_256),
        message(&rsa, HashType::Sha2_512),
        ToSign { input: Input::Digest(&wrong), ..message(&rsa, HashType::Sha2_256) },
        message(&larger, HashType::Sha3_256),
        message(&rsa, HashType::RipeMd),
        message(&rsa, HashType::Md5),
        ToSign { scheme: scheme(&ec, HashType::Sha2_256), ..message(&rsa, HashType::Sha2_256) },
    ];
    let together = sign_together(&all);
    assert_eq!((together.signatures.len(), together.wrong), (all.len(), 0));
    for (i, (made, alone)) in together.signatures.into_iter().zip(all.map(ToSign::sign)).enumerate() {
        // ECDSA signs with fresh randomness each time.
        match i {
            1 => verify(ec.public_key_spki(), all[1].scheme, all[1].input, &made.unwrap()).unwrap(),
            _ => assert_eq!(made, alone, "{i}"),
        }
    }
    assert!(sign_together(&[]).signatures.is_empty());
}

/// Bouncy Castle is given the AlgorithmIdentifier and nothing else, so this tests that as well.
#[test]
fn bouncy_castle_accepts_every_scheme() {
    let mut lines = String::new();
    let mut expected = Vec::new();
    let smaller_and_larger = [RsaSize::Bits2048, RsaSize::Bits3072, RsaSize::Bits4096].map(KeySpec::Rsa);
    let others =
        KeySpec::ALL.iter().copied().filter(|spec| spec.fits(Purpose::Sign) && !smaller_and_larger.contains(spec));
    for spec in smaller_and_larger.into_iter().chain(others) {
        let key = key(spec);
        for scheme in schemes(spec) {
            let identifier = scheme.algorithm_identifier().to_der().unwrap();
            for signature in signatures(&key, scheme) {
                for (message, verdict) in [(MESSAGE, "good"), (b"another message", "bad")] {
                    let fields = [key.public_key_spki(), &identifier, message, &signature].map(Base64::encode);
                    lines += &(fields.join(" ") + "\n");
                    expected.push(format!("{spec} {scheme:?}: {verdict}"));
                }
            }
        }
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/bouncy_castle/Verify.java");
    let jars = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bouncycastle/*");
    let verdicts = Tool::new("java").args(["-cp", jars, source]).input(lines).run().text();
    let found: Vec<_> = verdicts
        .lines()
        .zip(&expected)
        .map(|(verdict, line)| format!("{}: {verdict}", line.rsplit_once(": ").unwrap().0))
        .collect();
    assert_eq!(found, expected);
}

/// A key and a signature in files, for `openssl pkeyutl`.
struct Files(TempDir);

impl Files {
    fn new(key: &SigningKey, signature: &[u8]) -> Self {
        let folder = temp_dir();
        for (name, bytes) in [("key", key.public_key_spki()), ("signature", signature), ("message", MESSAGE)] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        Self(folder)
    }

    fn accepted_by(&self, openssl: &str, arguments: &[&str]) -> bool {
        let verify = ["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key", "-sigfile", "signature"];
        let ran = Tool::new(openssl).args(verify).args(["-rawin", "-in", "message"]).args(arguments);
        let ran = ran.folder(self.0.path()).try_run();
        match ran.text().trim() {
            "Signature Verified Successfully" => true,
            "Signature Verification Failure" => false,
            said => panic!("{openssl} {arguments:?}: {said}{}", ran.stderr),
        }
    }
}

/// Checks all signatures of a scheme, and that the program can tell a wrong one.
fn check(openssl: &str, key: &SigningKey, scheme: SignatureScheme, arguments: &[&str]) {
    for signature in signatures(key, scheme) {
        assert!(Files::new(key, &signature).accepted_by(openssl, arguments), "{scheme:?} {arguments:?}");
    }
    let other = key.sign(scheme, Input::Message(b"another message")).unwrap();
    assert!(!Files::new(key, &other).accepted_by(openssl, arguments), "{scheme:?} {arguments:?}");
}

/// OpenSSL's names of the hashes it can sign with.
const OPENSSL_HASHES: [(HashType, &str); 11] = [
    (HashType::Md5, "md5"),
    (HashType::RipeMd, "ripemd160"),
    (HashType::Sha1, "sha1"),
    (HashType::Sha2_224, "sha224"),
    (HashType::Sha2_256, "sha256"),
    (HashType::Sha2_384, "sha384"),
    (HashType::Sha2_512, "sha512"),
    (HashType::Sha3_224, "sha3-224"),
    (HashType::Sha3_256, "sha3-256"),
    (HashType::Sha3_384, "sha3-384"),
    (HashType::Sha3_512, "sha3-512"),
];

#[test]
fn openssl_accepts_rsa_pkcs1_v1_5() {
    let key = key(KeySpec::Rsa(RsaSize::Bits2048));
    for (hash, name) in OPENSSL_HASHES {
        let scheme = SignatureScheme::for_key(key.key().spec, hash, false).unwrap();
        check("openssl", &key, scheme, &["-digest", name, "-pkeyopt", "rsa_padding_mode:pkcs1"]);
    }
}

#[test]
fn openssl_accepts_rsa_pss() {
    let key = key(KeySpec::Rsa(RsaSize::Bits2048));
    for (hash, name) in &OPENSSL_HASHES[2..] {
        let scheme = SignatureScheme::for_key(key.key().spec, *hash, true).unwrap();
        let salt_len = format!("rsa_pss_saltlen:{}", hash.digest_len());
        check("openssl", &key, scheme, &["-digest", name, "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", &salt_len]);
    }
}

#[test]
fn openssl_accepts_ecdsa() {
    for curve in [Curve::P256, Curve::P384, Curve::P521] {
        let key = key(KeySpec::Ec(curve));
        for (hash, name) in &OPENSSL_HASHES[2..] {
            let scheme = SignatureScheme::for_key(key.key().spec, *hash, false).unwrap();
            check("openssl", &key, scheme, &["-digest", name]);
        }
    }
}

#[test]
fn openssl_accepts_ed25519() {
    let key = key(KeySpec::Ed25519);
    check("openssl", &key, schemes(KeySpec::Ed25519)[0], &[]);
}

#[test]
fn openssl_accepts_ml_dsa() {
    for set in [MlDsaSet::MlDsa44, MlDsaSet::MlDsa65, MlDsaSet::MlDsa87] {
        let key = key(KeySpec::MlDsa(set));
        check("openssl35", &key, schemes(key.key().spec)[0], &[]);
    }
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
    let key = key(KeySpec::Ec(Curve::P256));
    let sign = |scheme_hash, digest_hash| {
        let scheme = SignatureScheme::for_key(key.key().spec, scheme_hash, false).unwrap();
        key.sign(scheme, Input::Digest(&hash(digest_hash, MESSAGE))).err()
    };
    assert_eq!(sign(HashType::Sha2_256, HashType::Sha3_256), Some(SignError::WrongDigest));
    assert_eq!(sign(HashType::Shake256, HashType::Sha2_512), Some(SignError::WrongDigest));
    assert_eq!(sign(HashType::Shake256, HashType::Shake256_64), None);
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

/// One RSA key signs on several threads at once; AWS-LC caches blinding values inside it.
#[test]
fn one_key_signs_on_many_threads() {
    let key = key(KeySpec::Rsa(RsaSize::Bits2048));
    let scheme = SignatureScheme::for_key(key.key().spec, HashType::Sha2_256, false).unwrap();
    let expected = key.sign(scheme, Input::Message(MESSAGE)).unwrap();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(key.sign(scheme, Input::Message(MESSAGE)).unwrap(), expected);
                }
            });
        }
    });
}
