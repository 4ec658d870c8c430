//! The handlers; the folders are the URL.

pub(crate) mod api;
pub(crate) mod cuserv;
pub(crate) mod home;
pub(crate) mod system;
