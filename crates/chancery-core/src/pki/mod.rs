//! Certificates: names, profiles, validity, issuing, revocation.

mod address;
mod alt_name;
mod cert_profile;
mod certificate;
mod crl;
mod dn;
mod lint;
pub(crate) mod validity;
