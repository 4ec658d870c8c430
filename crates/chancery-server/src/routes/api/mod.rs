//! `/api`.

pub(crate) mod v2;
