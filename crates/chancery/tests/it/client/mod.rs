//! The commands that talk to a server, as somebody types them.

mod bulk;
mod examples;
mod failures;
mod login;
pub(crate) mod place;
mod profiles;
mod signing;
mod values;
