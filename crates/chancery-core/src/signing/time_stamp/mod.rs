//! Time stamps (RFC 3161, RFC 5816): the authority that gives them to anybody.

mod authority;
mod deploy;
mod oid;
mod request;
mod response;
mod token;

pub use authority::TimeStampAnswer;
