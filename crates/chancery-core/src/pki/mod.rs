//! Certificates: names, profiles, validity, issuing, revocation.

mod alt_name;
mod cert_profile;
mod dn;
mod validity;
