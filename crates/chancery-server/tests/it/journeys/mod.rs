//! Whole ways through the interface.

mod approvals;
mod signatures;
