//! `/cuserv/v1`.

pub(crate) mod services;
