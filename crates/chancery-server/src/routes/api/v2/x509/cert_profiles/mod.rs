//! `/api/v2/x509/cert-profiles`.

pub(crate) mod stubs;
