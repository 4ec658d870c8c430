//! The commands that talk to a server, as somebody types them.

mod examples;
mod failures;
mod login;
pub(crate) mod place;
mod signing;
