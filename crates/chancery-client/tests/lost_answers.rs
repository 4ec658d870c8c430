//! What the client sends when an answer is lost and the session ends at the same time, to a server that answers as told.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    thread,
};

use chancery_client::Client;

/// No connection of this test has TLS, so nobody looks at it.
const AUTHORITY: &[u8] = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

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

#[test]
fn a_lost_call_has_the_same_key_after_another_login() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let answers = [
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
    let server = thread::spawn(move || serve(&listener, &answers));
    let client = Client::new(&base, AUTHORITY).unwrap();
    client.stay_logged_in_by_key("key").unwrap();
    client.take_token().unwrap();
    client.body("POST", "/api/v2/keys", Some("{}")).unwrap();
    client.body("POST", "/api/v2/keys", Some("{}")).unwrap();
    let asked = server.join().unwrap().unwrap();
    let made: Vec<_> = asked.iter().filter(|(line, _)| line.starts_with("POST /api/v2/keys")).collect();
    let keys: Vec<_> = made.iter().map(|(_, key)| key.as_deref().unwrap()).collect();
    assert_eq!(keys.len(), 4, "{asked:?}");
    assert!(keys[0] == keys[1] && keys[1] == keys[2] && keys[2] != keys[3], "{keys:?}");
}
