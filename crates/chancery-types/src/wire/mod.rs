//! Request and response bodies, in files named like the routes that use them.

pub mod activity;
pub mod api_keys;
pub mod approval;
pub mod audit;
pub mod audit_archives;
pub mod audit_targets;
pub mod cert_profiles;
mod empty;
mod envelope;
pub mod health;
pub mod identities;
pub mod identity_providers;
pub mod import;
pub mod journal;
pub mod key_types;
pub mod keys;
mod list;
pub mod log;
pub mod login;
pub mod mailboxes;
pub mod notices;
pub mod passkeys;
pub mod proposals;
pub mod reports;
pub mod roles;
pub mod service_details;
pub mod services;
pub mod signing_policies;
pub mod signing_requests;
mod strict;
pub mod system;
mod texts;
pub mod token_profiles;
pub mod whoami;
pub mod x509;

use serde::{Deserialize, Deserializer};

pub use empty::Empty;
pub use envelope::{Envelope, ErrorResponse, ItemError};
pub use list::{Items, ListQuery, ObjInfo, Results};
pub use strict::{ANSWERED, BINDING, FROM_BROWSERS, STRICT};
pub use texts::{Ends, Texts};

/// Tells a member that is there and `null` from one that is absent.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
