//! `/api/v2/x509/signing-requests/{uuid}/signed`.

pub(crate) mod download;
