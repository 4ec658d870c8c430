//! Time stamps (RFC 3161, RFC 5816): the authority that gives them to anybody, and those elsewhere that are asked for them.

mod authority;
mod check;
mod deploy;
mod obtain;
mod oid;
mod outside;
mod request;
mod response;
mod token;

pub use authority::TimeStampAnswer;
pub use check::BadStamp;
pub(super) use check::check_stamp;
pub(crate) use outside::Outside;
pub use outside::{OutsideAuthorities, StampTransport};
