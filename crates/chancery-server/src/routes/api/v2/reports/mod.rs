//! `/api/v2/reports`.

pub(crate) mod access;
