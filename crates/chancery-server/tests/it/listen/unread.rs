//! Clients that send the whole of a request before they read what became of it, though it was refused at its head.

use std::time::{Duration, Instant};

use chancery_server::Bounds;
use chancery_testkit::Tool;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::spawn_blocking,
    time::{sleep, timeout},
};

use super::served::Served;
use crate::app::TestApp;

const PATIENCE: Duration = Duration::from_secs(8);
/// More than the buffers of both ends take.
const PIECES: usize = 1_000;
const PIECE: usize = 16 * 1024;

/// Sends a head, then all pieces one by one; the status of the answer.
async fn status_after_all(served: &Served, head: &str) -> u16 {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // By now the answer is there.
    sleep(Duration::from_millis(200)).await;
    for piece in 0..PIECES {
        stream.write_all(&[b'y'; PIECE]).await.unwrap_or_else(|error| panic!("piece {piece} of {head:.60}: {error}"));
    }
    let mut said = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut said)).await.expect("the server still waits").expect("a close, no reset");
    String::from_utf8(said).unwrap()[9..12].parse().unwrap()
}

#[tokio::test]
async fn who_is_refused_before_the_body_was_read_gets_the_answer() {
    let served = Served::plain(TestApp::new().await.routes, Bounds::default()).await;
    let all = PIECES * PIECE;
    let host = "HTTP/1.1\r\nHost: x\r\n";
    for (expected, head) in [
        (401, format!("POST /api/v2/keys {host}Content-Length: {all}\r\n\r\n")),
        (413, format!("POST /home/v1/login {host}Content-Length: {all}\r\n\r\n")),
        (404, format!("POST /nowhere {host}Content-Length: {all}\r\n\r\n")),
        (431, format!("POST /api/v2/keys {host}Content-Length: {all}\r\nX: {}\r\n\r\n", "y".repeat(300 * 1024))),
        (400, "NONSENSE\r\n\r\n".to_owned()),
    ] {
        assert_eq!(status_after_all(&served, &head).await, expected, "{head:.60}");
    }
}

/// What a program of Python says that calls an address over TLS.
async fn python(program: &'static str) -> String {
    let served = Served::over_tls(TestApp::new().await.routes, Bounds::default()).await;
    let (address, ca_file) = (served.address.to_string(), served.ca_file.clone());
    let run = move || Tool::new("python3").args(["-c", program, &address]).arg(ca_file).run();
    spawn_blocking(run).await.unwrap().text()
}

/// http.client sends the head and the body one after the other: the answer waits for a body that is short, for a second.
/// What a busy machine took too long for is begun anew.
#[tokio::test(flavor = "multi_thread")]
async fn behind_a_refusal_a_connection_goes_on_or_says_that_it_ends() {
    const CLIENT: &str = r#"
import http.client, ssl, sys, time
address, ca_file = sys.argv[1:]
host, port = address.split(":")
calls = http.client.HTTPSConnection(host, int(port), timeout=20, context=ssl.create_default_context(cafile=ca_file))
def call(length, wait):
    global socket
    for _ in range(20):
        begun = time.monotonic()
        calls.putrequest("POST", "/api/v2/keys")
        calls.putheader("Content-Length", str(length))
        calls.endheaders()
        time.sleep(wait)
        calls.send(bytes(length))
        took = time.monotonic() - begun
        answer = calls.getresponse()
        answer.read()
        if took < 0.5:
            print(answer.status, answer.getheader("Connection"))
            return
        calls.close()
        calls.connect()
        socket = calls.sock
calls.connect()
socket = calls.sock
for _ in range(3):
    call(60_000, 0.1)
print(calls.sock is socket)
call(70_000, 0)
print(calls.sock)
call(10, 0)
"#;
    let expected = ["401 None\n".repeat(3).as_str(), "True\n", "401 close\n", "None\n", "401 None\n"].concat();
    assert_eq!(python(CLIENT).await, expected);
}

/// curl throws an answer over HTTP/2 away whose stream is reset at once, though the reset means no error (RFC 9113, 8.1).
#[tokio::test(flavor = "multi_thread")]
async fn over_http_2_the_answer_is_not_followed_by_a_reset() {
    let served = Served::over_tls(TestApp::new().await.routes, Bounds::default()).await;
    for size in [60_000, 70_000, 200_000, 3_000_000] {
        let (address, ca_file) = (served.address.to_string(), served.ca_file.clone());
        let run = move || {
            let curl = Tool::new("curl").args([
                "-s",
                "-m",
                "20",
                "--http2",
                "-o",
                "/dev/null",
                "-w",
                "%{http_code} %{http_version}",
            ]);
            let curl =
                curl.arg("--cacert").arg(ca_file).args(["--data-binary", "@-", "-H", "Content-Type: application/json"]);
            curl.arg(format!("https://{address}/api/v2/keys")).input(vec![b'y'; size]).try_run().text()
        };
        assert_eq!(spawn_blocking(run).await.unwrap(), "401 2", "{size} bytes");
    }
}

/// http.client sends a body to its end before it reads a byte.
#[tokio::test(flavor = "multi_thread")]
async fn over_tls_a_client_that_we_did_not_write_gets_it_too() {
    const CLIENT: &str = r#"
import http.client, ssl, sys, time
address, ca_file = sys.argv[1:]
host, port = address.split(":")
calls = http.client.HTTPSConnection(host, int(port), timeout=20, context=ssl.create_default_context(cafile=ca_file))
for _ in range(5):
    calls.putrequest("POST", "/api/v2/keys")
    calls.putheader("Content-Length", str(40 * 16384))
    calls.endheaders()
    for _ in range(40):
        calls.send(bytes(16384))
        time.sleep(0.005)
    answer = calls.getresponse()
    print(answer.status, len(answer.read()) > 0)
    calls.close()
"#;
    assert_eq!(python(CLIENT).await, "401 True\n".repeat(5));
}

#[tokio::test]
async fn who_never_ends_a_body_that_nobody_reads_is_cut_off() {
    let bounds = Bounds { head_max: Duration::from_millis(500), ..Bounds::default() };
    let served = Served::plain(TestApp::new().await.routes, bounds).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"POST /api/v2/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n").await.unwrap();
    let begun = Instant::now();
    while stream.write_all(b"y").await.is_ok() {
        assert!(begun.elapsed() < PATIENCE, "the server still reads");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn who_stays_quiet_does_not_delay_the_end_of_the_server() {
    let served = Served::plain(TestApp::new().await.routes, Bounds::default()).await;
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"POST /api/v2/keys HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n").await.unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status[9..], b"401");
    served.stop.send(true).unwrap();
    // What is left of a body would be waited for five seconds otherwise.
    assert!(served.stops_within(Duration::from_secs(4)).await);
}
