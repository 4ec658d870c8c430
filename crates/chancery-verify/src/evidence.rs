//! What somebody checks who has a signature and no installation: of any format, by digest, with its time stamp, or the
//! certificate alone.

use chancery_keys::{SignatureScheme, hash, kind_of_public_key};
use chancery_types::{HashType, SigningFormat};
use chancery_x509::{
    authenticode::{SPC_INDIRECT_DATA, file_digest},
    cms::{ContentInfo, SignerInfo},
    tsp::is_time_stamp,
};
use const_oid::db::rfc5911::ID_DATA;
use der::{Decode, DecodePem, Encode};
use x509_cert::certificate::Certificate;

use crate::{
    cms::{NotVerified, Verified, certificates_of, check, check_chain, check_signer_digest, signer_certificate},
    time_stamp::check_stamp,
};

/// Whom one trusts, and for when.
#[derive(Clone, Copy, Debug)]
pub struct Trust<'a> {
    /// The root (PEM) to which certificates of signers lead.
    pub root: &'a str,
    /// The roots (PEM) to which those of time-stamping authorities lead. Then a time stamp says when it was signed.
    pub stamping_root: Option<&'a str>,
    /// When it was signed, where no time stamp says so; in milliseconds since the epoch.
    pub at_ms: i64,
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
    let root = Certificate::from_pem(trust.root).map_err(|_| NotVerified::Form)?;
    let signed = ContentInfo::from_der(cms).map_err(|_| NotVerified::Form)?.content;
    let [signer] = signed.signer_infos.as_slice() else { return Err(NotVerified::Form) };
    let certificates = certificates_of(&signed)?;
    let leaf = signer_certificate(signer, &certificates).ok_or(NotVerified::Form)?;
    match format {
        SigningFormat::Raw => return Err(NotVerified::Form),
        SigningFormat::Cms | SigningFormat::JavaJar => check_signer_digest(signer, leaf, ID_DATA, digest)?,
        SigningFormat::Authenticode | SigningFormat::Powershell | SigningFormat::Msi => {
            let content = signed.enclosed_any(SPC_INDIRECT_DATA).ok_or(NotVerified::Form)?;
            let found = file_digest(content).ok_or(NotVerified::Form)?;
            let mut is_of_file = false;
            check_signer_digest(signer, leaf, SPC_INDIRECT_DATA, |with| {
                is_of_file = digest(with) == found;
                hash(with, content.value()).as_bytes().to_vec()
            })?;
            if !is_of_file {
                return Err(NotVerified::Content);
            }
        }
    }
    let stamp = stamp_of(signer, trust)?;
    let at_ms = if let Stamp::Good { at_ms, .. } = stamp { at_ms } else { trust.at_ms };
    let chain_len = check_chain(leaf, &certificates, &root, at_ms)?;
    let verified = Verified { signer: leaf.tbs_certificate().subject().to_string(), chain_len };
    Ok(VerifiedSignature { verified, stamp })
}

/// The time stamp beside a signature.
fn stamp_of(signer: &SignerInfo, trust: &Trust<'_>) -> Result<Stamp, NotVerified> {
    let mut stamps =
        signer.unsigned_attrs.iter().flat_map(|attributes| attributes.iter()).filter(|one| is_time_stamp(one));
    let (found, None) = (stamps.next(), stamps.next()) else { return Err(NotVerified::Form) };
    let (Some(found), Some(roots)) = (found, trust.stamping_root) else {
        return Ok(if found.is_none() { Stamp::None } else { Stamp::Unchecked });
    };
    let roots = Certificate::load_pem_chain(roots.as_bytes()).map_err(|_| NotVerified::Form)?;
    let [token] = found.values.as_slice() else { return Err(NotVerified::Form) };
    let token = token.to_der().map_err(|_| NotVerified::Form)?;
    let (at_ms, authority) = check_stamp(&token, signer.signature.as_bytes(), &roots)?;
    Ok(Stamp::Good { at_ms, authority })
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
