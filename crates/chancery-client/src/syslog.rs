//! Syslog over TLS (RFC 5425), or RELP over TLS, to receivers that a user of the server has named: the server sends its audit records by it.

use std::{
    error::Error,
    io::{ErrorKind, Read, Write as _},
    net::Shutdown,
    time::Duration,
};

use chancery_types::SyslogTransport;

use crate::{Allowed, ClientError, TlsConnector, relp};

/// Bytes that a receiver may answer before it closes; syslog has no answers.
const ANSWER_MAX: usize = 64 * 1024;

/// Sends syslog messages (RFC 5424) over TLS.
pub struct SyslogSender(TlsConnector);

impl SyslogSender {
    /// Receivers must present a certificate of one of these authorities (PEM), and have an address that is allowed.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where there is no certificate in it.
    pub fn new(tls_authorities: &[u8], allowed: Allowed) -> Result<Self, ClientError> {
        TlsConnector::new(tls_authorities, allowed, "--notice-networks").map(Self)
    }

    /// Sends these messages over one connection, closes it, and waits until the receiver has closed it as well: it does that
    /// once it has read to the end (RFC 5425, 4.4). By RELP it waits until each is acknowledged. All of it within `wait`.
    ///
    /// # Errors
    ///
    /// Whatever was in the way, also what a receiver says against a message: then some of them may have come all the same.
    pub fn send(
        &self,
        host: &str,
        port: u16,
        messages: &[String],
        transport: SyslogTransport,
        wait: Duration,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut stream = self.0.connect(host, port, wait, |_| Ok(()))?;
        if transport == SyslogTransport::Relp {
            return relp::send(&mut stream, messages);
        }
        stream.write_all(&frames(messages))?;
        stream.flush()?;
        stream.conn.send_close_notify();
        while stream.conn.wants_write() {
            stream.conn.write_tls(&mut stream.sock)?;
        }
        stream.sock.stream.shutdown(Shutdown::Write)?;
        until_closed(&mut stream)
    }
}

/// Each message in its frame: how many octets it has, a space, and the message (RFC 5425, 4.3).
fn frames(messages: &[String]) -> Vec<u8> {
    messages.iter().flat_map(|message| format!("{} {message}", message.len()).into_bytes()).collect()
}

/// Reads until the receiver has closed the connection. It ought to say so in TLS, but rsyslog with GnuTLS only closes; one
/// that has not read everything resets the connection when it ends.
fn until_closed(stream: &mut impl Read) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (mut buffer, mut read) = ([0; 1_024], 0);
    while read < ANSWER_MAX {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(some) => read += some,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err("it answers without end".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_counts_its_octets() {
        assert_eq!(frames(&["<110>1 a".to_owned(), "ü".to_owned()]), "8 <110>1 a2 ü".as_bytes());
    }
}
