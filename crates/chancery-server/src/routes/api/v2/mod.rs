//! `/api/v2`.

pub(crate) mod x509;
