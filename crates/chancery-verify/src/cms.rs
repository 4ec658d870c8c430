//! Verification of a detached CMS signature, as a relying party does it: with the content, the signature and a root
//! that it trusts, and without the installation that signed.

use chancery_keys::{Input, KeySpec, SignatureScheme, hash, verify};
use chancery_types::{HashType, SigningFormat};
use chancery_x509::{
    certificate::Issuer,
    cms::{SignedData, SignerInfo},
};
use const_oid::db::rfc5911::{ID_CONTENT_TYPE, ID_MESSAGE_DIGEST};
use der::{
    Decode, Encode,
    asn1::{ObjectIdentifier, OctetString, SetOfVec},
};
use x509_cert::certificate::Certificate;

use crate::{
    evidence::{Trust, verify_signature},
    time_stamp::BadStamp,
};

/// More certificates than stand between any signer and its root.
const CHAIN_MAX: usize = 8;

/// Why a signature is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotVerified {
    /// Not a SignedData with one signer, or the root is no certificate.
    #[error("not a CMS signature of one signer, or not a root certificate")]
    Form,
    /// The content is not the one that was signed.
    #[error("the content is not the one that was signed")]
    Content,
    /// The signature is not the signer's.
    #[error("the signature is not the signer's")]
    Signature,
    /// The signer's certificate does not lead to the root.
    #[error("the signer's certificate does not lead to the trusted root")]
    Chain,
    /// It does, but not at this time.
    #[error("a certificate from the signer up to the trusted root has expired, or was not valid yet")]
    Validity,
    /// There is a time stamp, and it is none.
    #[error("the time stamp: {0}")]
    Stamp(#[from] BadStamp),
}

/// What a good signature says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The signer's name.
    pub signer: String,
    /// How many certificates there are from the signer to the root.
    pub chain_len: usize,
}

/// Verifies a detached signature (DER) over `content`, by a signer whose certificate leads to `root` (PEM) at `now_ms`.
///
/// It reads what this product writes: issuerAndSerialNumber, signed attributes, all certificates inside.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_detached(cms: &[u8], content: &[u8], root: &str, now_ms: i64) -> Result<Verified, NotVerified> {
    let trust = Trust { root, stamping_root: None, at_ms: now_ms };
    let digest = |with| hash(with, content).as_bytes().to_vec();
    Ok(verify_signature(cms, SigningFormat::Cms, digest, &trust)?.verified)
}

/// The certificates inside.
pub(crate) fn certificates_of(signed: &SignedData) -> Result<Vec<Certificate>, NotVerified> {
    let certificates = signed.certificates.iter().flat_map(SetOfVec::iter);
    let certificates = certificates.map(|any| Certificate::from_der(&any.to_der()?));
    certificates.collect::<der::Result<_>>().map_err(|_| NotVerified::Form)
}

/// The signer's certificate, by issuer and serial number.
pub(crate) fn signer_certificate<'a>(signer: &SignerInfo, among: &'a [Certificate]) -> Option<&'a Certificate> {
    among.iter().find(|certificate| {
        let tbs = certificate.tbs_certificate();
        *tbs.issuer() == signer.sid.issuer && *tbs.serial_number() == signer.sid.serial_number
    })
}

/// RFC 5652, 5.6: the digest of the content is among the attributes, and the attributes are signed.
pub(crate) fn check_signer(
    signer: &SignerInfo,
    leaf: &Certificate,
    content_type: ObjectIdentifier,
    content: &[u8],
) -> Result<(), NotVerified> {
    check_signer_digest(signer, leaf, content_type, |with| hash(with, content).as_bytes().to_vec())
}

pub(crate) fn check_signer_digest(
    signer: &SignerInfo,
    leaf: &Certificate,
    content_type: ObjectIdentifier,
    expected: impl FnOnce(HashType) -> Vec<u8>,
) -> Result<(), NotVerified> {
    // Some write the parameters of a hash, some leave them out; some name the hash of an RSA signature, some do not.
    let scheme = scheme(|scheme| {
        scheme.digest_algorithm_identifier().oid == signer.digest_algorithm.oid
            && [scheme.cms_algorithm_identifier(), scheme.algorithm_identifier()].contains(&signer.signature_algorithm)
    })?;
    let (signed_type, digest) =
        (signer_attribute(signer, ID_CONTENT_TYPE)?, signer_attribute(signer, ID_MESSAGE_DIGEST)?);
    let signed_type = ObjectIdentifier::from_der(&signed_type).map_err(|_| NotVerified::Form)?;
    let digest = OctetString::from_der(&digest).map_err(|_| NotVerified::Form)?;
    if signed_type != content_type || digest.as_bytes() != expected(scheme.hash()) {
        return Err(NotVerified::Content);
    }
    let attributes = signer.signed_attrs.to_der().map_err(|_| NotVerified::Form)?;
    check(leaf, scheme, &attributes, signer.signature.as_bytes()).map_err(|()| NotVerified::Signature)
}

/// The one value, in DER, of an attribute that must be there once.
pub(crate) fn signer_attribute(signer: &SignerInfo, oid: ObjectIdentifier) -> Result<Vec<u8>, NotVerified> {
    let mut found = signer.signed_attrs.iter().filter(|attribute| attribute.oid == oid);
    let (Some(attribute), None) = (found.next(), found.next()) else { return Err(NotVerified::Form) };
    let [value] = attribute.values.as_slice() else { return Err(NotVerified::Form) };
    value.to_der().map_err(|_| NotVerified::Form)
}

