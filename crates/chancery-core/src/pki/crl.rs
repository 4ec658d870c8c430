//! Certificate revocation lists (RFC 5280, 5).

use chancery_types::RevocationReason;
use der::Encode;
use spki::AlgorithmIdentifierOwned;
use x509_cert::{
    Version,
    crl::{RevokedCert, TbsCertList},
    ext::{
        Extension,
        pkix::{CrlNumber, CrlReason},
    },
};

use super::{
    certificate::{Issuer, Serial, authority_key_identifier, extension},
    validity::x509_time,
};

/// How long a CRL is good for. It is signed anew on every revocation and after half of this time, so that a client
/// which fetches one always has some days left.
pub(crate) const LIFETIME_S: i64 = 7 * 24 * 3_600;

/// One revoked certificate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Revoked {
    pub(crate) serial: Serial,
    pub(crate) at_s: i64,
    pub(crate) reason: RevocationReason,
}

/// The bytes that the issuer signs.
///
/// The authority key identifier is the issuer's *subject* key identifier. Copying the issuer's own authority key
/// identifier, as x509-cert's builder does, names the issuer's issuer, and OpenSSL then does not find the CRL.
pub(crate) fn to_be_signed(
    issuer: &Issuer,
    number: u64,
    this_update_s: i64,
    algorithm: &AlgorithmIdentifierOwned,
    revoked: &[Revoked],
) -> der::Result<Vec<u8>> {
    let entries = revoked.iter().map(entry).collect::<der::Result<Vec<_>>>()?;
    TbsCertList {
        version: Version::V2,
        signature: algorithm.clone(),
        issuer: issuer.name.clone(),
        this_update: x509_time(this_update_s)?,
        next_update: Some(x509_time(this_update_s + LIFETIME_S)?),
        // An empty list is absent, not a list of nothing (5.1.2.6).
        revoked_certificates: (!entries.is_empty()).then_some(entries),
        crl_extensions: Some(vec![
            extension(false, &authority_key_identifier(&issuer.key_identifier)?)?,
            extension(false, &CrlNumber::try_from(number)?)?,
        ]),
    }
    .to_der()
}

fn entry(revoked: &Revoked) -> der::Result<RevokedCert> {
    Ok(RevokedCert {
        serial_number: revoked.serial.to_x509()?,
        revocation_date: x509_time(revoked.at_s)?,
        crl_entry_extensions: reason(revoked.reason)?.map(|reason| vec![reason]),
    })
}

/// `unspecified` is said by leaving the reason out (5.3.1).
fn reason(reason: RevocationReason) -> der::Result<Option<Extension>> {
    if reason == RevocationReason::Unspecified {
        return Ok(None);
    }
    extension(false, &reason_code(reason)).map(Some)
}

/// The reason as CRLs and OCSP answers carry it.
pub(crate) const fn reason_code(reason: RevocationReason) -> CrlReason {
    match reason {
        RevocationReason::Unspecified => CrlReason::Unspecified,
        RevocationReason::KeyCompromise => CrlReason::KeyCompromise,
        RevocationReason::CaCompromise => CrlReason::CaCompromise,
        RevocationReason::AffiliationChanged => CrlReason::AffiliationChanged,
        RevocationReason::Superseded => CrlReason::Superseded,
        RevocationReason::CessationOfOperation => CrlReason::CessationOfOperation,
        RevocationReason::CertificateHold => CrlReason::CertificateHold,
        RevocationReason::PrivilegeWithdrawn => CrlReason::PrivilegeWithdrawn,
        RevocationReason::AaCompromise => CrlReason::AaCompromise,
    }
}
