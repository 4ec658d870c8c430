//! Whether a time stamp of an authority elsewhere is one (RFC 3161, 2.2): of what was asked, now, and by a certificate for
//! nothing else.

use chancery_keys::hash;
use chancery_types::HashType;
use chancery_x509::{
    cms::SignerInfo,
    tsp::{
        request::{MessageImprint, hash_of},
        response::{self, Answered},
        token::{TST_INFO, TstInfo},
    },
};
use const_oid::db::rfc5911::ID_AA_SIGNING_CERTIFICATE_V_2;
use der::{
    Any, Decode, Sequence,
    asn1::{Int, ObjectIdentifier, OctetString},
};
use spki::AlgorithmIdentifierOwned;

use crate::{
    cms::{self, NotVerified, certificates_of, check_signer, signer_attribute, signer_certificate},
    evidence::Trust,
    path::{Link, NotTrusted, Purpose, find_path},
};

/// How far the authority's clock may be from ours: more means that one of them is wrong.
const CLOCKS_APART_MAX_MS: i64 = 5 * 60 * 1_000;

/// id-aa-signingCertificate, whose hash is SHA-1 (RFC 2634).
const SIGNING_CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.12");

/// What was asked for.
pub struct Asked {
    /// The digest that is to be stamped.
    pub imprint: MessageImprint,
    /// What makes the answer the one to this question.
    pub nonce: Int,
}

/// Why an answer is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadStamp {
    /// No TimeStampResp, or no token in it.
    #[error("the answer is no TimeStampResp with a token of one signer")]
    Form,
    /// The authority did not stamp.
    #[error("the authority answered status {status}: {why:?}")]
    Rejected {
        /// Its PKIStatus.
        status: u8,
        /// What it said.
        why: String,
    },
    /// Of something else.
    #[error("the stamp is not of what was asked for")]
    Imprint,
    /// Of another request.
    #[error("the stamp has another nonce")]
    Nonce,
    /// The clocks are apart.
    #[error("the stamp's time is more than five minutes from this host's")]
    Time,
    /// It is not yet that time, so somebody chose it.
    #[error("the stamp's time has not come yet")]
    Future,
    /// The signer is not named, or somebody else is.
    #[error("the stamp does not name the certificate that signed it")]
    SigningCertificate,
    /// The signature is not the signer's.
    #[error("the stamp's signature is wrong")]
    Signature,
    /// It rests on MD5, RIPEMD-160 or SHA-1.
    #[error("the stamp's signature is over {0}, which is broken; chancery verify --allow-weak takes it all the same")]
    Weak(HashType),
    /// Whether it is, nobody can say here.
    #[error("the stamp is not checked: {0} is not supported here, or its parameters are not")]
    Unsupported(ObjectIdentifier),
    /// The signer may not stamp, or not then.
    #[error("the stamp's certificate is not for time stamps alone, or was not valid")]
    Certificate,
    /// The signer is of nobody that is trusted.
    #[error("the stamp's certificate does not lead to a trusted root")]
    Chain,
    /// On the way to the root something breaks a rule.
    #[error("on the way from the stamp's certificate to a trusted root: {0}")]
    Path(NotTrusted),
}

/// ```text
/// SigningCertificateV2 ::= SEQUENCE { certs SEQUENCE OF ESSCertIDv2, policies … OPTIONAL }
/// ```
/// The first version differs only in that its certificates have no `hashAlgorithm`.
#[derive(Sequence)]
struct SigningCertificate {
    certs: Vec<EssCertId>,
    #[asn1(optional = "true")]
    policies: Option<Any>,
}

/// ```text
/// ESSCertIDv2 ::= SEQUENCE {
///   hashAlgorithm AlgorithmIdentifier DEFAULT {algorithm id-sha256},
///   certHash Hash, issuerSerial IssuerSerial OPTIONAL }
/// ```
#[derive(Sequence)]
struct EssCertId {
    #[asn1(optional = "true")]
    hash_algorithm: Option<AlgorithmIdentifierOwned>,
    cert_hash: OctetString,
    #[asn1(optional = "true")]
    issuer_serial: Option<Any>,
}

/// The token in an answer, if it is what was asked for. Without `roots` any authority is taken.
///
/// # Errors
///
/// [`BadStamp`] says what is wrong with it.
pub fn check(answer: &[u8], asked: &Asked, roots: Option<&[Link]>, now_ms: i64) -> Result<Vec<u8>, BadStamp> {
    let token = match response::read(answer).ok_or(BadStamp::Form)? {
        Answered::Granted(token) => token,
        Answered::Rejected { status, why } => return Err(BadStamp::Rejected { status, why }),
    };
    let as_asked = |info: &TstInfo| {
        if info.message_imprint != asked.imprint {
            return Err(BadStamp::Imprint);
        }
        if info.nonce.as_ref() != Some(&asked.nonce) {
            return Err(BadStamp::Nonce);
        }
        if info.gen_time.0.abs_diff(now_ms) > CLOCKS_APART_MAX_MS.unsigned_abs() {
            return Err(BadStamp::Time);
        }
        Ok(())
    };
    let trust = Trust::code_signing(&[], now_ms);
    check_token(&token, as_asked, roots, &trust)?;
    Ok(token)
}

