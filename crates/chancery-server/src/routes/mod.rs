//! The handlers; the folders are the URL.

pub(crate) mod api;
pub(crate) mod ca;
pub(crate) mod crl;
mod public_file;
pub(crate) mod system;
