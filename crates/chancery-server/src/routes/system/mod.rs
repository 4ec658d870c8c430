//! What operators and tools ask of the server itself.

pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod openapi;
