//! Custody through its public door.

mod bearer;
mod custody;
mod root_key;
mod signatures;
