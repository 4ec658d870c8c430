//! Calls that are answered before their body is read.

use std::time::{Duration, Instant};

use chancery_server::Bounds;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};

use super::served::Served;
use crate::app::TestApp;

/// A call of nobody, which is refused at its head; twelve bytes of body are to follow.
const HEAD: &[u8] = b"POST /api/v2/roles HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n";

async fn connected() -> (TestApp, Served, TcpStream) {
    let app = TestApp::new().await;
    let served = Served::plain(app.routes.clone(), Bounds::default()).await;
    let stream = TcpStream::connect(served.address).await.unwrap();
    (app, served, stream)
}

/// One answer: these are small enough to arrive at once.
async fn answer(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 4096];
    let read = timeout(Duration::from_secs(8), stream.read(&mut bytes)).await.expect("the server still waits").unwrap();
    String::from_utf8_lossy(&bytes[..read]).to_lowercase()
}

#[tokio::test]
async fn the_connection_is_good_for_the_next_call() {
    let (_app, served, mut stream) = connected().await;
    for pause in [Duration::ZERO, Duration::from_millis(50)] {
        let mut tries = 0;
        loop {
            let begun = Instant::now();
            stream.write_all(HEAD).await.unwrap();
            sleep(pause).await;
            let sent = stream.write_all(br#"{"name":"a"}"#).await;
            if begun.elapsed() < Duration::from_millis(500) {
                sent.unwrap();
                break;
            }
            // The body is waited for a second, and a busy machine took too long: anew.
            tries += 1;
            assert!(tries < 20, "never quick enough");
            stream = TcpStream::connect(served.address).await.unwrap();
        }
        let refused = answer(&mut stream).await;
        assert!(refused.starts_with("http/1.1 401") && !refused.contains("connection: close"), "{refused}");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        assert!(answer(&mut stream).await.starts_with("http/1.1 200"));
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for_and_the_cut_is_announced() {
    let (_app, _served, mut stream) = connected().await;
    stream.write_all(HEAD).await.unwrap();
    let refused = answer(&mut stream).await;
    assert!(refused.starts_with("http/1.1 401") && refused.contains("connection: close"), "{refused}");
    assert!(answer(&mut stream).await.is_empty(), "closed");
}
