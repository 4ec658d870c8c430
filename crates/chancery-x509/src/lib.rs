//! X.509 and what stands on it, as bytes: names, certificates, requests, revocation lists, OCSP, time stamps and CMS, read
//! and written. Pure: no key is held here (what signs is given in, or signs the bytes that come out) and nothing is stored.

pub mod address;
pub mod alt_name;
pub mod authenticode;
pub mod certificate;
pub mod cms;
pub mod crl;
pub mod csr;
pub mod dn;
pub mod name_constraints;
pub mod ocsp;
mod padded_oid;
pub mod pem;
pub mod time;
pub mod tsp;
mod universal_string;
pub mod validity;

pub use padded_oid::{has_high_oid, has_padded_oid};
