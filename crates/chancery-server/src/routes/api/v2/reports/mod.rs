//! `/api/v2/reports`.

pub(crate) mod access;
pub(crate) mod effect;
