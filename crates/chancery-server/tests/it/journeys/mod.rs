//! Whole ways through the interface.

mod signatures;
