//! `/api/v2/x509/services`.

pub(crate) mod renew;
pub(crate) mod signing_policies;
pub(crate) mod signing_requests;
pub(crate) mod stubs;
pub(crate) mod uuid;
