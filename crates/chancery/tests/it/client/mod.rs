//! The commands that talk to a server, as somebody types them.

mod bulk;
mod examples;
mod failures;
mod login;
mod originals;
mod outputs;
pub(crate) mod place;
mod profiles;
mod provenance;
mod several;
mod signing;
mod values;
