//! Tokens of OpenID Connect providers, which workloads exchange for ours.
//!
//! `claims` decides what a verified token says and whether it is good now, `stored` what providers and bindings are;
//! `keys` fetches and keeps the public keys of providers; the door methods are in `providers`, `bindings` and `exchange`.

mod bindings;
mod claims;
mod exchange;
mod keys;
mod providers;
mod stored;
#[cfg(test)]
mod tests;

pub(crate) use claims::TokenRefusal;
pub use keys::{Fetched, ProviderTransport};

pub(super) use exchange::{Exchanged, expect_unchanged};
pub(super) use keys::FetchedKeys;
