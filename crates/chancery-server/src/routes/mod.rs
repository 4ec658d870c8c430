//! The handlers; the folders are the URL.

pub(crate) mod system;
