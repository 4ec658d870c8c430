//! The handlers; the folders are the URL.

pub(crate) mod api;
pub(crate) mod ca;
pub(crate) mod console;
pub(crate) mod crl;
pub(crate) mod cuserv;
pub(crate) mod home;
pub(crate) mod log;
pub(crate) mod ocsp;
mod public_file;
pub(crate) mod system;
pub(crate) mod tsa;
