//! Single GET requests one after the other on one connection without TLS, each timed.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use crate::Result;

/// How long each of these paths took. An error if any answer was not 200, or found nothing.
pub(super) fn each(base: &str, token: &str, paths: &[String]) -> Result<Vec<Duration>> {
    let address = base.trim_start_matches("http://");
    let stream = TcpStream::connect(address).map_err(|error| format!("{base}: {error}"))?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let mut reader = BufReader::new(stream);
    let timed = |path: &String| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
        let started = Instant::now();
        reader.get_mut().write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let (head, body) = answer(&mut reader).map_err(|error| format!("{path}: {error}"))?;
        let took = started.elapsed();
        if !head.starts_with("HTTP/1.1 200") || body.contains("\"results\":[]") {
            return Err(format!("{path}: {head}{body}"));
        }
        Ok(took)
    };
    paths.iter().map(timed).collect()
}

/// Head and body of an answer that says its length.
fn answer(reader: &mut BufReader<TcpStream>) -> std::io::Result<(String, String)> {
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
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}
