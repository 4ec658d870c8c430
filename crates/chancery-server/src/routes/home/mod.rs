//! `/home`.

pub(crate) mod v1;
