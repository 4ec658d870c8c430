//! Stopping without breaking a call.

use std::time::Duration;

use chancery_server::Bounds;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::sleep,
};

use super::served::{Served, slow_router};

const REQUEST: &[u8] = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";

#[tokio::test]
async fn a_call_in_flight_is_answered_and_no_other_is_taken() {
    let served = Served::plain(slow_router(Duration::from_millis(600)), Bounds::default()).await;
    let mut busy = TcpStream::connect(served.address).await.unwrap();
    let mut idle = TcpStream::connect(served.address).await.unwrap();
    busy.write_all(REQUEST).await.unwrap();
    sleep(Duration::from_millis(200)).await;
    served.stop.send(true).unwrap();
    sleep(Duration::from_millis(200)).await;
    assert!(TcpStream::connect(served.address).await.is_err(), "a new connection while stopping");
    let mut said = String::new();
    idle.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "", "the idle connection is closed");
    busy.read_to_string(&mut said).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("done"), "{said}");
    // Well before `stop_max`.
    assert!(served.stops_within(Duration::from_secs(20)).await);
}

#[tokio::test]
async fn a_call_that_never_ends_does_not_hold_the_stop() {
    let bounds = Bounds { stop_max: Duration::from_millis(300), ..Bounds::default() };
    let served = Served::plain(slow_router(Duration::from_secs(3600)), bounds).await;
    let mut busy = TcpStream::connect(served.address).await.unwrap();
    busy.write_all(REQUEST).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    served.stop.send(true).unwrap();
    assert!(served.stops_within(Duration::from_secs(30)).await);
}