/// Follows the issuers from the leaf to the root; answers how many certificates that are.
pub(crate) fn check_chain(
    leaf: &Certificate,
    certificates: &[Certificate],
    root: &Certificate,
    now_ms: i64,
) -> Result<usize, NotVerified> {
    let (mut current, mut valid) = (leaf, true);
    for length in 1..=CHAIN_MAX {
        valid &= facts(current)?.validity.contains(now_ms);
        if current == root {
            return if valid { Ok(length) } else { Err(NotVerified::Validity) };
        }
        let issuer = certificates.iter().chain([root]).find(|candidate| signed_by(current, candidate));
        current = issuer.ok_or(NotVerified::Chain)?;
    }
    Err(NotVerified::Chain)
}

/// Whether `issuer` is an authority of the right name, whose key signed the certificate.
fn signed_by(certificate: &Certificate, issuer: &Certificate) -> bool {
    let named = certificate.tbs_certificate().issuer() == issuer.tbs_certificate().subject();
    let algorithm = |scheme: SignatureScheme| scheme.algorithm_identifier() == *certificate.signature_algorithm();
    let (Ok(scheme), Ok(to_be_signed)) = (scheme(algorithm), certificate.tbs_certificate().to_der()) else {
        return false;
    };
    let signature = certificate.signature().as_bytes().unwrap_or_default();
    named
        && facts(issuer).is_ok_and(|facts| facts.is_authority)
        && check(issuer, scheme, &to_be_signed, signature).is_ok()
}

pub(crate) fn facts(certificate: &Certificate) -> Result<Issuer, NotVerified> {
    let der = certificate.to_der().map_err(|_| NotVerified::Form)?;
    Issuer::from_der(&der).map_err(|_| NotVerified::Form)
}

pub(crate) fn check(signer: &Certificate, scheme: SignatureScheme, message: &[u8], signature: &[u8]) -> Result<(), ()> {
    let public_key = signer.tbs_certificate().subject_public_key_info().to_der().map_err(drop)?;
    verify(&public_key, scheme, Input::Message(message), signature).map_err(drop)
}

/// The scheme that fits, of all there are: what the identifiers in a signature stand for.
fn scheme(fits: impl Fn(SignatureScheme) -> bool) -> Result<SignatureScheme, NotVerified> {
    let hashes = || HashType::ALL.iter().flat_map(|hash| [(*hash, false), (*hash, true)]);
    let all = KeySpec::ALL.iter().flat_map(|spec| hashes().map(|(hash, pss)| (*spec, hash, pss)));
    let mut known = all.filter_map(|(spec, hash, pss)| SignatureScheme::for_key(spec, hash, pss).ok());
    known.find(|scheme| fits(*scheme)).ok_or(NotVerified::Signature)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use chancery_testkit::{TempDir, Tool, temp_dir};

    use super::*;
    use crate::testing::now_ms;

    fn openssl(folder: &TempDir, arguments: &str) {
        let _ran = Tool::new("openssl").args(arguments.split(' ')).folder(folder.path()).run();
    }

    /// A root, a leaf below it, and what openssl signed with the leaf's key.
    fn signed() -> (TempDir, Vec<u8>, String) {
        let folder = temp_dir();
        let ec = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
        openssl(&folder, &format!("req -x509 {ec} -keyout ca.key -out ca.pem -subj /CN=root -days 30"));
        openssl(&folder, &format!("req {ec} -keyout leaf.key -out leaf.csr -subj /CN=leaf"));
        openssl(&folder, "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out leaf.pem -days 20");
        fs::write(folder.path().join("content"), "content").unwrap();
        let out = "-binary -md sha384 -outform DER -in content -out cms";
        openssl(&folder, &format!("cms -sign -signer leaf.pem -inkey leaf.key {out}"));
        let (cms, root) = (fs::read(folder.path().join("cms")), fs::read_to_string(folder.path().join("ca.pem")));
        (folder, cms.unwrap(), root.unwrap())
    }

    #[test]
    fn what_openssl_signed_is_accepted_and_anything_else_is_not() {
        let (folder, cms, root) = signed();
        let now_ms = now_ms();
        let verified = verify_detached(&cms, b"content", &root, now_ms).unwrap();
        assert_eq!(verified, Verified { signer: "CN=leaf".to_owned(), chain_len: 2 });

        let refused =
            |cms: &[u8], content: &[u8], root: &str, now_ms| verify_detached(cms, content, root, now_ms).unwrap_err();
        assert_eq!(refused(&cms, b"contents", &root, now_ms), NotVerified::Content);
        let mut forged = cms.clone();
        *forged.last_mut().unwrap() ^= 1;
        assert_eq!(refused(&forged, b"content", &root, now_ms), NotVerified::Signature);
        let in_25_days = now_ms + 25 * 24 * 3_600 * 1_000;
        assert_eq!(refused(&cms, b"content", &root, in_25_days), NotVerified::Validity, "the leaf has expired");
        let another = signed().2;
        assert_eq!(refused(&cms, b"content", &another, now_ms), NotVerified::Chain, "another root of the same name");
        let leaf = fs::read_to_string(folder.path().join("leaf.pem")).unwrap();
        assert_eq!(refused(&cms, b"content", "no PEM", now_ms), NotVerified::Form);
        assert!(verify_detached(&cms, b"content", &leaf, now_ms).is_ok(), "the leaf itself may be trusted");
    }

    #[test]
    fn no_prefix_and_no_flipped_byte_is_accepted_or_panics() {
        let (_folder, cms, root) = signed();
        let now_ms = now_ms();
        for len in (0..cms.len()).step_by(7) {
            assert!(verify_detached(&cms[..len], b"content", &root, now_ms).is_err(), "{len}");
        }
        for at in (0..cms.len()).step_by(3) {
            let mut flipped = cms.clone();
            flipped[at] ^= 0x40;
            let _may_be_outside_what_is_signed = verify_detached(&flipped, b"content", &root, now_ms);
        }
    }
}
