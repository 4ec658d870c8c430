//! Whole ways through the interface.

mod approvals;
mod identities;
mod signatures;
