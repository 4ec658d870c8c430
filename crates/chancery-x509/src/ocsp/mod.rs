//! OCSP (RFC 6960): what is asked of a responder, and what it answers.

pub mod request;
pub mod response;
