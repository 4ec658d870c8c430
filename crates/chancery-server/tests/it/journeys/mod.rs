//! Whole ways through the interface.

mod approvals;
pub(crate) mod embedded;
mod foreign_rows;
mod identities;
pub(crate) mod signatures;
mod time_stamps;
