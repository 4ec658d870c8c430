//! Temporary folders and free ports.

use std::net::TcpListener;

pub use tempfile::TempDir;

/// A new folder, removed when the value is dropped.
#[must_use]
pub fn temp_dir() -> TempDir {
    tempfile::Builder::new()
        .prefix("chancery-")
        .tempdir()
        .unwrap_or_else(|error| panic!("no temporary folder: {error}"))
}

/// A TCP port of 127.0.0.1 that nobody listened on a moment ago. Prefer port 0 where the server tells what it got.
#[must_use]
pub fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    listener.unwrap_or_else(|error| panic!("no free port: {error}")).port()
}
