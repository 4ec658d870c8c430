//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
pub(crate) mod formats;
mod request;
mod turns;
