//! Verification of a detached CMS signature, as a relying party does it: with the content, the signature and a root
//! that it trusts, and without the installation that signed.

use chancery_keys::{NamedAlgorithm, hash, named_hash};
use chancery_types::{HashType, SigningFormat};
use chancery_x509::cms::{ContentInfo, SignedData, SignerInfo};
use const_oid::db::rfc5911::{ID_CONTENT_TYPE, ID_MESSAGE_DIGEST, ID_SIGNED_DATA};
use der::{
    Decode, Encode,
    asn1::{ObjectIdentifier, OctetString, SetOfVec},
};

use crate::{
    evidence::{Trust, read_links, verify_signature},
    path::{Link, NotTrusted},
    time_stamp::BadStamp,
};

/// Certificates that a signature may carry.
const CERTIFICATES_MAX: usize = 64;

/// Why a signature is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotVerified {
    /// Nothing that can be read as a signature.
    #[error(
        "no CMS signature (SignedData in DER or PEM, with signed attributes, by a signer whom issuer and serial number name)"
    )]
    Unreadable,
    /// Not a SignedData with one signer, or the root is no certificate.
    #[error("not a CMS signature of one signer, or not a root certificate")]
    Form,
    /// The content is not the one that was signed.
    #[error("the content is not the one that was signed")]
    Content,
    /// A member of the bundle that is signed, too.
    #[error("the signature says another {0} than the bundle")]
    Shown(&'static str),
    /// The signature is not the signer's.
    #[error("the signature is not the signer's")]
    Signature,
    /// Whether it is, nobody can say here.
    #[error("the signature is not checked: {0} is not supported here, or its parameters are not")]
    Unsupported(ObjectIdentifier),
    /// The signature rests on MD5, RIPEMD-160 or SHA-1.
    #[error("the signature is over {0}, which is broken; --allow-weak takes it all the same")]
    Weak(HashType),
    /// The signer's certificate does not lead to the root.
    #[error("the signer's certificate does not lead to the trusted root")]
    Chain,
    /// It does, but not at this time.
    #[error("a certificate from the signer up to the trusted root has expired, or was not valid yet")]
    Validity,
    /// It does, and something on the way breaks a rule.
    #[error(transparent)]
    Path(NotTrusted),
    /// There is a time stamp, and it is none.
    #[error("the time stamp: {0}")]
    Stamp(#[from] BadStamp),
    /// There is no time stamp, and somebody is trusted to stamp.
    #[error("there is no time stamp, and roots of time-stamping authorities were given")]
    NoStamp,
}

impl NotVerified {
    /// Whether something is wrong, and not only out of what can be looked at here.
    #[must_use]
    pub const fn is_verdict(&self) -> bool {
        !matches!(
            self,
            Self::Unreadable
                | Self::Unsupported(_)
                | Self::Path(NotTrusted::Unsupported { .. })
                | Self::Stamp(BadStamp::Unsupported(_) | BadStamp::Path(NotTrusted::Unsupported { .. }))
        )
    }
}

impl From<NotTrusted> for NotVerified {
    fn from(why: NotTrusted) -> Self {
        match why {
            NotTrusted::NoPath => Self::Chain,
            NotTrusted::Validity => Self::Validity,
            NotTrusted::Broken { .. } | NotTrusted::Unsupported { .. } | NotTrusted::TooComplex => Self::Path(why),
        }
    }
}

/// What a good signature says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The signer's name.
    pub signer: String,
    /// How many certificates there are from the signer to the root.
    pub chain_len: usize,
}

/// Verifies a detached signature (DER) over `content`, by a signer whose certificate is for code signing and leads to `root`
/// (PEM) at `now_ms`.
///
/// It reads what this product writes: issuerAndSerialNumber, signed attributes, all certificates inside.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_detached(cms: &[u8], content: &[u8], root: &str, now_ms: i64) -> Result<Verified, NotVerified> {
    let roots = read_links(root.as_bytes())?;
    let digest = |with| hash(with, content).as_bytes().to_vec();
    Ok(verify_signature(cms, SigningFormat::Cms, digest, &Trust::code_signing(&roots, now_ms))?.verified)
}

