//! The commands that talk to a server, as somebody types them.

mod as_one;
mod bulk;
mod bulk_budget;
mod bulk_killed;
mod bulk_library;
mod bulk_places;
mod destroying;
mod examples;
mod failures;
mod login;
mod manifest;
mod originals;
mod outputs;
pub(crate) mod place;
mod profiles;
mod provenance;
mod renew;
mod renew_watch;
mod secret_files;
mod several;
mod signing;
mod tokens;
pub(crate) mod totp;
mod transcript;
mod values;
mod whole_release;
mod words;
