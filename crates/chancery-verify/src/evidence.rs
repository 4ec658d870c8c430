//! What somebody checks who has a signature and no installation: of any format, by digest, with its time stamp, or the
//! certificate alone.

use chancery_keys::{Digest, Input, SignatureScheme, hash, kind_of_public_key, named_hash, verify};
use chancery_types::{HashType, SigningFormat};
use chancery_x509::{
    authenticode::{SPC_INDIRECT_DATA, file_digest},
    certificate::CODE_SIGNING,
    cms::{ContentInfo, SignedData, SignerInfo},
    pem,
    tsp::is_time_stamp,
};
use const_oid::db::rfc5911::{ID_AA_SIGNING_CERTIFICATE_V_2, ID_DATA};
use der::{Decode, Encode, asn1::ObjectIdentifier};

use crate::{
    cms::{self, NotVerified, Verified, certificates_of, check_signer, signer_certificate},
    path::{Crl, CrlSettings, Link, PathSettings, PolicySettings, Purpose, find_path},
    time_stamp::{BadStamp, check_named, check_stamp},
};

/// Whom one trusts, for what, and for when.
#[derive(Clone, Copy, Debug)]
pub struct Trust<'a> {
    /// The roots to which certificates of signers lead.
    pub roots: &'a [Link],
    /// The roots to which those of time-stamping authorities lead. Then a time stamp says when it was signed, and there
    /// must be one.
    pub stamping_roots: Option<&'a [Link]>,
    /// When it was signed, where no time stamp says so; in milliseconds since the epoch.
    pub at_ms: i64,
    /// What certificates of signers must be for.
    pub purpose: Purpose,
    /// Whether MD5, RIPEMD-160, SHA-1 and short RSA keys count.
    pub allow_weak: bool,
    /// Revocation lists; where they are given, they must cover every certificate.
    pub crls: Option<CrlSettings<'a>>,
}

impl<'a> Trust<'a> {
    /// Signers of code below these roots, as of this moment.
    #[must_use]
    pub const fn code_signing(roots: &'a [Link], at_ms: i64) -> Self {
        let purpose = Purpose::Named(CODE_SIGNING);
        Self { roots, stamping_roots: None, at_ms, purpose, allow_weak: false, crls: None }
    }

    /// What a path is held against.
    pub(crate) fn settings(&self, at_ms: i64, purpose: Purpose) -> PathSettings<'a> {
        PathSettings {
            at_ms,
            purpose,
            allow_weak: self.allow_weak,
            crls: self.crls,
            policies: PolicySettings::default(),
        }
    }

    /// The path of a signer, as of this moment.
    fn check(&self, leaf: &Link, others: &[Link], at_ms: i64) -> Result<Verified, NotVerified> {
        let chain_len = find_path(leaf, others, self.roots, &self.settings(at_ms, self.purpose))?;
        Ok(Verified { signer: leaf.subject_text(), chain_len })
    }
}

/// What a good signature says of its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// It has no time stamp.
    None,
    /// It has one, and nobody is trusted to stamp.
    Unchecked,
    /// It was there at this time: so says this authority.
    Good {
        /// In milliseconds since the epoch.
        at_ms: i64,
        /// The authority's name.
        authority: String,
    },
}

/// A good signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedSignature {
    /// Whose it is.
    pub verified: Verified,
    /// Since when.
    pub stamp: Stamp,
}

/// Verifies a CMS (DER) of any format but `Raw`, by a signer whose certificate leads to the root, as of the time in the
/// stamp, or else as of the one given. `digest` gives the digest of what was signed, under the signature's own hash:
/// of the content, or of the file without its signatures.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_signature(
    cms: &[u8],
    format: SigningFormat,
    digest: impl FnOnce(HashType) -> Vec<u8>,
    trust: &Trust<'_>,
) -> Result<VerifiedSignature, NotVerified> {
    let (signed, signer) = cms::read(cms)?;
    let certificates = certificates_of(&signed)?;
    let leaf = signer_certificate(&signer, &certificates).ok_or(NotVerified::Form)?;
    check_content(format, (&signed, &signer, leaf), digest, trust.allow_weak)?;
    if signer.signed_attrs.iter().any(|attribute| attribute.oid == ID_AA_SIGNING_CERTIFICATE_V_2) {
        check_named(&signer, leaf).map_err(|why| {
            if let BadStamp::Unsupported(what) = why { NotVerified::Unsupported(what) } else { NotVerified::Signature }
        })?;
    }
    let stamp = stamp_of(&signer, trust)?;
    let at_ms = if let Stamp::Good { at_ms, .. } = stamp { at_ms } else { trust.at_ms };
    Ok(VerifiedSignature { verified: trust.check(leaf, &certificates, at_ms)?, stamp })
}

