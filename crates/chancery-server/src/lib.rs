//! chancery-server