/// A CMS of one signer (RFC 5652, 5.1): the outer type says what it is, and its digest algorithms have the signer's.
pub(crate) fn read(cms: &[u8]) -> Result<(SignedData, SignerInfo), NotVerified> {
    let ContentInfo { content_type, content } = ContentInfo::from_der(cms).map_err(|_| NotVerified::Unreadable)?;
    let [signer] = content.signer_infos.as_slice() else { return Err(NotVerified::Form) };
    let signer = signer.clone();
    let is_listed = content.digest_algorithms.iter().any(|listed| listed.oid == signer.digest_algorithm.oid);
    if content_type != ID_SIGNED_DATA || !is_listed {
        return Err(NotVerified::Form);
    }
    Ok((content, signer))
}

/// The certificates inside.
pub(crate) fn certificates_of(signed: &SignedData) -> Result<Vec<Link>, NotVerified> {
    let certificates = signed.certificates.iter().flat_map(SetOfVec::iter);
    if certificates.clone().count() > CERTIFICATES_MAX {
        return Err(NotVerified::Form);
    }
    let read = |der: Vec<u8>| Link::read(&der).ok_or(NotVerified::Form);
    certificates.map(|any| read(any.to_der().map_err(|_| NotVerified::Form)?)).collect()
}

/// The signer's certificate, by issuer and serial number.
pub(crate) fn signer_certificate<'a>(signer: &SignerInfo, among: &'a [Link]) -> Option<&'a Link> {
    among.iter().find(|link| {
        let tbs = link.parsed.tbs_certificate();
        *tbs.issuer() == signer.sid.issuer && *tbs.serial_number() == signer.sid.serial_number
    })
}

/// RFC 5652, 5.4 and 5.6: kind and digest of the content are among the attributes, once each, and the attributes are signed.
pub(crate) fn check_signer(
    signer: &SignerInfo,
    leaf: &Link,
    content_type: ObjectIdentifier,
    allow_weak: bool,
    expected: impl FnOnce(HashType) -> Vec<u8>,
) -> Result<(), NotVerified> {
    let with = named_hash(&signer.digest_algorithm).ok_or(NotVerified::Unsupported(signer.digest_algorithm.oid))?;
    if with.is_weak() && !allow_weak {
        return Err(NotVerified::Weak(with));
    }
    let algorithm = &signer.signature_algorithm;
    let named =
        NamedAlgorithm::read(algorithm, Some(with)).ok_or_else(|| match NamedAlgorithm::read(algorithm, None) {
            // It contradicts the digest's.
            Some(_) => NotVerified::Signature,
            None => NotVerified::Unsupported(algorithm.oid),
        })?;
    let (signed_type, digest) =
        (signer_attribute(signer, ID_CONTENT_TYPE)?, signer_attribute(signer, ID_MESSAGE_DIGEST)?);
    let signed_type = ObjectIdentifier::from_der(&signed_type).map_err(|_| NotVerified::Form)?;
    let digest = OctetString::from_der(&digest).map_err(|_| NotVerified::Form)?;
    if signed_type != content_type || digest.as_bytes() != expected(with) {
        return Err(NotVerified::Content);
    }
    let attributes = signer.signed_attrs.to_der().map_err(|_| NotVerified::Form)?;
    let verified = named.verify(leaf.public_key(), &attributes, signer.signature.as_bytes());
    verified.map_err(|_| leaf.unsupported_key().map_or(NotVerified::Signature, NotVerified::Unsupported))
}

/// The one value, in DER, of an attribute that must be there once.
pub(crate) fn signer_attribute(signer: &SignerInfo, oid: ObjectIdentifier) -> Result<Vec<u8>, NotVerified> {
    let mut found = signer.signed_attrs.iter().filter(|attribute| attribute.oid == oid);
    let (Some(attribute), None) = (found.next(), found.next()) else { return Err(NotVerified::Form) };
    let [value] = attribute.values.as_slice() else { return Err(NotVerified::Form) };
    value.to_der().map_err(|_| NotVerified::Form)
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
        fs::write(folder.path().join("signs"), "extendedKeyUsage=codeSigning\n").unwrap();
        let below = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 20 -extfile signs";
        openssl(&folder, &format!("x509 -req -in leaf.csr {below} -out leaf.pem"));
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
