//! `/api/v2`.

pub(crate) mod activity;
pub(crate) mod audit;
pub(crate) mod identities;
pub(crate) mod identity_bindings;
pub(crate) mod identity_providers;
pub(crate) mod key_types;
pub(crate) mod keys;
pub(crate) mod notice_targets;
pub(crate) mod notices;
pub(crate) mod reports;
pub(crate) mod roles;
pub(crate) mod system;
pub(crate) mod token_profiles;
pub(crate) mod whoami;
pub(crate) mod x509;
