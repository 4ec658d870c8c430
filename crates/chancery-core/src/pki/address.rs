//! Where relying parties find an issuer's certificate and CRL.

use chancery_types::CertificateId;
use der::asn1::{Ia5String, ObjectIdentifier};
use x509_cert::ext::{
    Extension,
    pkix::{
        AccessDescription, AuthorityInfoAccessSyntax, CrlDistributionPoints,
        crl::dp::DistributionPoint,
        name::{DistributionPointName, GeneralName},
    },
};

use super::certificate::extension;

/// id-ad-ocsp (RFC 6960, 4.2.2.1).
const OCSP: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1");

/// id-ad-caIssuers (RFC 5280, 4.2.2.1).
const CA_ISSUERS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.2");

/// The addresses that an issuer's certificates carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    crl: String,
    issuer_certificate: String,
    ocsp: String,
}

impl Addresses {
    /// Under the installation's `publicUrl`, which stands without a slash at its end.
    pub(crate) fn under(public_url: &str, issuer: CertificateId) -> Self {
        let base = public_url.trim_end_matches('/');
        Self {
            crl: format!("{base}/crl/{issuer}.crl"),
            issuer_certificate: format!("{base}/ca/{issuer}.crt"),
            ocsp: format!("{base}/ocsp"),
        }
    }

    /// cRLDistributionPoints and authorityInfoAccess; `with_ocsp` for all but the certificates of OCSP responders, of
    /// whom nobody asks whether they are revoked.
    pub(crate) fn extensions(&self, with_ocsp: bool) -> der::Result<[Extension; 2]> {
        let name = DistributionPointName::FullName(vec![uri(&self.crl)?]);
        let point = DistributionPoint { distribution_point: Some(name), reasons: None, crl_issuer: None };
        let mut access =
            vec![AccessDescription { access_method: CA_ISSUERS, access_location: uri(&self.issuer_certificate)? }];
        if with_ocsp {
            access.insert(0, AccessDescription { access_method: OCSP, access_location: uri(&self.ocsp)? });
        }
        Ok([
            extension(false, &CrlDistributionPoints(vec![point]))?,
            extension(false, &AuthorityInfoAccessSyntax(access))?,
        ])
    }
}

fn uri(text: &str) -> der::Result<GeneralName> {
    Ok(GeneralName::UniformResourceIdentifier(Ia5String::new(text)?))
}
