//! `/home/v1`: sessions begin and end here. Its answers have a form of their own.

pub(crate) mod login;
pub(crate) mod logout;
