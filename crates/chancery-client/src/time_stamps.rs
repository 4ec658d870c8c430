//! Time stamps over HTTP (RFC 3161, 3.4). Whether an answer is a good stamp is for its reader to say.

use std::time::Duration;

use ureq::Agent;

use crate::{
    ClientError,
    transport::{authorities, tls},
};

/// Asks time-stamping authorities.
pub struct StampFetcher(Agent);

impl StampFetcher {
    /// For `https` addresses, servers must present a certificate of one of the authorities in `tls_authorities` (PEM). A
    /// proxy is taken from the environment, as other programs do.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where `tls_authorities` holds no certificate.
    pub fn new(tls_authorities: Option<&[u8]>) -> Result<Self, ClientError> {
        let tls = tls(tls_authorities.map(authorities).transpose()?.unwrap_or_default(), None);
        let config = Agent::config_builder().tls_config(tls).http_status_as_error(false).max_redirects(0).build();
        Ok(Self(config.into()))
    }

    /// Posts a TimeStampReq; the answer has at most `max` bytes and comes within `wait`.
    ///
    /// # Errors
    ///
    /// [`ClientError::Transport`] where nothing came in time, or too much; [`ClientError::Unexpected`] for any status but
    /// 200.
    pub fn post(&self, url: &str, request: &[u8], max: usize, wait: Duration) -> Result<Vec<u8>, ClientError> {
        let call = self.0.post(url).config().timeout_global(Some(wait)).build();
        let call = call.header("Content-Type", "application/timestamp-query");
        let mut answer = call.header("Accept", "application/timestamp-reply").send(request)?;
        let status = answer.status().as_u16();
        if status != 200 {
            return Err(ClientError::Unexpected { status, why: "a time-stamping authority answers 200".to_owned() });
        }
        // One more: the limit is what a body must stay below.
        Ok(answer.body_mut().with_config().limit(max as u64 + 1).read_to_vec()?)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
        thread,
        time::Instant,
    };

    use super::*;

    const WAIT: Duration = Duration::from_secs(10);

    /// Serves one connection with this answer, and hands back what was asked.
    fn serve(answer: Vec<u8>) -> (String, thread::JoinHandle<Vec<u8>>) {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/tsa", socket.local_addr().unwrap());
        let served = thread::spawn(move || {
            let (mut connection, _) = socket.accept().unwrap();
            let mut asked = Vec::new();
            while !asked.ends_with(b"the query") {
                let mut piece = [0; 1_024];
                let len = connection.read(&mut piece).unwrap();
                asked.extend_from_slice(&piece[..len]);
            }
            connection.write_all(&answer).unwrap();
            asked
        });
        (url, served)
    }

    fn http(status: &str, body: &[u8]) -> Vec<u8> {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    }

    fn post(url: &str, wait: Duration) -> Result<Vec<u8>, ClientError> {
        StampFetcher::new(None).unwrap().post(url, b"the query", 100, wait)
    }

    #[test]
    fn a_query_is_posted_and_its_answer_read() {
        let (url, served) = serve(http("200 OK", &[7; 100]));
        assert_eq!(post(&url, WAIT).unwrap(), [7; 100]);
        let asked = String::from_utf8(served.join().unwrap()).unwrap().to_lowercase();
        assert!(asked.starts_with("post /tsa http/1.1\r\n"), "{asked}");
        assert!(asked.contains("content-type: application/timestamp-query\r\n"), "{asked}");
    }

    #[test]
    fn what_is_too_long_or_no_answer_is_refused() {
        let (url, _served) = serve(http("200 OK", &[7; 101]));
        assert!(matches!(post(&url, WAIT), Err(ClientError::Transport(_))));
        for status in ["500 No", "302 Elsewhere", "404 None"] {
            let (url, _served) = serve(http(status, b""));
            assert!(matches!(post(&url, WAIT), Err(ClientError::Unexpected { .. })), "{status}");
        }
        assert!(post("http://127.0.0.1:1/tsa", WAIT).is_err(), "nobody is there");
    }

    #[test]
    fn nobody_is_waited_for_longer_than_said() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", socket.local_addr().unwrap());
        let begun = Instant::now();
        assert!(post(&url, Duration::from_millis(300)).is_err());
        assert!(begun.elapsed() < 10 * WAIT, "{:?}", begun.elapsed());
    }
}