/// When this signature was stamped, and by whom, if its time stamp is good and of an authority below one of these roots.
pub(crate) fn check_stamp(
    token: &[u8],
    signature: &[u8],
    roots: &[Link],
    trust: &Trust<'_>,
) -> Result<(i64, String), BadStamp> {
    let of_signature = |info: &TstInfo| {
        let MessageImprint { hash_algorithm, hashed_message } = &info.message_imprint;
        let with = hash_of(hash_algorithm.oid).ok_or(BadStamp::Unsupported(hash_algorithm.oid))?;
        if hash(with, signature).as_bytes() != hashed_message.as_bytes() {
            return Err(BadStamp::Imprint);
        }
        let is_future = info.gen_time.0 > trust.at_ms.saturating_add(CLOCKS_APART_MAX_MS);
        if is_future { Err(BadStamp::Future) } else { Ok(()) }
    };
    check_token(token, of_signature, Some(roots), trust)
}

/// The time of a token that says what it should, and the name of the authority.
fn check_token(
    token: &[u8],
    says_what_it_should: impl FnOnce(&TstInfo) -> Result<(), BadStamp>,
    roots: Option<&[Link]>,
    trust: &Trust<'_>,
) -> Result<(i64, String), BadStamp> {
    let (signed, signer) = cms::read(token).map_err(|_| BadStamp::Form)?;
    let content = signed.enclosed(TST_INFO).ok_or(BadStamp::Form)?;
    let info = TstInfo::from_der(&content).map_err(|_| BadStamp::Form)?;
    if info.version != 1 {
        return Err(BadStamp::Form);
    }
    says_what_it_should(&info)?;
    let at_ms = info.gen_time.0;
    let certificates = certificates_of(&signed).map_err(|_| BadStamp::Form)?;
    let leaf = signer_certificate(&signer, &certificates).ok_or(BadStamp::Form)?;
    let digest = |with| hash(with, &content).as_bytes().to_vec();
    check_signer(&signer, leaf, TST_INFO, trust.allow_weak, digest).map_err(|why| {
        if let NotVerified::Unsupported(what) = why {
            BadStamp::Unsupported(what)
        } else if let NotVerified::Weak(with) = why {
            BadStamp::Weak(with)
        } else {
            BadStamp::Signature
        }
    })?;
    check_named(&signer, leaf)?;
    check_certificate(leaf, at_ms)?;
    if let Some(roots) = roots {
        let settings = trust.settings(at_ms, Purpose::TimeStamping);
        find_path(leaf, &certificates, roots, &settings).map_err(|why| match why {
            NotTrusted::NoPath => BadStamp::Chain,
            NotTrusted::Validity
            | NotTrusted::Broken { .. }
            | NotTrusted::Unsupported { .. }
            | NotTrusted::TooComplex => BadStamp::Path(why),
        })?;
    }
    Ok((at_ms, leaf.subject_text()))
}

/// Whether the signed attributes name this certificate (RFC 3161, 2.4.2; RFC 5816).
pub(crate) fn check_named(signer: &SignerInfo, leaf: &Link) -> Result<(), BadStamp> {
    let (value, default) = signer_attribute(signer, ID_AA_SIGNING_CERTIFICATE_V_2)
        .map(|value| (value, HashType::Sha2_256))
        .or_else(|_| signer_attribute(signer, SIGNING_CERTIFICATE).map(|value| (value, HashType::Sha1)))
        .map_err(|_| BadStamp::SigningCertificate)?;
    let named = SigningCertificate::from_der(&value).map_err(|_| BadStamp::SigningCertificate)?;
    // The first one is the signer's.
    let first = named.certs.first().ok_or(BadStamp::SigningCertificate)?;
    let with = match &first.hash_algorithm {
        Some(algorithm) => hash_of(algorithm.oid).ok_or(BadStamp::Unsupported(algorithm.oid))?,
        None => default,
    };
    if first.cert_hash.as_bytes() != hash(with, &leaf.der).as_bytes() {
        return Err(BadStamp::SigningCertificate);
    }
    Ok(())
}

/// Whether a certificate is valid at this moment, and for time stamps alone (RFC 3161, 2.3).
fn check_certificate(leaf: &Link, at_ms: i64) -> Result<(), BadStamp> {
    if leaf.is_for_at(Purpose::TimeStamping, at_ms) { Ok(()) } else { Err(BadStamp::Certificate) }
}

#[cfg(test)]
mod tests;
