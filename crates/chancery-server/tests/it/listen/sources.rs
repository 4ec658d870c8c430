//! Bounds for each source, and who may name another. The addresses of 127.0.0.0/8 are different sources.

use std::time::{Duration, Instant};

use chancery_core::{Limits, LoginLimits};
use chancery_server::{Bounds, Network, TrustedProxies};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::served::{Served, slow_router};
use crate::app::{Setup, TestApp};

const REQUEST: &str = "GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

async fn connect(served: &Served, from: [u8; 4]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    socket.connect(served.address).await.unwrap()
}

/// Whether the server closes the connection within this time.
async fn closes(stream: &mut TcpStream, within: Duration) -> bool {
    timeout(within, stream.read(&mut [0; 16])).await.is_ok()
}

async fn ask(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut said = String::new();
    // A reset is a close, too.
    let _reset =
        timeout(Duration::from_secs(8), stream.read_to_string(&mut said)).await.expect("the server still waits");
    said
}

#[tokio::test]
async fn idle_connections_of_one_source_leave_room_for_others() {
    let bounds = Bounds { connections_max: 20, ..Bounds::default() };
    let served = Served::plain(slow_router(Duration::ZERO), bounds).await;
    let mut idle = Vec::new();
    for _ in 0..60 {
        idle.push(connect(&served, [127, 0, 0, 2]).await);
    }
    let started = Instant::now();
    let said = ask(&mut connect(&served, [127, 0, 0, 3]).await, REQUEST).await;
    assert!(said.starts_with("HTTP/1.1 200") && started.elapsed() < Duration::from_secs(15), "{said}");
    let mut stay = 0;
    for stream in &mut idle {
        stay += usize::from(!closes(stream, Duration::from_millis(20)).await);
    }
    assert_eq!(stay, 10, "half of all");
    drop(idle);
    assert!(ask(&mut connect(&served, [127, 0, 0, 2]).await, REQUEST).await.starts_with("HTTP/1.1 200"), "given back");
}

#[tokio::test]
async fn a_connection_that_never_asked_makes_room() {
    let bounds = Bounds { connections_max: 4, connections_per_source_max: Some(2), ..Bounds::default() };
    let served = Served::plain(slow_router(Duration::ZERO), bounds).await;
    let mut silent = Vec::new();
    for source in [[127, 0, 0, 2], [127, 0, 0, 2], [127, 0, 0, 3], [127, 0, 0, 3]] {
        silent.push(connect(&served, source).await);
    }
    let started = Instant::now();
    let said = ask(&mut connect(&served, [127, 0, 0, 4]).await, REQUEST).await;
    assert!(said.starts_with("HTTP/1.1 200") && started.elapsed() < Duration::from_secs(15), "{said}");
    assert!(closes(&mut silent[0], Duration::from_secs(5)).await, "the oldest");
}

fn proxies(network: &str) -> Bounds {
    let trusted_proxies = TrustedProxies::from_iter([network.parse::<Network>().unwrap()]);
    Bounds { trusted_proxies, ..Bounds::default() }
}

