//! Temporary folders and free ports.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, RandomState},
    net::TcpListener,
    ops::Range,
    sync::{Mutex, PoisonError},
};

pub use tempfile::TempDir;

/// A new folder, removed when the value is dropped.
#[must_use]
pub fn temp_dir() -> TempDir {
    tempfile::Builder::new()
        .prefix("chancery-")
        .tempdir()
        .unwrap_or_else(|error| panic!("no temporary folder: {error}"))
}

/// Ports below those that the kernel gives to whoever asks for none in particular (`ip_local_port_range`): no connection
/// and no listener of another test takes one of them by chance.
const PORTS: Range<u16> = 16_384..32_768;

/// A TCP port of 127.0.0.1 that nobody listens on, and that this process is given once. Prefer port 0 where the server tells
/// what it got.
#[must_use]
pub fn free_port() -> u16 {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..PORTS.len() {
        // By chance, since other processes look for some at the same time.
        let chance = RandomState::new().hash_one(()) % PORTS.len() as u64;
        let port = PORTS.start + u16::try_from(chance).expect("less than there are ports");
        if given.insert(port) && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free port of {PORTS:?}")
}
