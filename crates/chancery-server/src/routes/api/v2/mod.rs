//! `/api/v2`.

pub(crate) mod key_types;
pub(crate) mod keys;
pub(crate) mod token_profiles;
pub(crate) mod x509;
