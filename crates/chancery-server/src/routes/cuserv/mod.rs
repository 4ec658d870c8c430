//! `/cuserv`.

pub(crate) mod v1;
