//! chancery-types
