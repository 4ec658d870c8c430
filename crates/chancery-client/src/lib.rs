//! chancery-client
