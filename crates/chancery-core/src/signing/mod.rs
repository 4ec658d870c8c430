//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
mod formats;
mod request;
mod turns;
