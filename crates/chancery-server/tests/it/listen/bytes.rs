//! Bytes of bodies that do not end, over connections: so many in all, whoever sends them. The addresses of 127.0.0.0/8 are
//! different sources.

use std::time::{Duration, Instant};

use chancery_core::{BodyLimits, Limits};
use chancery_server::Bounds;
use chancery_types::RoleId;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::{sleep, timeout},
};

use super::served::Served;
use crate::{
    app::{Setup, TestApp},
    guards::token_profile,
};

const KIB: usize = 1024;

/// Long enough for what is sent to be counted, and for an answer that must not come.
const MOMENT: Duration = Duration::from_millis(500);
/// For an answer that must come.
const PATIENCE: Duration = Duration::from_secs(10);

async fn served(bodies: BodyLimits) -> (TestApp, Served) {
    let limits = Limits { bodies, ..Limits::default() };
    let app = TestApp::with(Setup { limits, ..Setup::default() }).await;
    let served = Served::plain(app.routes.clone(), Bounds::default()).await;
    (app, served)
}

/// Announces a body and sends so much of it.
async fn send(served: &Served, from: [u8; 4], head: &str, announced: usize, sent: usize) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    let mut stream = socket.connect(served.address).await.unwrap();
    let head = format!("POST {head}\r\nHost: x\r\nConnection: close\r\nContent-Length: {announced}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    // Who is refused may be cut off before the end.
    let _refused = stream.write_all(&vec![b' '; sent]).await;
    stream
}

/// The status of the answer, if there is one in this time.
async fn status(stream: &mut TcpStream, within: Duration) -> Option<u16> {
    let mut said = [0; 12];
    timeout(within, stream.read_exact(&mut said)).await.ok()?.ok()?;
    std::str::from_utf8(&said[9..]).ok()?.parse().ok()
}

/// Asserts that none of these is answered.
async fn all_wait(streams: &mut [TcpStream]) {
    sleep(MOMENT).await;
    for (number, stream) in streams.iter_mut().enumerate() {
        assert_eq!(status(stream, Duration::from_millis(20)).await, None, "number {number} is held");
    }
}

/// Tries until somebody is answered so.
async fn soon(expected: u16, served: &Served, from: [u8; 4], head: &str, body: &str) {
    let begun = Instant::now();
    loop {
        let mut stream = send(served, from, head, body.len(), 0).await;
        stream.write_all(body.as_bytes()).await.unwrap();
        let status = status(&mut stream, PATIENCE).await;
        if status == Some(expected) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{status:?}");
        sleep(Duration::from_millis(20)).await;
    }
}

const LOGIN: &str = "/home/v1/login HTTP/1.1\r\nContent-Type: application/json";

/// Six sources with a body each, none of which has more than any of the others.
#[tokio::test]
async fn those_who_are_not_known_hold_so_much_together() {
    const EACH: usize = 15 * KIB;
    let limits = BodyLimits { visitor_bytes_max: 6 * EACH + KIB, ..BodyLimits::default() };
    let (_app, served) = served(limits).await;
    let ocsp = "/ocsp HTTP/1.1\r\nContent-Type: application/ocsp-request";
    let mut held = Vec::new();
    for (number, head) in [LOGIN, ocsp, LOGIN, ocsp, LOGIN, ocsp].into_iter().enumerate() {
        let from = [127, 0, 1, u8::try_from(number).unwrap()];
        held.push(send(&served, from, head, EACH + 1, EACH).await);
    }
    all_wait(&mut held).await;
    for head in [LOGIN, ocsp, "/tsa HTTP/1.1\r\nContent-Type: application/timestamp-query"] {
        let mut one_more = send(&served, [127, 0, 1, 77], head, EACH + 1, EACH).await;
        assert_eq!(status(&mut one_more, PATIENCE).await, Some(429), "{head}");
    }
    held.truncate(1);
    let body = r#"{"authType": "apikey", "authCredentials": {"apiKey": "x"}}"#;
    soon(401, &served, [127, 0, 1, 78], LOGIN, &format!("{body}{}", " ".repeat(EACH - body.len()))).await;
    all_wait(&mut held).await;
}

/// Three callers who may send large batches, none of whom has used up what is theirs.
#[tokio::test]
async fn what_waits_on_disk_is_bounded_for_all_callers_together() {
    const EACH: usize = 900 * KIB;
    let limits = BodyLimits {
        body_memory_max: 1,
        spool_per_caller_max: 4 * EACH,
        spool_max: 2 * EACH + 256 * KIB,
        ..BodyLimits::default()
    };
    let (app, served) = served(limits).await;
    let admin = app.admin().await;
    let profile = token_profile(&admin).await;
    let rule = |operation: &str| json!({"roleUuid": RoleId::APPLICATION, "operation": operation});
    let rules = json!({"controlRules": [rule("Tokenize"), rule("Batch")]});
    admin.patch(&format!("/api/v2/token-profiles/{profile}/permissions"), rules).await.response();
    let path = format!("/api/v2/token-profiles/{profile}/batch-tokenize");
    let mut heads = Vec::new();
    for name in ["ann", "bob", "eve"] {
        let bearer = app.person(name, &[RoleId::APPLICATION]).await.bearer.unwrap();
        heads.push(format!("{path} HTTP/1.1\r\nContent-Type: application/json\r\nAuthorization: Bearer {bearer}"));
    }
    let from = [127, 0, 0, 1];
    let mut held = vec![
        send(&served, from, &heads[0], EACH + 1, EACH).await,
        send(&served, from, &heads[1], EACH + 1, EACH).await,
    ];
    all_wait(&mut held).await;
    let mut third = send(&served, from, &heads[2], EACH + 1, EACH).await;
    assert_eq!(status(&mut third, PATIENCE).await, Some(429));
    // What is small waits nowhere.
    let batch = json!({"messages": ["4111111111111111"]}).to_string();
    soon(200, &served, from, &heads[2], &batch).await;
    all_wait(&mut held).await;
    held.pop();
    soon(200, &served, from, &heads[2], &format!("{batch}{}", " ".repeat(EACH))).await;
    all_wait(&mut held).await;
}
