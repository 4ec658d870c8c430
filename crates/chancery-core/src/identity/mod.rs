//! Who calls: identities, roles, passwords, dual login, sessions, bearer tokens.

mod authenticate;
mod caller;
mod credentials;

pub use caller::{Caller, Member, RequestInfo, Visitor};
pub use credentials::Credentials;
