//! `/api/v2/x509`.

pub(crate) mod services;
pub(crate) mod signing_requests;
