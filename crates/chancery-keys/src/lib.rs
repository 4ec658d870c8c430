//! chancery-keys
