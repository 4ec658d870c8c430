//! What callers cost whom nobody knows.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use crate::process::Demo;

/// As many as an attacker would have, or as this machine lets a test have.
fn connections() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(1_024);
    usize::try_from(files).unwrap().saturating_sub(300).min(1_500)
}

/// A login of so many bytes whose last one is withheld. It may be refused before all are sent.
fn withhold(address: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let head = format!("POST /home/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: {bytes}\r\n\r\n");
    let _refused = stream.write_all(&[head.into_bytes(), vec![b' '; bytes - 1]].concat());
    stream
}

#[test]
fn logins_that_never_end_hold_little_memory() {
    let folder = chancery_testkit::temp_dir();
    let address = format!("127.0.0.1:{}", chancery_testkit::free_port());
    let many = "connections-max=8000,connections-per-source-max=8000";
    let demo = Demo::start(folder.path(), &["--plain-listen", &address, "--limit", many]);
    let before = demo.server.resident_kib();
    for bytes in [1024 * 1024, 16 * 1024] {
        let held: Vec<_> = (0..connections()).map(|_| withhold(&address, bytes)).collect();
        let grown = demo.server.resident_kib().saturating_sub(before) / 1024;
        assert!(grown < 100, "{} logins of {bytes} bytes hold {grown} MiB", held.len());
        let mut other = TcpStream::connect(&address).unwrap();
        other.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut said = String::new();
        other.read_to_string(&mut said).unwrap();
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    }
}
