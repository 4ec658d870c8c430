//! Who calls: identities, roles, passwords, dual login, sessions, bearer tokens.

mod caller;

pub use caller::{Caller, Member, RequestInfo, Visitor};
