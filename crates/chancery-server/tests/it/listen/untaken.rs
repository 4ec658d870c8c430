//! Large answers that a caller asks for and does not take: they are in memory until it does.

use std::time::Duration;

use chancery_core::{BodyLimits, Limits};
use chancery_server::Bounds;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::served::Served;
use crate::{
    app::Setup,
    signing::{REQUESTS, Signing},
};

const PATIENCE: Duration = Duration::from_secs(20);
/// In base64 8 MiB.
const UPLOAD: usize = 6 << 20;

/// Asks, and reads no more than the head's first line.
async fn ask(served: &Served, path: &str, bearer: &str) -> (u16, TcpStream) {
    let socket = TcpSocket::new_v4().unwrap();
    // The kernel takes little of what nobody reads.
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(served.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut line = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut line)).await.expect("an answer").unwrap();
    (std::str::from_utf8(&line[9..]).unwrap().parse().unwrap(), stream)
}

#[tokio::test]
async fn who_takes_nothing_of_its_answers_gets_no_more_of_them() {
    let bodies = BodyLimits { answer_memory_per_caller_max: 10 << 20, ..BodyLimits::default() };
    let limits = Limits { bodies, ..Limits::default() };
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, &vec![7; UPLOAD]).await;
    let (one, other) = (signing.admin.bearer.clone().unwrap(), signing.approver("other").await.bearer.unwrap());
    let served = Served::plain(signing.app.routes.clone(), Bounds::default()).await;
    let path = format!("{REQUESTS}/{request}?include=uploadData");
    let mut untaken = Vec::new();
    // Two have room, at 8 MiB each, and the rest of them has not.
    for expected in [200, 200, 429, 429] {
        let (status, stream) = ask(&served, &path, &one).await;
        assert_eq!(status, expected, "after {}", untaken.len());
        untaken.push(stream);
    }
    let mut refusal = vec![0; 2_000];
    let length = timeout(PATIENCE, untaken[3].read(&mut refusal)).await.expect("a refusal").unwrap();
    let refusal = String::from_utf8_lossy(&refusal[..length]).to_lowercase();
    let id = refusal.split("x-request-id: ").nth(1).unwrap().split("\r\n").next().unwrap();
    assert!(id.len() == 32 && refusal.contains("retry-after: 1\r\n"), "{refusal}");
    let small = ask(&served, &format!("{REQUESTS}/{request}"), &one).await;
    assert_eq!(small.0, 200, "a small answer needs no share");
    assert_eq!(ask(&served, &path, &other).await.0, 200, "another's share is its own");

    // Whoever takes an answer has all of it, and room for another one.
    let mut taken = vec![0; UPLOAD * 4 / 3];
    timeout(PATIENCE, untaken[0].read_exact(&mut taken)).await.expect("all of it").unwrap();
    let until = tokio::time::Instant::now() + PATIENCE;
    while ask(&served, &path, &one).await.0 != 200 {
        assert!(tokio::time::Instant::now() < until, "the room is not given back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
