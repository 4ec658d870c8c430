//! What the client sends when an answer is lost and the session ends at the same time, to a server that answers as told.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use chancery_client::Client;

/// No connection of this test has TLS, so nobody looks at it.
const AUTHORITY: &[u8] = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/// In the form of a key: what has another is not sent at all.
const API_KEY: &str = "chk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const LOGGED_IN: &str = r#"{"message":"Success","status":"Success","response":{"fullyLoggedIn":true,"hardened":false,"management":false,"perms":[]}}"#;
const TOKEN: &str = r#"{"message":"Success","status":"Success","token":"t"}"#;
const NOT_LOGGED_IN: &str = r#"{"message":"Log in.","status":"Failure"}"#;
const ENDED: &str =
    r#"{"success":false,"errorCode":"InvalidAuthToken","response":{"message":"Log in.","requestId":"7"}}"#;
const DONE: &str = r#"{"success":true,"errorCode":"Success","response":{}}"#;

/// Answers one call after the other, each on a connection of its own; an empty answer is none. What was asked for is
/// answered: the first line and the key of each call.
fn serve(listener: &TcpListener, answers: &[(&str, &str)]) -> io::Result<Vec<(String, Option<String>)>> {
    let mut asked = Vec::new();
    for (status, body) in answers {
        let (mut stream, _) = listener.accept()?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut head, mut length) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            head.push(line);
        }
        reader.read_exact(&mut vec![0; length])?;
        let key = head.iter().find(|line| line.to_lowercase().starts_with("idempotency-key:")).cloned();
        asked.push((head[0].clone(), key));
        if !status.is_empty() {
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n");
            write!(stream, "{head}Set-Cookie: session=s; Path=/\r\n\r\n{body}")?;
        }
    }
    Ok(asked)
}

/// The keys of these calls.
fn keys_of<'a>(asked: &'a [(String, Option<String>)], first_line: &str) -> Vec<&'a str> {
    let made = asked.iter().filter(|(line, _)| line.starts_with(first_line));
    made.map(|(_, key)| key.as_deref().expect("a key")).collect()
}

const LOST_AND_ENDED: [(&str, &str); 9] = [
    ("200 OK", LOGGED_IN),
    ("200 OK", TOKEN),
    // The call may be made, and its answer is lost; by then the session has ended, and there is no token by its cookie.
    ("", ""),
    ("401 Unauthorized", ENDED),
    ("401 Unauthorized", NOT_LOGGED_IN),
    ("200 OK", LOGGED_IN),
    ("200 OK", TOKEN),
    ("200 OK", DONE),
    ("200 OK", DONE),
];

#[test]
fn a_lost_call_has_the_same_key_after_another_login() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || serve(&listener, &LOST_AND_ENDED));
    let client = Client::new(&base, AUTHORITY).unwrap();
    client.stay_logged_in_by_key(API_KEY).unwrap();
    client.take_token().unwrap();
    client.body("POST", "/api/v2/keys", Some("{}")).unwrap();
    client.body("POST", "/api/v2/keys", Some("{}")).unwrap();
    let asked = server.join().unwrap().unwrap();
    let keys = keys_of(&asked, "POST /api/v2/keys");
    assert_eq!(keys.len(), 4, "{asked:?}");
    assert!(keys[0] == keys[1] && keys[1] == keys[2] && keys[2] != keys[3], "{keys:?}");
}

#[cfg(feature = "async")]
mod awaited {
    use std::time::{Duration, Instant};

    use chancery_client::AsyncClient;
    use chancery_types::{KeyId, wire::Empty};

    use super::*;

