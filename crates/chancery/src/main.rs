//! chancery
fn main() {}
