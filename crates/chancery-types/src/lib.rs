//! The vocabulary that Chancery's server and its clients share.
//!
//! Spellings are those of the interface, exact on the wire; inside they are idiomatic Rust. Nothing here decides
//! anything: ids, enumerations, error codes, and under [`wire`] the request and response bodies, in files named like
//! the routes that use them.

#[macro_use]
mod wire_enum;

mod action;
mod base64_bytes;
mod built_in;
mod deliveries;
mod enums;
mod error_code;
mod hidden;
mod id;
mod journal;
mod perm;
mod secret_text;
mod shown;
pub mod wire;

pub use action::{Action, Concern, FreshFactorFor};
pub use base64_bytes::Base64;
pub use deliveries::*;
pub use enums::*;
pub use error_code::ErrorCode;
pub use hidden::{hides, without_mark};
pub use id::*;
pub use journal::{JournalStanding, JournalView};
pub use perm::Perm;
pub use secret_text::SecretText;
pub use shown::{Shown, ShownName, shell_word};