    const KEY: &str = r#"{"success":true,"errorCode":"Success","response":{"uuid":"00000000-0000-0000-0000-000000000001",
        "objInfo":{"name":"k","uuid":"00000000-0000-0000-0000-000000000001"},
        "keyTypeUuid":"00000000-0000-0000-0000-000000000002","parameters":{"keyAlgorithm":"Aes","keySize":256},"usages":[],
        "state":"Enabled","origin":"Generated","currentVersion":2,"versions":[]}}"#;
    const PUT_OFF: &str =
        r#"{"success":false,"errorCode":"RateLimited","response":{"message":"Later.","requestId":"7"}}"#;

    #[tokio::test]
    async fn a_lost_call_has_the_same_key_after_another_login() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let answers = LOST_AND_ENDED.map(|(status, body)| (status, if body == DONE { KEY } else { body }));
        let server = thread::spawn(move || serve(&listener, &answers));
        let client = AsyncClient::new(Client::new(&base, AUTHORITY).unwrap());
        client.call(|client| client.stay_logged_in_by_key(API_KEY)).await.unwrap();
        client.call(Client::take_token).await.unwrap();
        let id: KeyId = "00000000-0000-0000-0000-000000000001".parse().unwrap();
        for _ in 0..2 {
            assert_eq!(client.rotate_key(id, Empty {}).await.unwrap().current_version, 2);
        }
        let asked = server.join().unwrap().unwrap();
        let keys = keys_of(&asked, "POST /api/v2/keys");
        assert_eq!(keys.len(), 4, "{asked:?}");
        assert!(keys[0] == keys[1] && keys[1] == keys[2] && keys[2] != keys[3], "{keys:?}");
    }

    #[tokio::test]
    async fn what_was_put_off_is_made_again_later_than_asked_for_and_under_its_key() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let answers = [("429 Too Many Requests\r\nRetry-After: 1", PUT_OFF), ("200 OK", KEY)];
        let server = thread::spawn(move || serve(&listener, &answers));
        let client = AsyncClient::new(Client::new(&base, AUTHORITY).unwrap());
        let started = Instant::now();
        let id: KeyId = "00000000-0000-0000-0000-000000000001".parse().unwrap();
        client.disable_key(id, Empty {}).await.unwrap();
        // What comes on top differs from client to client, and is at least this.
        assert!(started.elapsed() >= Duration::from_millis(1_050), "{:?}", started.elapsed());
        let asked = server.join().unwrap().unwrap();
        let keys = keys_of(&asked, "POST /api/v2/keys");
        assert!(keys.len() == 2 && keys[0] == keys[1], "{asked:?}");
    }

    /// The turns are given back, also where nobody awaits the answer any more.
    #[tokio::test]
    async fn calls_wait_for_one_another_and_a_dropped_one_gives_its_turn_back() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        // Nothing is answered before the first call has been dropped.
        let (answer, told) = std::sync::mpsc::channel::<()>();
        let server = thread::spawn(move || {
            told.recv().map_err(io::Error::other)?;
            serve(&listener, &[("200 OK", KEY); 4])
        });
        let client = AsyncClient::with_calls(Client::new(&base, AUTHORITY).unwrap(), 1);
        let id: KeyId = "00000000-0000-0000-0000-000000000001".parse().unwrap();
        let dropped = tokio::time::timeout(Duration::ZERO, client.key(id)).await;
        assert!(dropped.is_err(), "it cannot have been answered yet");
        answer.send(()).unwrap();
        let (one, two, three) = tokio::join!(client.key(id), client.key(id), client.key(id));
        assert!([one, two, three].iter().all(Result::is_ok));
        assert_eq!(server.join().unwrap().unwrap().len(), 4);
    }
}

/// A server that accepts and says nothing is no reason to wait for ever, nor to be asked four times as long.
#[test]
fn a_silent_server_is_waited_for_once() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", silent.local_addr().unwrap());
    let mut client = Client::new(&base, AUTHORITY).unwrap();
    client.set_patience(Duration::from_millis(400));
    let begun = Instant::now();
    let failure = client.health().unwrap_err();
    assert!(begun.elapsed() >= Duration::from_millis(400) && begun.elapsed() < Duration::from_secs(50));
    assert!(failure.to_string().contains("did not answer in time"), "{failure}");
}
