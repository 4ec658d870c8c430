//! `/api/v2/x509/crls`.

pub(crate) mod export;
