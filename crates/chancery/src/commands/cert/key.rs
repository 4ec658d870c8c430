//! Private keys that are made here and stay here.

use std::{fs, io::Write as _, os::unix::fs::OpenOptionsExt as _, path::Path};

use chancery_x509::{alt_name::AltName, dn::DistinguishedName, pem};
use der::{Decode as _, DecodePem as _, Encode as _, EncodePem as _, asn1::BitString, pem::LineEnding};
use rcgen::{CertificateParams, KeyPair, PublicKeyData as _, RsaKeySize, SigningKey as _};
use x509_cert::{
    Certificate,
    ext::{ToExtension as _, pkix::SubjectAltName},
    request::{CertReq, ExtensionReq},
};

use crate::{
    cli::cert::KeyKind,
    client::{
        exit::{Exit, told_with, usage},
        inputs::read_file,
    },
    failure::{Failure, While as _},
};

/// A key of Ed25519 as PKCS#8 has it (RFC 8410, section 7), up to the 32 bytes of the key itself, without what RFC 5958 adds
/// in version 2: OpenSSL 3.0 and GnuTLS do not read that.
const ED25519_V1: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const ED25519_LEN: usize = 32;
/// What both versions have in common begins behind the version.
const AFTER_VERSION: usize = 5;

pub(super) fn new_key(kind: KeyKind) -> Result<KeyPair, rcgen::Error> {
    match kind {
        KeyKind::EcP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
        KeyKind::EcP384 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384),
        KeyKind::Ed25519 => version_1(&KeyPair::generate_for(&rcgen::PKCS_ED25519)?),
        KeyKind::Rsa3072 => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_3072),
    }
}

/// The same key of Ed25519, which is written as everybody reads it.
fn version_1(key: &KeyPair) -> Result<KeyPair, rcgen::Error> {
    let common = &ED25519_V1[AFTER_VERSION..];
    let bytes = key.serialized_der().get(AFTER_VERSION..).and_then(|rest| rest.strip_prefix(common));
    let bytes = bytes.and_then(|rest| rest.get(..ED25519_LEN)).ok_or(rcgen::Error::CouldNotParseKeyPair)?;
    KeyPair::try_from([&ED25519_V1, bytes].concat())
}

/// A PKCS#10 request by a key. Subject and names are told beside it, where the server checks them.
pub(super) fn request(key: &KeyPair) -> Result<String, Failure> {
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.serialize_request(key).and_then(|request| request.pem()).doing("making a request")
}

/// A PKCS#10 request that says itself who it is for, as other authorities want it.
pub(super) fn named_request(key: &KeyPair, subject: &DistinguishedName, names: &[AltName]) -> Result<String, Failure> {
    let mut request = CertReq::from_pem(request(key)?)?;
    request.info.subject = subject.as_name().clone();
    if !names.is_empty() {
        let names = SubjectAltName(names.iter().map(AltName::general_name).collect::<Result<_, _>>()?);
        let extension = names.to_extension(&request.info.subject, &[])?;
        request.info.attributes.insert(ExtensionReq(vec![extension]).try_into()?)?;
    }
    let signature = key.sign(&request.info.to_der()?).doing("making a request")?;
    request.signature = BitString::from_bytes(&signature)?;
    request.to_pem(LineEnding::LF).doing("the request as PEM")
}

/// Writes a key to a file of its own, before anything is issued for it; and never over another one.
pub(super) fn keep(path: &Path, pem: &str) -> Result<(), Failure> {
    let doing = || format!("--key-out {}", path.display());
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).doing(doing())?;
    let written = file.write_all(pem.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a key is none, and would stand in the way. Why it failed is what the caller has to know.
        let _left_behind = fs::remove_file(path);
    }
    written.doing(doing())
}

/// The key in a file: one, in PKCS#8, not encrypted.
pub(super) fn read(option: &str, path: &Path) -> Result<KeyPair, Failure> {
    let file = read_file(option, path)?;
    let unreadable = || {
        let message = format!("{option} {}: there is no private key in PKCS#8 that can be read", path.display());
        told_with(Exit::Usage, message, "openssl pkcs8 -topk8 -nodes -in KEY -out FILE writes one.")
    };
    let blocks = pem::blocks(&file, &["PRIVATE KEY"]).map_err(|_| unreadable())?;
    let [der] = blocks.as_slice() else { return Err(unreadable()) };
    KeyPair::try_from(der.as_slice()).map_err(|_| unreadable())
}

/// The kind that a key is of, where such keys are made here.
pub(super) fn kind_of(key: &KeyPair) -> Option<KeyKind> {
    [
        (&rcgen::PKCS_ECDSA_P256_SHA256, KeyKind::EcP256),
        (&rcgen::PKCS_ECDSA_P384_SHA384, KeyKind::EcP384),
        (&rcgen::PKCS_ED25519, KeyKind::Ed25519),
        (&rcgen::PKCS_RSA_SHA256, KeyKind::Rsa3072),
    ]
    .into_iter()
    .find_map(|(algorithm, kind)| key.is_compatible(algorithm).then_some(kind))
}

/// Whether a certificate (DER) is of this key.
pub(super) fn is_of(key: &KeyPair, certificate: &[u8]) -> Result<bool, Failure> {
    let certificate = Certificate::from_der(certificate).doing("the certificate")?;
    let public_key = certificate.tbs_certificate().subject_public_key_info().to_der()?;
    Ok(public_key == key.subject_public_key_info())
}

/// That a certificate is of a key, or a refusal.
pub(super) fn refuse_another(option: &str, path: &Path, key: &KeyPair, certificate: &[u8]) -> Result<(), Failure> {
    if is_of(key, certificate)? {
        return Ok(());
    }
    Err(usage(format!("{option} {}: this is not the key of the certificate", path.display())))
}
