//! Clients that take their time, on purpose or not.

use std::time::{Duration, Instant};

use axum::Router;
use chancery_server::Bounds;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};

use super::served::{Served, slow_router};

const SHORT: Duration = Duration::from_millis(300);
/// Longer than any of the bounds under test, shorter than their defaults.
const PATIENCE: Duration = Duration::from_secs(8);

fn short() -> Bounds {
    Bounds { handshake_max: SHORT, head_max: SHORT, write_stall_max: SHORT, ..Bounds::default() }
}

/// Waits until the server closes the connection, and answers what it said before.
async fn until_closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    // A reset is a close, too.
    let _reset = timeout(PATIENCE, stream.read_to_end(&mut said)).await.expect("the server still waits");
    said
}

#[tokio::test]
async fn a_handshake_that_never_comes() {
    let served = Served::over_tls(slow_router(Duration::ZERO), short()).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    assert!(until_closed(&mut stream).await.is_empty());
}

#[tokio::test]
async fn a_head_that_drips() {
    let served = Served::plain(slow_router(Duration::ZERO), short()).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n").await.unwrap();
    let (mut read, mut write) = stream.into_split();
    let drip = tokio::spawn(async move {
        while write.write_all(b"X: y\r\n").await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    });
    let mut said = Vec::new();
    let _reset = timeout(PATIENCE, read.read_to_end(&mut said)).await.expect("the server still waits");
    let said = String::from_utf8(said).unwrap();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 408"), "{said}");
    timeout(PATIENCE, drip).await.expect("the connection is closed").unwrap();
}

#[tokio::test]
async fn a_connection_that_stays_without_asking() {
    let served = Served::plain(slow_router(Duration::ZERO), short()).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let said = String::from_utf8(until_closed(&mut stream).await).unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("done"), "{said}");
}

/// Each of its calls has come and gone whenever the server looks whether the connection is idle.
#[tokio::test]
async fn a_connection_with_many_short_calls_stays() {
    let served = Served::plain(slow_router(Duration::ZERO), short()).await;
    for _ in 0..20 {
        if call_often(&served).await {
            return;
        }
    }
    panic!("no machine for this: again and again a call came later than {SHORT:?}");
}

/// Calls for a while; false where a call came so late, on a busy machine, that the connection may have been ended.
async fn call_often(served: &Served) -> bool {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let started = Instant::now();
    let mut last = started;
    while started.elapsed() < SHORT * 4 {
        let begun = Instant::now();
        let sent = stream.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let mut said = vec![0; 4096];
        let read = timeout(PATIENCE, stream.read(&mut said)).await.expect("an answer");
        if last.elapsed() >= SHORT {
            return false;
        }
        let bytes = sent.and(read).unwrap();
        assert!(said[..bytes].starts_with(b"HTTP/1.1 200"), "closed after {:?}", started.elapsed());
        last = begun;
        sleep(SHORT / 60).await;
    }
    true
}

#[tokio::test]
async fn an_answer_that_nobody_takes() {
    let large = || async { vec![0_u8; 64 << 20] };
    let served = Served::plain(Router::new().route("/large", axum::routing::get(large)), short()).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    sleep(SHORT * 5).await;
    let said = until_closed(&mut stream).await;
    assert!(said.len() < 64 << 20, "the whole answer was kept for a client that read nothing");
}

#[tokio::test]
async fn a_head_beyond_32_kib() {
    let served = Served::plain(slow_router(Duration::ZERO), Bounds::default()).await;
    for (bytes, status) in [(30 * 1024, "HTTP/1.1 200"), (40 * 1024, "HTTP/1.1 431")] {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        let head = format!("GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: {}\r\n\r\n", "y".repeat(bytes));
        stream.write_all(head.as_bytes()).await.unwrap();
        let said = String::from_utf8(until_closed(&mut stream).await).unwrap();
        assert!(said.starts_with(status), "{bytes}: {said}");
    }
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_their_turn() {
    let bounds =
        Bounds { connections_max: 2, connections_per_source_max: Some(3), head_max: SHORT, ..Bounds::default() };
    let served = Served::plain(slow_router(Duration::ZERO), bounds).await;
    let started = Instant::now();
    let mut idle =
        [TcpStream::connect(served.address).await.unwrap(), TcpStream::connect(served.address).await.unwrap()];
    for stream in &mut idle {
        stream.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let _answer = stream.read(&mut [0; 4096]).await.unwrap();
    }
    let mut third = TcpStream::connect(served.address).await.unwrap();
    third.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    let said = String::from_utf8(until_closed(&mut third).await).unwrap();
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert!(started.elapsed() >= SHORT, "answered beside two connections that hold both places");
    drop(idle);
}
