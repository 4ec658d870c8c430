//! What somebody checks who has a signature and no installation: by digest, without CMS, or the certificate alone.

use chancery_keys::{SignatureScheme, hash, kind_of_public_key};
use chancery_types::HashType;
use der::{Decode, DecodePem, Encode};
use x509_cert::certificate::Certificate;

use super::{
    formats::cms::ContentInfo,
    verify::{NotVerified, Verified, certificates_of, check, check_chain, signer_certificate, verify_cms},
};

/// [`verify_detached`](super::verify_detached) where the content is known by its digest alone.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_detached_digest(cms: &[u8], digest: &[u8], root: &str, now_ms: i64) -> Result<Verified, NotVerified> {
    verify_cms(cms, |_| digest.to_vec(), root, now_ms)
}

/// Verifies a signature that is no CMS, by the first of these certificates (DER); the others lead from it to `root`.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_raw(
    signature: &[u8],
    content: &[u8],
    with: HashType,
    certificates: &[Vec<u8>],
    root: &str,
    now_ms: i64,
) -> Result<Verified, NotVerified> {
    let root = Certificate::from_pem(root).map_err(|_| NotVerified::Form)?;
    let certificates = certificates.iter().map(|der| Certificate::from_der(der));
    let certificates: Vec<_> = certificates.collect::<der::Result<_>>().map_err(|_| NotVerified::Form)?;
    let leaf = certificates.first().ok_or(NotVerified::Form)?;
    let spki = leaf.tbs_certificate().subject_public_key_info().to_der().map_err(|_| NotVerified::Form)?;
    let spec = kind_of_public_key(&spki).ok_or(NotVerified::Form)?;
    let mut schemes = [false, true].into_iter().filter_map(|pss| SignatureScheme::for_key(spec, with, pss).ok());
    if !schemes.any(|scheme| check(leaf, scheme, content, signature).is_ok()) {
        return Err(NotVerified::Signature);
    }
    let chain_len = check_chain(leaf, &certificates, &root, now_ms)?;
    Ok(Verified { signer: leaf.tbs_certificate().subject().to_string(), chain_len })
}

/// The digest of a content that is signed as it is.
#[must_use]
pub fn content_hash(with: HashType, content: &[u8]) -> Vec<u8> {
    hash(with, content).as_bytes().to_vec()
}

/// The certificate (DER) of the one who made a CMS signature.
///
/// # Errors
///
/// [`NotVerified::Form`] where it is not a signature of one signer, with its certificate.
pub fn certificate_of_signer(cms: &[u8]) -> Result<Vec<u8>, NotVerified> {
    let signed = ContentInfo::from_der(cms).map_err(|_| NotVerified::Form)?.content;
    let [signer] = signed.signer_infos.as_slice() else { return Err(NotVerified::Form) };
    let certificates = certificates_of(&signed)?;
    let certificate = signer_certificate(signer, &certificates).ok_or(NotVerified::Form)?;
    certificate.to_der().map_err(|_| NotVerified::Form)
}

/// The certificates (DER) of a file: PEM, one or several, or DER.
///
/// # Errors
///
/// [`NotVerified::Form`] where there is none.
pub fn read_certificates(file: &[u8]) -> Result<Vec<Vec<u8>>, NotVerified> {
    let found = match Certificate::from_der(file) {
        Ok(certificate) => vec![certificate],
        Err(_) => Certificate::load_pem_chain(file).map_err(|_| NotVerified::Form)?,
    };
    let ders: Vec<_> = found.iter().map(Encode::to_der).collect::<Result<_, _>>().map_err(|_| NotVerified::Form)?;
    if ders.is_empty() { Err(NotVerified::Form) } else { Ok(ders) }
}
