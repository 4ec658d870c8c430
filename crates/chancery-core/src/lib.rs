//! chancery-core
