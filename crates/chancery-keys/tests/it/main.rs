//! Custody through its public door.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod bearer;
mod custody;
mod data;
mod import;
mod root_key;
mod secrecy;
mod signatures;
mod vault;
mod verification;
