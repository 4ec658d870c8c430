//! Request and response bodies, in files named like the routes that use them.

mod envelope;
mod list;

pub use envelope::{Envelope, ErrorResponse, ItemError};
pub use list::{Items, ListQuery, ObjInfo, Results};
