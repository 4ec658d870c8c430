//! Whole ways through the interface.

mod approvals;
mod embedded;
mod identities;
mod signatures;
mod time_stamps;
