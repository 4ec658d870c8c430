//! chancery-store