/// A login with a wrong key; each source has one.
async fn login(served: &Served, before: &str, forwarded: &str) -> u16 {
    let body = r#"{"authType": "apikey", "authCredentials": {"apiKey": "x"}}"#;
    let head = format!("POST /home/v1/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{forwarded}");
    let request = format!("{before}{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let said = ask(&mut TcpStream::connect(served.address).await.unwrap(), &request).await;
    said.get(9..12).map_or(0, |status| status.parse().unwrap())
}

async fn one_login_a_minute() -> TestApp {
    let limits = Limits { logins: LoginLimits { per_minute: 1, ..LoginLimits::default() }, ..Limits::default() };
    TestApp::with(Setup { limits, ..Setup::default() }).await
}

#[tokio::test]
async fn a_trusted_proxy_names_the_source() {
    let app = one_login_a_minute().await;
    let served = Served::plain(app.routes.clone(), proxies("127.0.0.0/8")).await;
    for (forwarded, status) in [
        ("X-Forwarded-For: 203.0.113.1\r\n", 401),
        ("X-Forwarded-For: 203.0.113.1\r\n", 429),
        ("X-Forwarded-For: 203.0.113.2\r\n", 401),
        ("X-Forwarded-For: 203.0.113.9, 203.0.113.2\r\n", 429),
        ("X-Forwarded-For: 203.0.113.3, 127.0.0.7\r\n", 401),
        ("X-Forwarded-For: 2001:db8::1\r\n", 401),
        ("X-Forwarded-For: 2001:db8::2\r\n", 429),
    ] {
        assert_eq!(login(&served, "", forwarded).await, status, "{forwarded}");
    }
    for (before, status) in [
        ("PROXY TCP4 198.51.100.1 192.0.2.1 1 2\r\n", 401),
        ("PROXY TCP4 198.51.100.1 192.0.2.1 1 2\r\n", 429),
        ("PROXY TCP4 198.51.100.2 192.0.2.1 1 2\r\n", 401),
        ("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x0a\0\0\x01\0\0\0\0\0\0\0\0", 401),
        ("PROXY TCP4 nonsense\r\n", 0),
    ] {
        // Who is named like this is no proxy, so that what it says of others is ignored.
        let forwarded = "X-Forwarded-For: 203.0.113.77\r\n";
        assert_eq!(login(&served, before, forwarded).await, status, "{before}");
    }
}

#[tokio::test]
async fn nobody_else_does() {
    let app = one_login_a_minute().await;
    let served = Served::plain(app.routes.clone(), proxies("10.0.0.0/8")).await;
    assert_eq!(login(&served, "", "X-Forwarded-For: 203.0.113.1\r\n").await, 401);
    assert_eq!(login(&served, "", "X-Forwarded-For: 203.0.113.2\r\n").await, 429);
    assert_eq!(login(&served, "PROXY TCP4 198.51.100.1 192.0.2.1 1 2\r\n", "").await, 400, "no HTTP");
}

#[tokio::test]
async fn a_trusted_proxy_has_any_number_of_connections_and_those_behind_it_as_many_as_others() {
    let bounds = Bounds { connections_max: 20, connections_per_source_max: Some(2), ..proxies("127.0.0.2") };
    let served = Served::plain(slow_router(Duration::ZERO), bounds).await;
    let mut held = Vec::new();
    for _ in 0..6 {
        let mut stream = connect(&served, [127, 0, 0, 2]).await;
        stream.write_all(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
        held.push(stream);
    }
    let mut closed = 0;
    for number in 0..6 {
        // Two stay.
        let within = Duration::from_millis(if number < 2 { 300 } else { 5_000 });
        let mut stream = connect(&served, [127, 0, 0, 2]).await;
        stream.write_all(b"PROXY TCP4 203.0.113.1 192.0.2.1 1 2\r\n").await.unwrap();
        closed += usize::from(closes(&mut stream, within).await);
        held.push(stream);
    }
    assert_eq!(closed, 4);
}

#[tokio::test]
async fn sources_that_keep_asking_leave_room_for_others() {
    let bounds = Bounds { connections_max: 8, ..Bounds::default() };
    let served = Served::plain(slow_router(Duration::ZERO), bounds).await;
    leave_room_for_others(async |source| connect(&served, [127, 0, 0, source]).await).await;
    // Behind a balancer that says whose a connection is, they are as many sources.
    let bounds = Bounds { connections_max: 8, ..proxies("127.0.0.2") };
    let served = Served::plain(slow_router(Duration::ZERO), bounds).await;
    leave_room_for_others(async |source| {
        let mut stream = connect(&served, [127, 0, 0, 2]).await;
        let _told = stream.write_all(format!("PROXY TCP4 203.0.113.{source} 192.0.2.1 1 2\r\n").as_bytes()).await;
        stream
    })
    .await;
}

async fn leave_room_for_others(connect: impl AsyncFn(u8) -> TcpStream) {
    let mut kept = Vec::new();
    for source in [2, 3] {
        for _ in 0..4 {
            let mut stream = connect(source).await;
            stream.write_all(REQUEST.replace("Connection: close\r\n", "").as_bytes()).await.unwrap();
            assert!(stream.read(&mut [0; 4_096]).await.unwrap() > 0);
            kept.push(stream);
        }
    }
    for _ in 0..3 {
        let started = Instant::now();
        let said = ask(&mut connect(4).await, REQUEST).await;
        assert!(said.starts_with("HTTP/1.1 200") && started.elapsed() < Duration::from_secs(15), "{said}");
        for stream in &mut kept {
            // Those that were ended are not there any more.
            let _ended = stream.write_all(REQUEST.replace("Connection: close\r\n", "").as_bytes()).await;
        }
    }
}
