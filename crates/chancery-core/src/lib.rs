//! What Chancery does: identities, access, tokenization, certificates, signing. No HTTP, no SQL.
//!
//! `Chancery` is the door. Every public method on it takes a [`Caller`] first (or, for the few things that anybody
//! may ask, a [`Visitor`]) and goes the same way: load, grant, decide, use keys, commit state and audit together.

mod clock;
mod error;
mod identity;
mod limits;
mod list;
mod pki;
mod pool;
pub mod signing;
mod text;

pub use clock::Clock;
pub use error::{Error, Meaning, Result};
pub use identity::{Caller, Credentials, Member, RequestInfo, Visitor};
pub use limits::Limits;
