//! Code signing: services, policies, requests that people approve, and signatures.

pub mod formats;
pub mod request;
pub(crate) mod turns;