/// Verifies that the key of a certificate made a CMS (DER) of any format but `Raw`, whoever trusts that certificate, and for
/// whatever.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_by_signer(
    cms: &[u8],
    format: SigningFormat,
    digest: impl FnOnce(HashType) -> Vec<u8>,
    certificate: &[u8],
) -> Result<(), NotVerified> {
    let (signed, signer) = cms::read(cms)?;
    let leaf = Link::read(certificate).ok_or(NotVerified::Form)?;
    check_content(format, (&signed, &signer, &leaf), digest, true)
}

fn check_content(
    format: SigningFormat,
    (signed, signer, leaf): (&SignedData, &SignerInfo, &Link),
    digest: impl FnOnce(HashType) -> Vec<u8>,
    allow_weak: bool,
) -> Result<(), NotVerified> {
    match format {
        SigningFormat::Raw => Err(NotVerified::Form),
        SigningFormat::Cms | SigningFormat::JavaJar => check_data(signed, signer, leaf, digest, allow_weak),
        SigningFormat::Authenticode | SigningFormat::Powershell | SigningFormat::Msi => {
            check_file(signed, signer, leaf, digest, allow_weak)
        }
    }
}

/// A signature over a content that stands apart. Where it is enclosed all the same, it is the same one.
fn check_data(
    signed: &SignedData,
    signer: &SignerInfo,
    leaf: &Link,
    digest: impl FnOnce(HashType) -> Vec<u8>,
    allow_weak: bool,
) -> Result<(), NotVerified> {
    let enclosed = signed.enclosed(ID_DATA);
    if signed.content_type() != ID_DATA || signed.has_content() && enclosed.is_none() {
        return Err(NotVerified::Content);
    }
    let mut is_same = true;
    check_signer(signer, leaf, ID_DATA, allow_weak, |with| {
        let digest = digest(with);
        is_same = enclosed.is_none_or(|enclosed| hash(with, &enclosed).as_bytes() == digest);
        digest
    })?;
    if is_same { Ok(()) } else { Err(NotVerified::Content) }
}

/// A signature over what stands for a file, as Windows has it.
fn check_file(
    signed: &SignedData,
    signer: &SignerInfo,
    leaf: &Link,
    digest: impl FnOnce(HashType) -> Vec<u8>,
    allow_weak: bool,
) -> Result<(), NotVerified> {
    let content = signed.enclosed_any(SPC_INDIRECT_DATA).ok_or(NotVerified::Form)?;
    let (algorithm, found) = file_digest(content).ok_or(NotVerified::Form)?;
    let mut is_of_file = false;
    check_signer(signer, leaf, SPC_INDIRECT_DATA, allow_weak, |with| {
        is_of_file = named_hash(&algorithm) == Some(with) && digest(with) == found;
        hash(with, content.value()).as_bytes().to_vec()
    })?;
    if is_of_file { Ok(()) } else { Err(NotVerified::Content) }
}

/// The time stamp beside a signature.
fn stamp_of(signer: &SignerInfo, trust: &Trust<'_>) -> Result<Stamp, NotVerified> {
    let mut stamps =
        signer.unsigned_attrs.iter().flat_map(|attributes| attributes.iter()).filter(|one| is_time_stamp(one));
    let (found, None) = (stamps.next(), stamps.next()) else { return Err(NotVerified::Form) };
    let (found, roots) = match (found, trust.stamping_roots) {
        (Some(found), Some(roots)) => (found, roots),
        (Some(_), None) => return Ok(Stamp::Unchecked),
        (None, None) => return Ok(Stamp::None),
        (None, Some(_)) => return Err(NotVerified::NoStamp),
    };
    let [token] = found.values.as_slice() else { return Err(NotVerified::Form) };
    let token = token.to_der().map_err(|_| NotVerified::Form)?;
    let (at_ms, authority) = check_stamp(&token, signer.signature.as_bytes(), roots, trust)?;
    Ok(Stamp::Good { at_ms, authority })
}

/// Verifies a signature that is no CMS, by the first of these certificates (DER); the others lead from it to a root.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_raw(
    signature: &[u8],
    content: &[u8],
    with: HashType,
    certificates: &[Vec<u8>],
    trust: &Trust<'_>,
) -> Result<Verified, NotVerified> {
    verify_raw_input(signature, Input::Message(content), with, certificates, trust)
}

/// The same where only the digest of the content is there, such as of a large file.
///
/// # Errors
///
/// [`NotVerified`] says at which step it failed.
pub fn verify_raw_digest(
    signature: &[u8],
    digest: &[u8],
    with: HashType,
    certificates: &[Vec<u8>],
    trust: &Trust<'_>,
) -> Result<Verified, NotVerified> {
    let digest = Digest::new(with, digest).map_err(|_| NotVerified::Content)?;
    verify_raw_input(signature, Input::Digest(&digest), with, certificates, trust)
}

