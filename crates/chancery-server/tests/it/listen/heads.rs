//! Heads that are refused before anybody looks what they ask for, in the interface's words.

use std::time::Duration;

use chancery_server::Bounds;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::served::Served;
use crate::app::TestApp;

/// Sends a head; the status, the headers and the JSON of the answer.
async fn answer(served: &Served, head: &str) -> (u16, String, serde_json::Value) {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = Vec::new();
    let end = timeout(Duration::from_secs(8), stream.read_to_end(&mut said)).await.expect("the server still waits");
    end.expect("a close, and no reset that would take the answer away");
    let said = String::from_utf8(said).unwrap();
    let (head, body) = said.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {said:?}"));
    let head = head.to_lowercase();
    (head[9..12].parse().unwrap(), head, serde_json::from_str(body).unwrap_or_default())
}

#[track_caller]
fn refused((status, head, json): &(u16, String, serde_json::Value), expected: (u16, &str), what: &str) {
    assert_eq!((*status, json["errorCode"].as_str()), (expected.0, Some(expected.1)), "{what}: {head} {json}");
    let id = json["response"]["requestId"].as_str().unwrap();
    assert!(head.contains(&format!("x-request-id: {id}")), "{what}: {head} {json}");
    for field in ["connection: close", "cache-control: no-store", "\r\ndate: "] {
        assert!(head.contains(field), "{what}: {head}");
    }
}

#[tokio::test]
async fn a_head_that_is_too_large_is_told_so_in_the_envelope() {
    let app = TestApp::new().await;
    let served = Served::plain(app.routes.clone(), Bounds::default()).await;
    let path = "GET /api/v2/token-profiles/stubs";
    for (what, fields) in [
        ("one of 40 KiB", format!("X: {}\r\n", "y".repeat(40 * 1024))),
        ("more than hyper reads", format!("X: {}\r\n", "y".repeat(300 * 1024))),
        ("more fields than hyper takes", "X: y\r\n".repeat(150)),
    ] {
        let head = format!("{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}\r\n");
        let told = answer(&served, &head).await;
        refused(&told, (431, "LimitExceeded"), what);
        let says_fields = told.2.to_string().contains("or has more than 100 fields");
        assert_eq!(says_fields, what.starts_with("more"), "{what}: {}", told.2);
    }
    let head = format!("{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: {}\r\n\r\n", "y".repeat(30 * 1024));
    assert_eq!(answer(&served, &head).await.0, 401, "30 KiB are taken");
    let login = format!("POST /home/v1/login HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "y".repeat(40 * 1024));
    let (status, _, json) = answer(&served, &login).await;
    assert_eq!((status, json["status"].as_str()), (431, Some("Failure")), "in the form of its path: {json}");
}

#[tokio::test]
async fn a_request_over_http_1_1_has_one_host() {
    let app = TestApp::new().await;
    let served = Served::plain(app.routes.clone(), Bounds::default()).await;
    for (what, fields) in [("none", ""), ("two", "Host: a\r\nHost: a\r\n"), ("two others", "Host: a\r\nHost: b\r\n")] {
        let head = format!("GET /api/v2/token-profiles/stubs HTTP/1.1\r\n{fields}\r\n");
        refused(&answer(&served, &head).await, (400, "ArgumentParseError"), what);
    }
    assert_eq!(answer(&served, "GET /healthz HTTP/1.0\r\n\r\n").await.0, 200, "HTTP/1.0 knows no hosts");
}

#[tokio::test]
async fn what_is_no_request_is_told_so_in_the_envelope() {
    let app = TestApp::new().await;
    let served = Served::plain(app.routes.clone(), Bounds::default()).await;
    for nonsense in
        ["NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nno field\r\n\r\n", "\0\0\0\0\r\n\r\n"]
    {
        refused(&answer(&served, nonsense).await, (400, "ArgumentParseError"), nonsense);
    }
}
