//! Requests one after the other on one connection without TLS: what wrk cannot vary, or cannot time singly.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::Result;

/// A connection that is kept.
pub(super) struct Connection {
    address: String,
    reader: BufReader<TcpStream>,
}

/// What was answered with status 200.
pub(super) struct Answer {
    pub(super) head: String,
    pub(super) body: String,
}

impl Connection {
    /// To an address such as `http://127.0.0.1:80`.
    pub(super) fn open(base: &str) -> Result<Self> {
        let address = base.trim_start_matches("http://").to_owned();
        let stream = TcpStream::connect(&address).map_err(|error| format!("{base}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Self { address, reader: BufReader::new(stream) })
    }

    /// One request with this header; any other answer than 200 is an error.
    pub(super) fn ask(&mut self, method: &str, path: &str, header: &str, body: &str) -> Result<Answer> {
        let (address, length) = (&self.address, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{header}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        self.reader.get_mut().write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let answer = answer(&mut self.reader).map_err(|error| format!("{path}: {error}"))?;
        if answer.head.starts_with("HTTP/1.1 200") {
            Ok(answer)
        } else {
            Err(format!("{method} {path}: {}{}", answer.head, answer.body))
        }
    }
}

/// How long each of these paths took. An error if one of them found nothing.
pub(super) fn each(base: &str, token: &str, paths: &[String]) -> Result<Vec<Duration>> {
    let mut connection = Connection::open(base)?;
    let bearer = format!("Authorization: Bearer {token}");
    let mut timed = |path: &String| {
        let started = Instant::now();
        let Answer { body, .. } = connection.ask("GET", path, &bearer, "")?;
        let took = started.elapsed();
        if body.contains("\"results\":[]") { Err(format!("{path}: {body}")) } else { Ok(took) }
    };
    paths.iter().map(&mut timed).collect()
}

/// An answer that says its length.
fn answer(reader: &mut BufReader<TcpStream>) -> std::io::Result<Answer> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let lower = head.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Answer { head, body: String::from_utf8_lossy(&body).into_owned() })
}
