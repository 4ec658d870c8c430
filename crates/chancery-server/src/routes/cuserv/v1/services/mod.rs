//! `/cuserv/v1/services`.

pub(crate) mod deploy;