fn verify_raw_input(
    signature: &[u8],
    input: Input<'_>,
    with: HashType,
    certificates: &[Vec<u8>],
    trust: &Trust<'_>,
) -> Result<Verified, NotVerified> {
    if trust.stamping_roots.is_some() {
        return Err(NotVerified::NoStamp);
    }
    if with.is_weak() && !trust.allow_weak {
        return Err(NotVerified::Weak(with));
    }
    let links = links(certificates)?;
    let leaf = links.first().ok_or(NotVerified::Form)?;
    let unsupported = || NotVerified::Unsupported(leaf.key_algorithm());
    let spec = kind_of_public_key(leaf.public_key()).ok_or_else(unsupported)?;
    let mut schemes = [false, true].into_iter().filter_map(|pss| SignatureScheme::for_key(spec, with, pss).ok());
    if !schemes.any(|scheme| verify(leaf.public_key(), scheme, input, signature).is_ok()) {
        return Err(NotVerified::Signature);
    }
    trust.check(leaf, &links, trust.at_ms)
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
    let (signed, signer) = cms::read(cms)?;
    let certificates = certificates_of(&signed)?;
    Ok(signer_certificate(&signer, &certificates).ok_or(NotVerified::Form)?.der.clone())
}

/// The CMS (DER) of a file: DER, or one block of PEM, with whatever stands around it.
///
/// # Errors
///
/// [`NotVerified::Unreadable`] where there is none, or several.
pub fn read_cms(file: &[u8]) -> Result<Vec<u8>, NotVerified> {
    if ContentInfo::from_der(file).is_ok() {
        return Ok(file.to_vec());
    }
    let found = pem::blocks(file, &["CMS", "PKCS7", "PKCS #7 SIGNED DATA"]).map_err(|_| NotVerified::Unreadable)?;
    let [der] = found.as_slice() else { return Err(NotVerified::Unreadable) };
    Ok(der.clone())
}

/// The certificates (DER) of a file: PEM, one or several, with whatever stands around them, or DER.
///
/// # Errors
///
/// [`NotVerified::Form`] where there is none.
pub fn read_certificates(file: &[u8]) -> Result<Vec<Vec<u8>>, NotVerified> {
    let found = if Link::read(file).is_some() {
        vec![file.to_vec()]
    } else {
        pem::blocks(file, &["CERTIFICATE", "X509 CERTIFICATE"]).map_err(|_| NotVerified::Form)?
    };
    if found.is_empty() { Err(NotVerified::Form) } else { Ok(found) }
}

/// The certificates of a file, to build on.
///
/// # Errors
///
/// [`NotVerified::Form`] where there is none, or something that is none.
pub fn read_links(file: &[u8]) -> Result<Vec<Link>, NotVerified> {
    links(&read_certificates(file)?)
}

fn links(certificates: &[Vec<u8>]) -> Result<Vec<Link>, NotVerified> {
    certificates.iter().map(|der| Link::read(der).ok_or(NotVerified::Form)).collect()
}

/// The revocation lists of a file: PEM, one or several, or DER.
///
/// # Errors
///
/// [`NotVerified::Form`] where there is none, or something that is none.
pub fn read_crls(file: &[u8]) -> Result<Vec<Crl>, NotVerified> {
    if let Some(crl) = Crl::read(file) {
        return Ok(vec![crl]);
    }
    let found = pem::blocks(file, &["X509 CRL"]).map_err(|_| NotVerified::Form)?;
    let crls: Option<Vec<_>> = found.iter().map(|der| Crl::read(der)).collect();
    crls.filter(|crls| !crls.is_empty()).ok_or(NotVerified::Form)
}

/// What certificates may be asked to be for, by the names of RFC 5280, 4.2.1.12, as an object identifier, or `any`.
#[must_use]
pub fn read_purpose(text: &str) -> Option<Purpose> {
    const NAMES: [(&str, &str); 6] = [
        ("serverAuth", "1.3.6.1.5.5.7.3.1"),
        ("clientAuth", "1.3.6.1.5.5.7.3.2"),
        ("codeSigning", "1.3.6.1.5.5.7.3.3"),
        ("emailProtection", "1.3.6.1.5.5.7.3.4"),
        ("timeStamping", "1.3.6.1.5.5.7.3.8"),
        ("documentSigning", "1.3.6.1.5.5.7.3.36"),
    ];
    if text.eq_ignore_ascii_case("any") {
        return Some(Purpose::Any);
    }
    let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, oid)| *oid);
    known.unwrap_or(text).parse::<ObjectIdentifier>().ok().map(Purpose::Named)
}
