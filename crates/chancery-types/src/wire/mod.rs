//! Request and response bodies, in files named like the routes that use them.

pub mod approval;
pub mod audit;
pub mod cert_profiles;
mod empty;
mod envelope;
pub mod health;
pub mod identities;
pub mod import;
pub mod key_types;
pub mod keys;
mod list;
pub mod log;
pub mod login;
pub mod proposals;
pub mod roles;
pub mod services;
pub mod signing_policies;
pub mod signing_requests;
mod strict;
pub mod system;
mod texts;
pub mod token_profiles;
pub mod x509;

pub use empty::Empty;
pub use envelope::{Envelope, ErrorResponse, ItemError};
pub use list::{Items, ListQuery, ObjInfo, Results};
pub use strict::{ANSWERED, STRICT};
pub use texts::{Ends, Texts};
