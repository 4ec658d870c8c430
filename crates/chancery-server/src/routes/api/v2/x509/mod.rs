//! `/api/v2/x509`: certificates.

pub(crate) mod cert_profiles;
pub(crate) mod download;
pub(crate) mod generate;
pub(crate) mod revoke;
pub(crate) mod uuid;
