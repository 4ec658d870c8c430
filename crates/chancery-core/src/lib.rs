//! chancery-core

pub mod signing;
