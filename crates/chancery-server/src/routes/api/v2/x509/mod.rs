//! `/api/v2/x509`: certificates, and what signs with them.

pub(crate) mod cert_profiles;
pub(crate) mod download;
pub(crate) mod generate;
pub(crate) mod revoke;
pub(crate) mod services;
pub(crate) mod signing_requests;
pub(crate) mod uuid;
