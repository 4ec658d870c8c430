//! Request and response bodies, in files named like the routes that use them.

mod envelope;
mod list;
mod texts;
pub mod token_profiles;

pub use envelope::{Envelope, ErrorResponse, ItemError};
pub use list::{Items, ListQuery, ObjInfo, Results};
pub use texts::Texts;
