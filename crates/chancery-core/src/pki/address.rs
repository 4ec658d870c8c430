//! Where relying parties find an issuer's certificate, CRLs and OCSP responder, and the extensions that say so.

use chancery_types::CertificateId;
use der::asn1::ObjectIdentifier;
use x509_cert::ext::{
    Extension,
    pkix::{AccessDescription, AuthorityInfoAccessSyntax, CrlDistributionPoints},
};

use chancery_x509::address::{point, uri};

use super::{
    cert_profile::{CertProfile, Urls},
    certificate::extension,
};

/// id-ad-ocsp (RFC 6960, 4.2.2.1).
const OCSP: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1");

/// id-ad-caIssuers (RFC 5280, 4.2.2.1).
const CA_ISSUERS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.2");

/// The addresses that an issuer's certificates carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Addresses {
    crl: Vec<String>,
    issuer_certificate: Vec<String>,
    ocsp: Vec<String>,
}

impl Addresses {
    /// What the profile says, and for what it does not say, below the installation's `publicUrl`.
    pub(crate) fn of(profile: &CertProfile, public_url: Option<&str>, issuer: CertificateId) -> Self {
        let base = public_url.map(|url| url.trim_end_matches('/'));
        let own = |path: String| base.map(|base| format!("{base}{path}")).into_iter().collect();
        let Urls { crl, ocsp, issuer: issuer_certificate } = profile.urls.clone();
        Self {
            crl: crl.unwrap_or_else(|| own(format!("/crl/{issuer}.crl"))),
            issuer_certificate: issuer_certificate.unwrap_or_else(|| own(format!("/ca/{issuer}.crt"))),
            // Nobody asks whether the certificates of OCSP responders are revoked.
            ocsp: if profile.ocsp_no_check() { Vec::new() } else { ocsp.unwrap_or_else(|| own("/ocsp".to_owned())) },
        }
    }

    /// cRLDistributionPoints and authorityInfoAccess.
    pub(crate) fn extensions(&self) -> der::Result<Vec<Extension>> {
        let mut extensions = Vec::new();
        if !self.crl.is_empty() {
            extensions.push(extension(false, &CrlDistributionPoints(vec![point(&self.crl)?]))?);
        }
        let ocsp = self.ocsp.iter().map(|url| (OCSP, url));
        let access = ocsp.chain(self.issuer_certificate.iter().map(|url| (CA_ISSUERS, url)));
        let access =
            access.map(|(access_method, url)| Ok(AccessDescription { access_method, access_location: uri(url)? }));
        let access = access.collect::<der::Result<Vec<_>>>()?;
        if !access.is_empty() {
            extensions.push(extension(false, &AuthorityInfoAccessSyntax(access))?);
        }
        Ok(extensions)
    }
}

/// Where the installation at this `publicUrl` serves an issuer's delta list.
pub(super) fn delta(public_url: &str, issuer: CertificateId) -> String {
    format!("{}/crl/{issuer}.delta.crl", public_url.trim_end_matches('/'))
}
