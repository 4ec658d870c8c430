//! OCSP answers (RFC 6960, 4.2).

use std::time::Duration;

use chancery_types::RevocationReason;
use der::{
    Any, Choice, Decode, Encode, Enumerated, Sequence,
    asn1::{BitString, GeneralizedTime, Null, ObjectIdentifier, OctetString},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::ext::{Extension, pkix::CrlReason};

use super::request::CertId;
use crate::crl::{self, Revocation};

/// How long an answer is good for.
const LIFETIME_S: i64 = 24 * 3_600;

/// id-pkix-ocsp-basic.
const BASIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1");

/// Why there is no answer to what was asked.
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumerated)]
#[repr(u8)]
pub enum Status {
    Successful = 0,
    MalformedRequest = 1,
    InternalError = 2,
    TryLater = 3,
    Unauthorized = 6,
}

/// ```text
/// OCSPResponse ::= SEQUENCE { responseStatus ENUMERATED, responseBytes [0] EXPLICIT ResponseBytes OPTIONAL }
/// ```
#[derive(Sequence)]
struct OcspResponse {
    response_status: Status,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    response_bytes: Option<ResponseBytes>,
}

/// ```text
/// ResponseBytes ::= SEQUENCE { responseType OBJECT IDENTIFIER, response OCTET STRING }
/// ```
#[derive(Sequence)]
struct ResponseBytes {
    response_type: ObjectIdentifier,
    response: OctetString,
}

/// ```text
/// BasicOCSPResponse ::= SEQUENCE {
///   tbsResponseData ResponseData, signatureAlgorithm AlgorithmIdentifier, signature BIT STRING,
///   certs [0] EXPLICIT SEQUENCE OF Certificate OPTIONAL }
/// ```
#[derive(Sequence)]
struct BasicOcspResponse {
    tbs_response_data: Any,
    signature_algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    certs: Vec<Any>,
}

/// ```text
/// ResponseData ::= SEQUENCE {
///   version            [0] EXPLICIT Version DEFAULT v1,
///   responderID            CHOICE { byName [1] Name, byKey [2] KeyHash },
///   producedAt             GeneralizedTime,
///   responses              SEQUENCE OF SingleResponse,
///   responseExtensions [1] EXPLICIT Extensions OPTIONAL }
/// ```
/// `byKey` is the SHA-1 hash of the responder's key: there is no other choice of hash.
#[derive(Sequence)]
struct ResponseData {
    #[asn1(context_specific = "2", tag_mode = "EXPLICIT")]
    by_key: OctetString,
    produced_at: GeneralizedTime,
    responses: Vec<SingleResponse>,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    response_extensions: Option<Vec<Extension>>,
}

/// ```text
/// SingleResponse ::= SEQUENCE {
///   certID CertID, certStatus CertStatus, thisUpdate GeneralizedTime, nextUpdate [0] EXPLICIT GeneralizedTime OPTIONAL,
///   singleExtensions [1] EXPLICIT Extensions OPTIONAL }
/// ```
#[derive(Sequence)]
struct SingleResponse {
    cert_id: CertId,
    cert_status: CertStatus,
    this_update: GeneralizedTime,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    next_update: GeneralizedTime,
}

/// ```text
/// CertStatus ::= CHOICE { good [0] IMPLICIT NULL, revoked [1] IMPLICIT RevokedInfo, unknown [2] IMPLICIT NULL }
/// ```
#[derive(Choice)]
enum CertStatus {
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT")]
    Good(Null),
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true")]
    Revoked(RevokedInfo),
    #[asn1(context_specific = "2", tag_mode = "IMPLICIT")]
    Unknown(Null),
}

/// ```text
/// RevokedInfo ::= SEQUENCE { revocationTime GeneralizedTime, revocationReason [0] EXPLICIT CRLReason OPTIONAL }
/// ```
#[derive(Sequence)]
struct RevokedInfo {
    revocation_time: GeneralizedTime,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    revocation_reason: Option<CrlReason>,
}

/// What is known of a certificate.
#[derive(Clone, Copy, Debug)]
pub enum Standing {
    /// Issued, and not revoked.
    Good,
    /// Revoked or on hold.
    Revoked(Revocation),
    /// This issuer never gave out such a serial number.
    Unknown,
}

/// The bytes that the responder signs.
pub fn to_be_signed(
    key_hash: &[u8],
    now_s: i64,
    standings: Vec<(CertId, Standing)>,
    nonce: Option<Extension>,
) -> der::Result<Vec<u8>> {
    let responses = standings.into_iter().map(|(cert_id, standing)| {
        Ok(SingleResponse {
            cert_id,
            cert_status: cert_status(standing)?,
            this_update: time(now_s)?,
            next_update: time(now_s + LIFETIME_S)?,
        })
    });
    ResponseData {
        by_key: OctetString::new(key_hash)?,
        produced_at: time(now_s)?,
        responses: responses.collect::<der::Result<_>>()?,
        response_extensions: nonce.map(|nonce| vec![nonce]),
    }
    .to_der()
}

/// Puts the signature to what was signed, and the responder's certificate beside it.
pub fn assemble(
    to_be_signed: &[u8],
    signature_algorithm: AlgorithmIdentifierOwned,
    signature: &[u8],
    responder: &[u8],
) -> der::Result<Vec<u8>> {
    let response = BasicOcspResponse {
        tbs_response_data: Any::from_der(to_be_signed)?,
        signature_algorithm,
        signature: BitString::from_bytes(signature)?,
        certs: vec![Any::from_der(responder)?],
    };
    let response_bytes = ResponseBytes { response_type: BASIC, response: OctetString::new(response.to_der()?)? };
    OcspResponse { response_status: Status::Successful, response_bytes: Some(response_bytes) }.to_der()
}

/// An answer that says nothing but why there is none. It is not signed.
pub fn refusal(status: Status) -> der::Result<Vec<u8>> {
    OcspResponse { response_status: status, response_bytes: None }.to_der()
}

fn cert_status(standing: Standing) -> der::Result<CertStatus> {
    Ok(match standing {
        Standing::Good => CertStatus::Good(Null),
        Standing::Unknown => CertStatus::Unknown(Null),
        Standing::Revoked(Revocation { at_s, reason }) => CertStatus::Revoked(RevokedInfo {
            revocation_time: time(at_s)?,
            revocation_reason: (reason != RevocationReason::Unspecified).then(|| crl::reason_code(reason)),
        }),
    })
}

fn time(second: i64) -> der::Result<GeneralizedTime> {
    let second = u64::try_from(second).map_err(|_| der::ErrorKind::DateTime)?;
    GeneralizedTime::from_unix_duration(Duration::from_secs(second))
}
