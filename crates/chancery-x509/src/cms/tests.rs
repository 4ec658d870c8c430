use std::{fs, path::Path, process::Command};

use der::{DecodePem, asn1::Null};

use super::*;

const SHA_256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// 2049-12-31 23:59:59.999
const END_OF_2049_MS: i64 = 2_524_607_999_999;

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A key and a certificate that OpenSSL made, and a signer with that certificate.
fn signer(folder: &Path) -> Signer {
    openssl(folder, "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj /CN=signer -days 20000");
    let certificate = Certificate::from_pem(fs::read(folder.join("cert.pem")).unwrap()).unwrap();
    Signer {
        chain: vec![certificate.to_der().unwrap()],
        digest_algorithm: AlgorithmIdentifierOwned { oid: SHA_256, parameters: None },
        signature_algorithm: AlgorithmIdentifierOwned { oid: RSA_ENCRYPTION, parameters: Some(Null.into()) },
    }
}

fn detached(signer: Signer, digest: &[u8], at_ms: i64) -> der::Result<Unsigned> {
    let signed = Signed::detached(&signer.chain, digest)?;
    prepare(signer, signed, at_ms)
}

#[test]
fn a_key_that_lives_elsewhere_signs_and_openssl_accepts_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let content = b"what is signed";
    let unsigned = detached(signer(folder), &Sha256::digest(content), END_OF_2049_MS).unwrap();
    fs::write(folder.join("attributes"), unsigned.to_be_signed()).unwrap();
    openssl(folder, "dgst -sha256 -sign key.pem -out signature attributes");
    let cms = unsigned.assemble(&fs::read(folder.join("signature")).unwrap(), None).unwrap();
    fs::write(folder.join("cms"), &cms).unwrap();
    fs::write(folder.join("content"), content).unwrap();
    let verify = "cms -verify -binary -inform DER -in cms -content content -CAfile cert.pem -purpose any -out out";
    openssl(folder, verify);
    assert_eq!(fs::read(folder.join("out")).unwrap(), content);

    let read = ContentInfo::from_der(&cms).unwrap();
    assert_eq!(read.to_der().unwrap(), cms, "the encoding is DER");
    let signed_data = read.content;
    let info = signed_data.signer_infos.get(0).unwrap();
    assert_eq!((signed_data.version, info.version), (1, 1));
    let attributes: Vec<_> = info.signed_attrs.iter().map(|attribute| attribute.oid).collect();
    assert_eq!(attributes, [ID_CONTENT_TYPE, ID_SIGNING_TIME, ID_MESSAGE_DIGEST, ID_AA_SIGNING_CERTIFICATE_V_2]);
}

#[test]
fn signing_times_change_their_form_in_2050() {
    let folder = tempfile::tempdir().unwrap();
    let signer = signer(folder.path());
    let has = |at_ms, text: &[u8]| {
        let unsigned = detached(signer.clone(), &[0; 32], at_ms).unwrap();
        unsigned.to_be_signed().windows(text.len()).any(|window| window == text)
    };
    assert!(has(END_OF_2049_MS, b"\x17\x0d491231235959Z"));
    assert!(has(END_OF_2049_MS + 1, b"\x18\x0f20500101000000Z"));
}

#[test]
fn without_a_certificate_there_is_no_signer() {
    let algorithm = AlgorithmIdentifierOwned { oid: SHA_256, parameters: None };
    for chain in [vec![], vec![b"no certificate".to_vec()]] {
        let signer = Signer { chain, digest_algorithm: algorithm.clone(), signature_algorithm: algorithm.clone() };
        assert!(detached(signer, &[0; 32], END_OF_2049_MS).is_err());
    }
}
