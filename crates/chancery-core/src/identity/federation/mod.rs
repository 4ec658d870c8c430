//! OpenID Connect providers: workloads exchange their tokens for ours, and people log in by them. And authorities of client
//! certificates (`certificates`) and directories (`ldap`), which are providers, too: rows, bindings and who may make them are
//! the same.
//!
//! `claims` decides what a verified token says and whether it is good now, `stored` what providers and bindings are;
//! `keys` fetches and keeps what providers publish; `trusted` finds for whom a token stands; the door methods are in
//! `providers`, `bindings`, `exchange` (of workloads) and `oidc` (of people).

mod bindings;
mod certificates;
mod claims;
mod clients;
mod exchange;
mod keys;
mod lane;
mod ldap;
mod oidc;
mod providers;
mod stored;
#[cfg(test)]
mod tests;
mod trusted;

pub use certificates::ShownCertificates;
pub(crate) use certificates::{AskedBy, CertificateNames, check_stands_for};
pub(crate) use claims::TokenRefusal;
pub use keys::{Fetched, Form, LdapPlace, NoAnswer, ProviderTransport};
pub use oidc::OidcStarted;

pub(super) use exchange::{Exchanged, expect_unchanged};
pub(super) use keys::FetchedKeys;
